// Every page of a query over documents in memory, as whoever has the documents would ask for them.

import { Buffer } from 'node:buffer';
import { prepareQuery } from '../src/query.ts';
import type { Position } from '../src/run/position.ts';
import { decodePosition, encodePosition } from '../src/run/position.ts';
import { QueryRun } from '../src/run/query-run.ts';
import type { Value } from '../src/value/value.ts';

export interface Asked {
  readonly query: string;
  readonly parameters?: readonly { readonly name: string; readonly value: Value }[];
  readonly documents: readonly Value[];
  readonly itemsMax?: number;
}

const pagesMax = 1000;

export function allRows(asked: Asked): readonly Value[] {
  return allPages(asked).flat();
}

/** A continuation goes through its text from page to page. */
export function allPages({ query, parameters = [], documents, itemsMax = 1000 }: Asked): readonly (readonly Value[])[] {
  const names = parameters.map(({ name }) => name);
  const { program } = prepareQuery(query, names);
  const context = { nowMs: () => 1.7e12, startMs: 1.7e12, random: () => 0.5 };
  const pages: Value[][] = [];
  let from: Position | undefined;
  do {
    const values = parameters.map(({ value }) => value);
    const run = new QueryRun(program, { parameters: values, context, itemsMax, bytesMax: 4e6, from });
    const isEnded = program.query.documentSlot === undefined ? addNothing(run) : addAll(run, documents, from);
    const { rows, next } = run.page();
    pages.push(rows.map((text) => JSON.parse(text) as Value));
    from = next === undefined || (isEnded && !run.isBlocking) ? undefined : decodePosition(encodePosition(next));
    if (pages.length > pagesMax) throw new Error('the pages do not end');
  } while (from !== undefined);
  return pages;
}

function addNothing(run: QueryRun): boolean {
  run.addNothing();
  return true;
}

function addAll(run: QueryRun, documents: readonly Value[], from: Position | undefined): boolean {
  for (const [at, document] of documents.entries()) {
    const rid = at + 1;
    if (!run.isBlocking && from?.rid !== undefined && rid < from.rid) continue;
    const bytes = Buffer.from(JSON.stringify(document));
    if (!run.add(bytes, 0, bytes.length - 1, rid)) return false;
  }
  return true;
}
