// A built-in function: one entry of a table, with what it takes and what it means.

import type { Value } from '../value/value.ts';
import type { Work } from '../value/work.ts';

/** What a function may know of the world. */
export interface FunctionContext {
  /** The time of this moment. */
  readonly nowMs: () => number;
  /** The time at which the query began. */
  readonly startMs: number;
  /** From 0 up to, but not, 1. */
  readonly random: () => number;
  /** Of the container: how coordinates are meant. Geography where it is not given. */
  readonly geospatialType?: 'Geography' | 'Geometry';
  /** What is left to compute for a document; set by the run. */
  readonly work?: Work;
}

export interface QueryFunction {
  /** In the spelling of the reference; calls may use any case. */
  readonly name: string;
  /** Other names of the same. */
  readonly aliases?: readonly string[];
  /** In the words of signature.ts. */
  readonly takes: string;
  /** For the reference. */
  readonly meaning: string;
  /** An expression that the tests evaluate, and its value as JSON; without a value it is undefined. */
  readonly example: readonly [expression: string, value?: string];
  /** Gets arguments of the types that it takes. */
  readonly call: Call;
  /** Where it pays to remember something from one call to the next: made once for each place in a query. */
  readonly perCall?: () => Call;
}

export type Call = (args: readonly Value[], context: FunctionContext) => Value;
