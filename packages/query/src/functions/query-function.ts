// A built-in function: one entry of a table, with what it takes and what it means.

import type { Value } from '../value/value.ts';
import type { Work } from '../value/work.ts';
import type { Patterns } from './patterns.ts';

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
  /** What is left to compute and to make for a document; set by the run. */
  readonly work?: Work;
  /** Of RegexMatch; set by the run. */
  readonly expressions?: Patterns<Expression>;
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
  /**
   * What a call takes at least, where that is more than a few. Each call takes the more the longer its strings and arrays are (call.ts);
   * a function that takes still more, takes it from the work itself.
   */
  readonly steps?: number;
}

/** Of RegexMatch; undefined for a text that is none. */
interface Expression {
  readonly compiled: { programSize(): number; matcher(text: string): { find(): boolean } } | undefined;
}

type Call = (args: readonly Value[], context: FunctionContext) => Value;
