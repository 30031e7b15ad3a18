import fc from 'fast-check';
import { expect, test } from 'vitest';
import { byteKind, byteKindsOf } from './byte-kinds.ts';

/** Documents are mostly of plain characters: each kind must be seen where it stands alone, too. */
const aByte = fc.oneof(
  { weight: 60, arbitrary: fc.integer({ min: 0x20, max: 0x7f }) },
  { weight: 1, arbitrary: fc.constantFrom(0x00, 0x1f, 0x5c, 0x80, 0xff) },
);

test('tells which kinds of bytes there are, wherever they stand [engine 4]', () => {
  fc.assert(
    fc.property(fc.array(aByte, { minLength: 16, maxLength: 200, size: 'max' }), (values) => {
      const bytes = Buffer.from(values);

      const kinds = byteKindsOf(bytes);

      expect(kinds).toBe(
        (bytes.some((byte) => byte > 0x7f) ? byteKind.notAscii : 0) |
          (bytes.some((byte) => byte < 0x20) ? byteKind.control : 0) |
          (bytes.includes(0x5c) ? byteKind.backslash : 0),
      );
    }),
    { numRuns: 5_000 },
  );
});

test.each([8 * 1024 - 1, 8 * 1024])('sees the last of %i bytes [engine 4]', (length) => {
  const bytes = Buffer.alloc(length, 'a');
  bytes[length - 1] = 0x0a;

  expect(byteKindsOf(bytes)).toBe(byteKind.control);
});

test('does not look behind the bytes, nor at those of somebody before [engine 4]', () => {
  byteKindsOf(Buffer.alloc(64, 0x5c));

  expect(byteKindsOf(Buffer.alloc(17, 'a'))).toBe(0);
});

test.each([0, 15, 8 * 1024 + 1])('leaves %i bytes to others [engine 4]', (length) => {
  expect(byteKindsOf(Buffer.alloc(length, 'a'))).toBeUndefined();
});
