// Rows as lines of a table. Nobody knows the rows to come, so a table is laid out for those that are there, and anew, with another head,
// for the first one that does not fit.

import { shown } from '../terminal.ts';
import type { Cell, RowCells } from './row-cells.ts';
import { cutTo, padTo, widthOf } from './text-width.ts';

export interface Layout {
  /** What every column has been asked for, in the order of the columns. */
  readonly wanted: ReadonlyMap<string | undefined, Column>;
  /** Of the columns that there is room for, from the left. */
  readonly widths: readonly number[];
  readonly widthMax: number;
}

interface Column {
  readonly title: string;
  readonly width: number;
  readonly isNumber: boolean;
}

const gap = 2;
/** Below this a column says nothing. */
const narrowest = 6;

/** For these rows, and for all that `before` was made for. */
export function layOut(rows: readonly RowCells[], widthMax: number, before?: Layout): Layout {
  const wanted = new Map(before?.wanted);
  for (const { cells } of rows)
    for (const [name, cell] of cells) wanted.set(name, widened(wanted.get(name), name, cell));
  const columns = [...wanted.values()];
  return { wanted, widths: widthsFor(columns, widthMax), widthMax };
}

export function fits({ wanted }: Layout, { cells }: RowCells): boolean {
  for (const [name, { text, isNumber }] of cells) {
    const column = wanted.get(name);
    if (column === undefined || widthOf(text) > column.width || (column.isNumber && !isNumber)) return false;
  }
  return true;
}

/** A row looks the same in both. */
export function isSameTable(a: Layout, b: Layout): boolean {
  const shape = ({ wanted, widths }: Layout): string =>
    JSON.stringify(
      [...wanted.values()].slice(0, widths.length).map(({ title, isNumber }, at) => [title, isNumber, widths[at]]),
    );
  return shape(a) === shape(b);
}

/** How many columns there is no room for. */
export function columnsLeftOut({ wanted, widths }: Layout): number {
  return wanted.size - widths.length;
}

export function headOf({ wanted, widths }: Layout): string {
  const columns = [...wanted.values()].slice(0, widths.length);
  const titles = columns.map(({ title, isNumber }, at) => aligned(title, widths[at] ?? 0, isNumber));
  return `${lineOf(titles)}${lineOf(widths.map((width) => '-'.repeat(width)))}`;
}

export function rowOf({ wanted, widths }: Layout, { cells }: RowCells): string {
  const columns = [...wanted].slice(0, widths.length);
  return lineOf(
    columns.map(([name, { isNumber }], at) => aligned(cells.get(name)?.text ?? '', widths[at] ?? 0, isNumber)),
  );
}

function widened(column: Column | undefined, name: string | undefined, { text, isNumber }: Cell): Column {
  const title = column?.title ?? shown(name ?? 'value');
  const width = Math.max(column?.width ?? Math.max(1, widthOf(title)), widthOf(text));
  return { title, width, isNumber: (column?.isNumber ?? true) && isNumber };
}

/**
 * Texts that are too wide are cut to one width, the same for all that are; numbers only where that is not enough, since half of a number
 * is another one. Columns that would become too narrow are left out at the right.
 */
function widthsFor(columns: readonly Column[], widthMax: number): number[] {
  const all = columns.map(({ width }) => width);
  if (sum(all) <= widthMax) return all;
  let count = all.length;
  const least = all.map((width) => Math.min(width, narrowest));
  while (count > 1 && sum(least.slice(0, count)) > widthMax) count -= 1;
  const kept = columns.slice(0, count);
  const numbers = largestCap(widthMax, (cap) => cutBoth(kept, Math.min(cap, narrowest), cap));
  const { widths } = largestCap(widthMax, (cap) => cutBoth(kept, cap, numbers.cap));
  // What is left over goes to those that were cut, from the left.
  let left = widthMax - sum(widths);
  return widths.map((width, at) => {
    const isCut = width < (kept[at]?.width ?? 0) && left > 0;
    if (isCut) left -= 1;
    return isCut ? width + 1 : width;
  });
}

function cutBoth(columns: readonly Column[], textMax: number, numberMax: number): number[] {
  return columns.map(({ width, isNumber }) => Math.min(width, isNumber ? numberMax : textMax));
}

/** The widest that still fits, or 1. */
function largestCap(widthMax: number, widthsOf: (cap: number) => number[]): { cap: number; widths: number[] } {
  let cap = Math.max(1, widthMax);
  let widths = widthsOf(cap);
  while (cap > 1 && sum(widths) > widthMax) {
    cap -= 1;
    widths = widthsOf(cap);
  }
  return { cap, widths };
}

function sum(widths: readonly number[]): number {
  return widths.reduce((all, width) => all + width, gap * Math.max(0, widths.length - 1));
}

function aligned(text: string, width: number, isNumber: boolean): string {
  return padTo(cutTo(text, width), width, isNumber ? 'right' : 'left');
}

function lineOf(cells: readonly string[]): string {
  return `${cells.join(' '.repeat(gap)).trimEnd()}\n`;
}
