// A call of a built-in function: arguments are checked against its signature and counted, then it is asked.

import type { KnownFunction } from '../functions/function-table.ts';
import { isOfType, typeAt } from '../functions/signature.ts';
import { copyOf } from '../functions/string/codes.ts';
import type { Value } from '../value/value.ts';
import { isArray } from '../value/value.ts';
import { arrayBytes, bounded, objectBytes, textBytes } from '../value/value-size.ts';
import type { Evaluate } from './row.ts';

export function compileCall({ definition, signature }: KnownFunction, args: readonly Evaluate[]): Evaluate {
  const { call, steps: stepsOfCall = 3 } = definition;
  const types = args.map((_, place) => typeAt(signature, place));
  return (row) => {
    const { work } = row;
    const { made } = work;
    const values: Value[] = [];
    let steps = stepsOfCall;
    for (let place = 0; place < args.length; place += 1) {
      const value = (args[place] as Evaluate)(row);
      if (!isOfType(value, types[place] as (typeof types)[number])) return undefined;
      steps += stepsOf(value);
      values.push(value);
    }
    work.take(steps);
    const result = call(values, row.context);
    if (typeof result === 'string') {
      work.make(textBytes(result.length));
      work.take(result.length / 16);
      return ownText(result, values);
    }
    if (typeof result === 'object' && result !== null) {
      work.make(isArray(result) ? arrayBytes(result.length) : objectBytes(2));
      return bounded(result);
    }
    // Nothing is left of what the arguments were made from.
    work.forget(made);
    return result;
  };
}

/** What every call takes for an argument. Functions that take more, take the rest themselves. */
function stepsOf(value: Value): number {
  if (typeof value === 'string') return 1 + value.length / 8;
  return isArray(value) ? 1 + value.length : 1;
}

/**
 * A part of a string holds on to all of it, as JavaScript has it. A small part of a long one is copied: whoever keeps it, keeps
 * and counts no more.
 */
function ownText(result: string, values: readonly Value[]): string {
  let longest = 0;
  for (const value of values) if (typeof value === 'string' && value.length > longest) longest = value.length;
  return longest < longTextMin || result.length > longest / 2 ? result : copyOf(result);
}

const longTextMin = 1_024;
