import fc from 'fast-check';
import { expect, test } from 'vitest';
import { firstPlace, lastPlace, splitAt } from './search.ts';

const letters = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 0, maxLength: 200 });
const long = fc
  .tuple(fc.constantFrom(...'ab'), fc.integer({ min: 33, max: 60 }))
  .map(([letter, count]) => letter.repeat(count));
const parts = fc.oneof(
  letters,
  long,
  fc.tuple(long, letters).map(([a, b]) => a + b),
);

test('a search finds what that of the language finds', () => {
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 6 }), parts, fc.integer({ min: 0, max: 300 }), (texts, part, place) => {
      const text = texts.join(part.slice(1));

      expect(firstPlace(text, part, undefined, place)).toBe(text.indexOf(part, place));
      expect(lastPlace(text, part, undefined, place)).toBe(text.lastIndexOf(part, place));
      expect(lastPlace(text, part, undefined)).toBe(text.lastIndexOf(part));
      if (part !== '') expect(splitAt(text, part, undefined)).toEqual(text.split(part));
    }),
  );
});

// The search of the language takes a minute for these.
test('a long part that nearly fits everywhere is searched in a moment', { timeout: 5_000 }, () => {
  const text = 'a'.repeat(1_000_000);
  const part = `${'a'.repeat(200_000)}b${'a'.repeat(200_000)}`;

  expect(firstPlace(text, part, undefined)).toBe(-1);
  expect(lastPlace(text, part, undefined)).toBe(-1);
  expect(splitAt(text, part, undefined)).toEqual([text]);
});
