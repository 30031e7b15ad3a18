import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareCodePoints, compareJson } from './order.ts';

const scalar = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 3 }),
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom(true, false, null, undefined, -0, 'a', '\ud800', '\uffff', '\ud83d\ude00'),
);
const json = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), fc.dictionary(fc.constantFrom('a', 'b'), scalar));

describe('the order of values', () => {
  test('is total: antisymmetric and transitive [wire 12]', () => {
    fc.assert(
      fc.property(json, json, json, (a, b, c) => {
        expect(Math.sign(compareJson(a, b))).toBe(-Math.sign(compareJson(b, a)) + 0);
        fc.pre(compareJson(a, b) <= 0 && compareJson(b, c) <= 0);
        expect(compareJson(a, c)).toBeLessThanOrEqual(0);
      }),
      { numRuns: 1000 },
    );
  });

  test('of well-formed strings is that of their UTF-8 bytes [wire 12]', () => {
    const wellFormed = fc.string({ unit: 'binary', maxLength: 6 });
    fc.assert(
      fc.property(wellFormed, wellFormed, (a, b) => {
        expect(Math.sign(compareCodePoints(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
    );
  });

  test('is the same of strings that begin alike for long [wire 12]', () => {
    const end = fc.string({ unit: 'binary', maxLength: 3 });
    const start = fc.tuple(
      fc.constantFrom('a', '\ud83d\ude00', 'a\ud83d\ude00'),
      fc.integer({ min: 84, max: 600 }),
      end,
    );
    fc.assert(
      fc.property(start, end, end, fc.boolean(), ([unit, count, more], a, b, isLong) => {
        const [one, other] = [a, b].map((each) => unit.repeat(count) + more + each + (isLong ? unit.repeat(300) : ''));
        const expected = Buffer.compare(Buffer.from(one as string), Buffer.from(other as string));
        expect(Math.sign(compareCodePoints(one as string, other as string))).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });
});
