import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeJsonKey, decodeJsonKeys, encodeJsonKey, encodeJsonKeys } from './json-key.ts';
import { compareJson } from './order.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.string({ maxLength: 4 }),
  // Any UTF-16 units: pairs, lone surrogates, and what sorts differently by unit and by code point.
  fc.string({
    unit: fc.constantFrom('a', '\0', '\ud800', '\udbff', '\udc00', '\udfff', '\ue000', '\uffff'),
    maxLength: 5,
  }),
);
const scalar = fc.oneof(
  text,
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom(true, false, null, undefined, 0, -0, Number.MIN_VALUE, Number.MAX_VALUE),
);
const { value: json } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 4, arbitrary: scalar },
    { weight: 1, arbitrary: fc.array(tie('value'), { maxLength: 4 }) },
    {
      weight: 1,
      arbitrary: fc.dictionary(fc.oneof(text, fc.constantFrom('a', 'b', '__proto__')), tie('value'), { maxKeys: 4 }),
    },
  ),
}));

describe('json keys', () => {
  test('sort byte by byte as the values compare [wire 12]', () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        expect(Math.sign(Buffer.compare(encodeJsonKey(a), encodeJsonKey(b)))).toBe(Math.sign(compareJson(a, b)));
      }),
      { numRuns: 3000 },
    );
  });

  test('of strings with whole and half surrogate pairs sort by code point and never collide [wire 12]', () => {
    const unit = fc.constantFrom('a', '\ud800', '\ud801', '\udc00', '\udc01', '\ue000');
    const surrogates = fc.string({ unit, maxLength: 3 });
    fc.assert(
      fc.property(surrogates, surrogates, (a, b) => {
        const order = Buffer.compare(encodeJsonKey(a), encodeJsonKey(b));

        expect(order).toBe(Math.sign(compareJson(a, b)));
        expect(order === 0).toBe(a === b);
      }),
      { numRuns: 3000 },
    );
  });

  test('one after the other sort like tuples [wire 12]', () => {
    const tuple = fc.array(scalar, { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(tuple, tuple, (a, b) => {
        expect(Math.sign(Buffer.compare(encodeJsonKeys(a), encodeJsonKeys(b)))).toBe(Math.sign(compareJson(a, b)));
      }),
      { numRuns: 2000 },
    );
  });

  test('decode to a value that is the same in the order, one or several', () => {
    fc.assert(
      fc.property(fc.array(json, { maxLength: 3 }), (values) => {
        const decoded = decodeJsonKeys(encodeJsonKeys(values));

        expect(compareJson(decoded, values)).toBe(0);
      }),
      { numRuns: 1000 },
    );
  });

  test('decode scalars exactly, with -0 as 0', () => {
    fc.assert(
      fc.property(scalar, (value) => {
        expect(decodeJsonKey(encodeJsonKey(value))).toBe(typeof value === 'number' ? value + 0 : value);
      }),
    );
  });

  test('never decode damaged bytes to anything but a value or the error "corrupt"', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 20 }), (bytes) => {
        try {
          decodeJsonKeys(bytes);
        } catch (error) {
          expect(error).toMatchObject({ name: 'DatabaseError', code: 'corrupt' });
        }
      }),
    );
  });
});
