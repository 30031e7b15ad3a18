// A call of one function with values, as a query would make it: arguments are checked against what it takes.

import { findFunction } from '../src/functions/function-table.ts';
import type { FunctionContext } from '../src/functions/query-function.ts';
import { isOfType, typeAt } from '../src/functions/signature.ts';
import type { Value } from '../src/value/value.ts';

export const testContext: FunctionContext = {
  nowMs: () => 1_600_000_000_000,
  startMs: 1_500_000_000_000,
  random: () => 0.25,
};

export function call(name: string, ...args: readonly Value[]): Value {
  const found = findFunction(name);
  if (found === undefined) throw new Error(`no function ${name}`);
  const { definition, signature } = found;
  if (args.length < signature.argsMin || args.length > signature.argsMax)
    throw new Error('a wrong number of arguments');
  const fits = args.every((arg, place) => isOfType(arg, typeAt(signature, place)));
  return fits ? definition.call(args, testContext) : undefined;
}
