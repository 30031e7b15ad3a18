// Functions on numbers (spec query 3.5); those on 64-bit integers are in integer.ts. Outside of its domain a function is NaN,
// as in IEEE 754, and not undefined: whoever writes the result into JSON decides what becomes of it.

import type { QueryFunction } from './query-function.ts';

export const mathematicalFunctions: readonly QueryFunction[] = [
  unary('ABS', 'The number without its sign.', ['ABS(-2.5)', '2.5'], Math.abs),
  unary('ACOS', 'The angle, in radians, with this cosine.', ['ACOS(1)', '0'], Math.acos),
  unary('ASIN', 'The angle, in radians, with this sine.', ['ASIN(0)', '0'], Math.asin),
  unary('ATAN', 'The angle, in radians, with this tangent.', ['ATAN(0)', '0'], Math.atan),
  binary(
    'ATN2',
    'The angle, in radians, from the x axis to the point (x, y); y comes first.',
    ['ATN2(0, -1)', '3.141592653589793'],
    Math.atan2,
  ),
  unary('CEILING', 'The smallest integer that is not below the number.', ['CEILING(-45.72)', '-45'], Math.ceil),
  unary('COS', 'The cosine of an angle in radians.', ['COS(0)', '1'], Math.cos),
  unary('COT', 'The cotangent of an angle in radians.', ['ROUND(COT(PI() / 4), 9)', '1'], (x) => 1 / Math.tan(x)),
  unary('DEGREES', 'An angle in degrees instead of radians.', ['DEGREES(PI())', '180'], (x) => (x * 180) / Math.PI),
  unary('EXP', 'The number e to this power.', ['EXP(0)', '1'], Math.exp),
  unary('FLOOR', 'The largest integer that is not above the number.', ['FLOOR(-45.72)', '-46'], Math.floor),
  {
    name: 'LOG',
    takes: 'number, number?',
    meaning: 'The natural logarithm, or that to a base.',
    example: ['LOG(8, 2)', '3'],
    call: ([x, base]) => {
      if (typeof x !== 'number') return undefined;
      return typeof base === 'number' ? logarithm(x, base) : Math.log(x);
    },
  },
  unary('LOG10', 'The logarithm to the base 10.', ['LOG10(100)', '2'], Math.log10),
  {
    name: 'NumberBin',
    takes: 'number, number?',
    meaning: 'The number rounded down to a multiple of a size, which is 1 when left out; undefined for the size 0.',
    example: ['NumberBin(37.752, 10)', '30'],
    call: ([x, size = 1]) => {
      if (typeof x !== 'number' || typeof size !== 'number' || size === 0) return undefined;
      return Math.floor(x / size) * size;
    },
  },
  {
    name: 'PI',
    takes: '',
    meaning: 'The number π.',
    example: ['PI()', '3.141592653589793'],
    call: () => Math.PI,
  },
  binary('POWER', 'The first number to the power of the second.', ['POWER(2, 10)', '1024'], Math.pow),
  unary(
    'RADIANS',
    'An angle in radians instead of degrees.',
    ['RADIANS(180)', '3.141592653589793'],
    (x) => (x * Math.PI) / 180,
  ),
  {
    name: 'RAND',
    takes: '',
    meaning: 'A random number from 0 up to, but not, 1; each call gives another one.',
    example: ['(RAND() >= 0 AND RAND() < 1)', 'true'],
    call: (_args, { random }) => random(),
  },
  {
    name: 'ROUND',
    takes: 'number, integer?',
    meaning:
      'The nearest integer, of two the one away from zero. With a second number so many digits stay behind the decimal ' +
      'point; a negative one rounds to tens, hundreds and so on.',
    example: ['ROUND(-6.5)', '-7'],
    steps: 50,
    call: ([x, digits]) => {
      if (typeof x !== 'number') return undefined;
      return typeof digits === 'number' ? roundedAt(x, digits) : rounded(x);
    },
  },
  unary('SIGN', 'One of -1, 0 and 1, as the number is negative, zero or positive.', ['SIGN(-7)', '-1'], Math.sign),
  unary('SIN', 'The sine of an angle in radians.', ['SIN(0)', '0'], Math.sin),
  unary('SQRT', 'The square root.', ['SQRT(9)', '3'], Math.sqrt),
  unary('SQUARE', 'The number times itself.', ['SQUARE(-3)', '9'], (x) => x * x),
  unary('TAN', 'The tangent of an angle in radians.', ['TAN(0)', '0'], Math.tan),
  unary('TRUNC', 'The number without what follows its decimal point.', ['TRUNC(-2.78)', '-2'], Math.trunc),
];

function unary(
  name: string,
  meaning: string,
  example: QueryFunction['example'],
  compute: (x: number) => number,
): QueryFunction {
  return {
    name,
    takes: 'number',
    meaning,
    example,
    call: ([x]) => (typeof x === 'number' ? compute(x) : undefined),
  };
}

function binary(
  name: string,
  meaning: string,
  example: QueryFunction['example'],
  compute: (x: number, y: number) => number,
): QueryFunction {
  return {
    name,
    takes: 'number, number',
    meaning,
    example,
    call: ([x, y]) => (typeof x === 'number' && typeof y === 'number' ? compute(x, y) : undefined),
  };
}

/** A quotient of logarithms misses exact powers: of 1000 to the base 10 it is 2.9999999999999996. */
function logarithm(x: number, base: number): number {
  if (base === 2) return Math.log2(x);
  return base === 10 ? Math.log10(x) : Math.log(x) / Math.log(base);
}

/** Of two nearest integers Math.round takes the greater one, so it is given no negative number. */
function rounded(x: number): number {
  return x < 0 ? -Math.round(-x) : Math.round(x);
}

/**
 * Rounds the decimal digits in which the number is written, as its reader would by hand. To multiply by a power of ten, round
 * and divide makes 1 of 1.005 at two digits, since 1.005 * 100 is 100.49999999999999, and infinity of large numbers.
 */
function roundedAt(x: number, digits: number): number {
  if (!Number.isFinite(x)) return x;
  // Without an argument these are as many digits as tell the number from all others: never more than 17.
  const [mantissa = '', exponent] = Math.abs(x).toExponential().split('e');
  const written = mantissa.replace('.', '');
  const kept = Number(exponent) + 1 + digits;
  if (kept >= written.length) return x;
  if (kept < 0) return 0;
  const head = Number(written.slice(0, kept));
  const next = Number(written[kept]) >= 5 ? head + 1 : head;
  return Math.sign(x) * Number(`${next}e${-digits}`);
}
