// Functions on 64-bit integers in two's complement (spec query 3.5). Values are doubles: the result is computed exactly, wraps
// as in C++, and is then the nearest double. The service's reference says IntBitAnd, its SDK IntBitwiseAnd; both are known.

import type { Value } from '../value/value.ts';
import type { QueryFunction } from './query-function.ts';

export const integerFunctions: readonly QueryFunction[] = [
  binary('IntAdd', [], 'The sum of two integers.', ['IntAdd(20, 10)', '30'], (a, b) => a + b),
  binary(
    'IntBitAnd',
    ['IntBitwiseAnd'],
    'The bits that both integers have.',
    ['IntBitAnd(12, 10)', '8'],
    (a, b) => a & b,
  ),
  binary(
    'IntBitLeftShift',
    ['IntBitwiseLeftShift'],
    'The integer with its bits moved to the left; the lowest six bits of the second integer say how far.',
    ['IntBitLeftShift(16, 4)', '256'],
    (a, b) => a << BigInt.asUintN(6, b),
  ),
  {
    name: 'IntBitNot',
    aliases: ['IntBitwiseNot'],
    takes: 'integer',
    meaning: 'The integer with each of its bits turned over.',
    example: ['IntBitNot(65)', '-66'],
    steps: 20,
    call: ([a]) => resultOf(a, 0, (bits) => ~bits),
  },
  binary(
    'IntBitOr',
    ['IntBitwiseOr'],
    'The bits that at least one of the integers has.',
    ['IntBitOr(56, 100)', '124'],
    (a, b) => a | b,
  ),
  binary(
    'IntBitRightShift',
    ['IntBitwiseRightShift'],
    'The integer with its bits moved to the right, its sign kept; the lowest six bits of the second integer say how far.',
    ['IntBitRightShift(16, 4)', '1'],
    (a, b) => a >> BigInt.asUintN(6, b),
  ),
  binary(
    'IntBitXor',
    ['IntBitwiseXor'],
    'The bits that exactly one of the integers has.',
    ['IntBitXor(56, 100)', '92'],
    (a, b) => a ^ b,
  ),
  binary(
    'IntDiv',
    [],
    'The quotient of two integers without its fraction; undefined when the divisor is 0.',
    ['IntDiv(7, -2)', '-3'],
    (a, b) => (b === 0n ? undefined : a / b),
  ),
  binary(
    'IntMod',
    [],
    'The remainder of a division, with the sign of the dividend; undefined when the divisor is 0.',
    ['IntMod(-12, 5)', '-2'],
    (a, b) => (b === 0n ? undefined : a % b),
  ),
  binary('IntMul', [], 'The product of two integers.', ['IntMul(-5, -2)', '10'], (a, b) => a * b),
  binary('IntSub', [], 'The difference of two integers.', ['IntSub(25, 50)', '-25'], (a, b) => a - b),
];

type Compute = (a: bigint, b: bigint) => bigint | undefined;

function binary(
  name: string,
  aliases: readonly string[],
  meaning: string,
  example: QueryFunction['example'],
  compute: Compute,
): QueryFunction {
  return {
    name,
    aliases,
    takes: 'integer, integer',
    meaning,
    example,
    steps: 20,
    call: ([a, b]) => resultOf(a, b, compute),
  };
}

function resultOf(a: Value, b: Value, compute: Compute): Value {
  const [left, right] = [int64Of(a), int64Of(b)];
  if (left === undefined || right === undefined) return undefined;
  const exact = compute(left, right);
  return exact === undefined ? undefined : Number(BigInt.asIntN(64, exact));
}

const int64Limit = 2 ** 63;

/**
 * Undefined for what no 64-bit integer is. The largest one is not a double: who writes 9223372036854775807 gets 2 to the power
 * of 63, which therefore stands for it.
 */
function int64Of(value: Value): bigint | undefined {
  if (typeof value !== 'number' || !Number.isInteger(value) || Math.abs(value) > int64Limit) return undefined;
  return value === int64Limit ? BigInt(value) - 1n : BigInt(value);
}
