import fc from 'fast-check';
import { expect, test } from 'vitest';
import { utf8BytesPerUnitMax, utf8Length, writeUtf8 } from './utf8.ts';

const units = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0xd800, max: 0xdfff })), { maxLength: 12 })
  .map((codes) => String.fromCharCode(...codes));

test('with replacement the bytes are those of TextEncoder, for any UTF-16 units [wire 9]', () => {
  fc.assert(
    fc.property(units, (text) => {
      const target = new Uint8Array(text.length * utf8BytesPerUnitMax);

      const end = writeUtf8(text, target, 0, 'replace');

      expect(target.subarray(0, end)).toEqual(new TextEncoder().encode(text));
      expect(utf8Length(text)).toBe(end);
    }),
    { numRuns: 1000 },
  );
});

test('when lone surrogates are kept, the length is the same and no two texts collide', () => {
  fc.assert(
    fc.property(units, units, (a, b) => {
      const [x, y] = [a, b].map((text) => {
        const target = new Uint8Array(text.length * utf8BytesPerUnitMax);
        const end = writeUtf8(text, target, 0, 'keep');
        expect(end).toBe(utf8Length(text));
        return Buffer.from(target.subarray(0, end)).toString('hex');
      });

      expect(x === y).toBe(a === b);
    }),
    { numRuns: 1000 },
  );
});
