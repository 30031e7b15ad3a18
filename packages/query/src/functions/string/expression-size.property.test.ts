import fc from 'fast-check';
import { RE2JS } from 're2js';
import { expect, test } from 'vitest';
import { expressionSize } from './expression-size.ts';

const piece = fc.constantFrom(
  'a',
  '(',
  ')',
  '|',
  '*',
  '+',
  '?',
  '{3}',
  '{2,5}',
  '{40}',
  '{2,}',
  '[a-z]',
  '[^]a]',
  '[[:alpha:]]',
  '\\d',
  '\\pL',
  '\\x{10}',
  '\\(',
  '.',
  '^',
  '$',
  'é',
);

test('an expression is never compiled to much more than was thought', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const pattern = pieces.join('');
      let compiled: RE2JS | undefined;
      try {
        compiled = RE2JS.compile(pattern);
      } catch {
        return;
      }

      expect(compiled.programSize(), pattern).toBeLessThanOrEqual(2 * expressionSize(pattern).instructions);
    }),
    { numRuns: 2000 },
  );
});

test('repetitions count for all that they repeat', () => {
  expect(expressionSize('a{1000}').instructions).toBeGreaterThanOrEqual(1000);
  expect(expressionSize('((a{10}){10}b){10}').instructions).toBeGreaterThanOrEqual(1000);
  expect(expressionSize('[\\pL\\PN]\\p{Greek}').classes).toBe(3);
  expect(expressionSize('['.repeat(30_000)).instructions).toBeLessThan(100);
});
