// A call of a built-in function: arguments are checked against its signature, then it is asked.

import type { KnownFunction } from '../functions/function-table.ts';
import { isOfType, typeAt } from '../functions/signature.ts';
import type { Value } from '../value/value.ts';
import { bounded } from '../value/value-size.ts';
import type { Evaluate } from './row.ts';

export function compileCall({ definition, signature }: KnownFunction, args: readonly Evaluate[]): Evaluate {
  const call = definition.perCall?.() ?? definition.call;
  const types = args.map((_, place) => typeAt(signature, place));
  return (row) => {
    const values: Value[] = [];
    for (let place = 0; place < args.length; place += 1) {
      const value = (args[place] as Evaluate)(row);
      if (!isOfType(value, types[place] as (typeof types)[number])) return undefined;
      values.push(value);
    }
    const result = call(values, row.context);
    return typeof result === 'object' && result !== null ? bounded(result) : result;
  };
}
