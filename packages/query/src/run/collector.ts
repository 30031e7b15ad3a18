// What becomes of the rows of a block: each way of putting them together is a collector.

import type { Row } from '../compile/row.ts';
import type { Value } from '../value/value.ts';
import type { SortedAfter } from './after.ts';

/** A row of the result. */
export interface ResultRow {
  /** Undefined for a group of which nothing is selected: it is no row, and has a place all the same. */
  readonly text: string | undefined;
  /** Only of blocks within: what the block around it sees. */
  readonly value: Value;
}

/** The place of a row in the order of its result; of JSON. */
export type After =
  | SortedAfter
  /** The so manieth row. */
  | { readonly rows: number };

/** Rows of a result, of which each is made when somebody asks for it: a page may end before the last one. */
export interface Results {
  readonly length: number;
  row(at: number): ResultRow;
}

export interface Collector {
  /** A row that has passed the filter; `place` is its place among those of its document. False: no more are wanted. */
  add(row: Row, place: number): boolean;
  /** When all rows have been added. */
  results(): Results;
  /** Whether there are more behind the results. */
  readonly isCut: boolean;
  /** How to go on behind so many results. */
  after(count: number): After;
}

export function resultsOf(rows: readonly ResultRow[]): Results {
  // Nobody asks beyond the length.
  return { length: rows.length, row: (at) => rows[at] as ResultRow };
}
