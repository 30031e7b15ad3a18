import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SessionToken } from './session-token.ts';
import { formatSessionToken, mergeSessionTokens, parseSessionTokens } from './session-token.ts';

const lsn = fc.oneof(fc.integer({ min: -1, max: 20 }), fc.maxSafeNat());
const regions = fc.tuple(lsn, lsn).map(([a, b]) => [
  { region: 1, lsn: a },
  { region: 2, lsn: b },
]);
const token: fc.Arbitrary<SessionToken> = fc.oneof(
  fc.record({ kind: fc.constant('simple' as const), rangeId: fc.constant('0'), lsn }),
  fc.record({
    kind: fc.constant('vector' as const),
    rangeId: fc.constant('0'),
    version: fc.integer({ min: -1, max: 3 }),
    lsn,
    regions,
  }),
);

describe('session tokens', () => {
  test('survive their text [wire 13]', () => {
    fc.assert(
      fc.property(token, (value) => {
        expect(parseSessionTokens(formatSessionToken(value))).toEqual([value]);
      }),
    );
  });

  test('merge in any order and any grouping to the same state [wire 13]', () => {
    fc.assert(
      fc.property(token, token, token, (a, b, c) => {
        expect(mergeSessionTokens(a, b)).toEqual(mergeSessionTokens(b, a));
        expect(mergeSessionTokens(mergeSessionTokens(a, b), c)).toEqual(
          mergeSessionTokens(a, mergeSessionTokens(b, c)),
        );
        expect(mergeSessionTokens(a, a)).toEqual(a);
      }),
      { numRuns: 500 },
    );
  });
});
