// What an expression can see, as the plain evaluator has it.

import type { Expression } from '../../src/syntax/tree.ts';
import type { Value } from '../../src/value/value.ts';

export interface Environment {
  /** The aliases, those of blocks around included. */
  readonly names: ReadonlyMap<string, Value>;
  readonly parameters: ReadonlyMap<string, Value>;
  /** Where rows have become a group. */
  readonly group?: Group | undefined;
}

export interface Group {
  readonly keys: readonly { readonly text: string; readonly value: Value }[];
  readonly rows: readonly Environment[];
}

export function withName(environment: Environment, name: string | undefined, value: Value): Environment {
  if (name === undefined) return environment;
  return { ...environment, names: new Map(environment.names).set(name, value) };
}

/** What an expression says, wherever it stands. */
export function textOf(expression: Expression): string {
  return JSON.stringify(expression, (name, value: unknown) => {
    if (name === 'start' || name === 'end') return undefined;
    if (value === undefined) return 'undefined';
    return typeof value === 'number' && !Number.isFinite(value) ? `number ${value}` : value;
  });
}
