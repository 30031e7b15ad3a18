import { expect, test } from 'vitest';
import type { Value } from '../value/value.ts';
import { conditionalFunctions } from './conditional.ts';
import { isOfType, signatureOf, typeAt } from './signature.ts';

test('[query 3.3] IIF takes the second value for true and the third for all else', () => {
  expect(call('IIF', true, 1, 2)).toBe(1);
  for (const condition of [false, undefined, null, 1, 0, 'x', 'true', [true], {}]) {
    expect(call('IIF', condition, 1, 2)).toBe(2);
  }
});

test('[query 3.3] the value that is not taken does not matter, even when it is undefined', () => {
  expect(call('IIF', true, 1, undefined)).toBe(1);
  expect(call('IIF', false, undefined, 2)).toBe(2);
  expect(call('IIF', true, undefined, 2)).toBeUndefined();
});

const context = { nowMs: () => 1_600_000_000_000, startMs: 1_500_000_000_000, random: () => 0.25 };

function call(name: string, ...args: readonly Value[]): Value {
  const found = conditionalFunctions.find((entry) => entry.name === name || entry.aliases?.includes(name));
  if (found === undefined) throw new Error(`no function ${name}`);
  const signature = signatureOf(found.takes);
  if (args.length < signature.argsMin || args.length > signature.argsMax)
    throw new Error('a wrong number of arguments');
  const fits = args.every((arg, place) => isOfType(arg, typeAt(signature, place)));
  return fits ? found.call(args, context) : undefined;
}
