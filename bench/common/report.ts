// What was found: rows for people, one line of JSON for programs.

import { execFileSync } from 'node:child_process';
import { cpus, loadavg, totalmem } from 'node:os';

export interface Row {
  /** The name in the JSON. */
  readonly id: string;
  readonly label: string;
  readonly figure: number;
  readonly unit: string;
  readonly against?: { readonly name: string; readonly figure: number };
  /** Where it is not figure / against. */
  readonly ratio?: number;
  /** What figure and ratio are of, where both are told of the same thing. */
  readonly measure?: 'wall clock' | 'processor time';
  readonly bound?: Bound;
  /** The bound is one of the figure, though there is something beside it. */
  readonly boundOf?: 'figure';
  readonly note?: string;
}

/** A floor that must be held and a goal beyond it, for the ratio, or for the figure where there is none. */
export interface Bound {
  readonly kind: 'at least' | 'at most';
  readonly floor: number;
  readonly goal?: number;
}

export type Verdict = 'goal' | 'pass' | 'FAIL' | '';

const columns = ['what', 'Tidemark', 'beside it', 'ratio', 'floor (goal)', ''] as const;

/** Below the table. */
const legend =
  'Ratios are those of the first figure to the one beside it. pass: its floor is kept; goal: the goal, too; FAIL: not even the floor.';

export class Report {
  readonly #rows: Row[] = [];
  readonly #sections: { readonly title: string; readonly firstRow: number }[] = [];

  section(title: string): void {
    this.#sections.push({ title, firstRow: this.#rows.length });
  }

  add(row: Row): void {
    this.#rows.push(row);
  }

  table(): string {
    const cells = this.#rows.map(cellsOf);
    const widths = columns.map((name, i) => Math.max(name.length, ...cells.map((row) => row[i]?.length ?? 0)));
    const line = (row: readonly string[]): string => row.map((cell, i) => pad(cell, widths[i] ?? 0, i)).join('  ');
    const lines = [line(columns), widths.map((width) => '─'.repeat(width)).join('  ')];
    for (const [i, row] of cells.entries()) {
      for (const { title } of this.#sections.filter(({ firstRow }) => firstRow === i)) lines.push(`── ${title}`);
      lines.push(line(row));
    }
    lines.push('', legend);
    return lines.map((text) => text.trimEnd()).join('\n');
  }

  json(facts: Readonly<Record<string, unknown>>): string {
    const results = this.#rows.map((row) => {
      const { id, unit } = row;
      const against = row.against === undefined ? {} : { against: row.against.name, beside: short(row.against.figure) };
      const ratio = ratioOf(row) === undefined ? {} : { ratio: short(ratioOf(row) as number) };
      const measure = row.measure === undefined ? {} : { measure: row.measure };
      const bound = row.bound === undefined ? {} : { ...row.bound, verdict: verdictOf(row) };
      return { id, ...measure, figure: short(row.figure), unit, ...against, ...ratio, ...bound };
    });
    return JSON.stringify({ ...facts, results });
  }

  get failures(): number {
    return this.#rows.filter((row) => verdictOf(row) === 'FAIL').length;
  }
}

export function machineFacts(bench: string): Readonly<Record<string, unknown>> {
  const [cpu] = cpus();
  const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();
  let commit = 'unknown';
  let isDirty = false;
  try {
    commit = git('rev-parse', '--short', 'HEAD');
    isDirty = git('status', '--porcelain', '--', 'packages', 'bench') !== '';
  } catch {
    // Not a clone: the figures are still good.
  }
  return {
    bench,
    commit,
    isDirty,
    node: process.versions.node,
    v8: process.versions.v8,
    cpu: cpu?.model,
    cores: cpus().length,
    /** Over the last minute, this run included; far above the cores, the figures say little. */
    load: loadavg()[0],
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform} ${process.arch}`,
    time: new Date().toISOString(),
  };
}

function ratioOf(row: Row): number | undefined {
  if (row.ratio !== undefined) return row.ratio;
  // Nothing beside something has no ratio.
  if (row.against === undefined || row.against.figure === 0) return undefined;
  return row.figure / row.against.figure;
}

function verdictOf(row: Row): Verdict {
  if (row.bound === undefined) return '';
  const { kind, floor, goal } = row.bound;
  const value = row.boundOf === 'figure' ? row.figure : (ratioOf(row) ?? row.figure);
  const holds = (limit: number): boolean => (kind === 'at least' ? value >= limit : value <= limit);
  if (!holds(floor)) return 'FAIL';
  return goal !== undefined && holds(goal) ? 'goal' : 'pass';
}

function cellsOf(row: Row): readonly string[] {
  const { against, bound } = row;
  const ratio = ratioOf(row);
  const limit = bound === undefined ? '' : `${bound.kind === 'at least' ? '≥' : '≤'} ${short(bound.floor)}`;
  const goal = bound?.goal === undefined ? '' : ` (${short(bound.goal)})`;
  return [
    row.label,
    `${human(row.figure)} ${row.unit}`,
    against === undefined ? (row.note ?? '') : `${against.name} ${human(against.figure)}`,
    ratio === undefined ? '' : ratio.toFixed(2),
    limit + goal,
    verdictOf(row),
  ];
}

function pad(text: string, width: number, column: number): string {
  return column === 1 || column === 3 ? text.padStart(width) : text.padEnd(width);
}

function human(value: number): string {
  if (Math.abs(value) >= 1_000_000) return `${(value / 1_000_000).toFixed(2)} M`;
  if (Math.abs(value) >= 10_000) return `${(value / 1_000).toFixed(1)} k`;
  return `${short(value)}`;
}

function short(value: number): number {
  return Number(value.toPrecision(4));
}
