// What becomes of the rows of a block: each way of putting them together is a collector.

import type { Row } from '../compile/row.ts';
import type { Value } from '../value/value.ts';

/** A row of the result, and how to go on behind it. */
export interface ResultRow {
  readonly text: string;
  /** Only of blocks within: what the block around it sees. */
  readonly value: Value;
  readonly after: After;
}

/** The place of a row in the order of its result; of JSON. */
export type After =
  /** By its sort keys, then by document, then by its place among the rows of that document. */
  | { readonly keys: readonly Value[]; readonly rid: number; readonly row: number }
  /** The so manieth row. */
  | { readonly rows: number };

export interface Collector {
  /** A row that has passed the filter; `row` is its place among those of its document. False: no more are wanted. */
  add(row: Row, place: number): boolean;
  /** When all rows have been added. */
  results(): readonly ResultRow[];
}
