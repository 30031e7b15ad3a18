import { describe, expect, test } from 'vitest';
import type { FeedEtag } from './feed-etag.ts';
import {
  formatFeedEtag,
  joinFeedParts,
  narrowFeedParts,
  parseFeedEtag,
  setFeedParts,
  uniformFeedParts,
} from './feed-etag.ts';

const composite: FeedEtag = { kind: 'composite', parts: [{ max: '1FFF', lsn: 57 }, { max: 'FF', lsn: 12 }] }; // biome-ignore format: one line.

describe('feed etags', () => {
  test.each([
    ['"57"', { kind: 'lsn', lsn: 57 }],
    ['57', { kind: 'lsn', lsn: 57 }],
    ['"0"', { kind: 'lsn', lsn: 0 }],
    ['*', { kind: 'now' }],
    ['"c1:1FFF=57,FF=12"', composite],
    ['c1:1FFF=57,FF=12', composite],
  ])('%s is read, with or without quotes [wire 11.2] [wire 11.5]', (text, expected) => {
    expect(parseFeedEtag(text)).toEqual(expected);
  });

  test('are written in quotes [wire 11.5]', () => {
    expect(formatFeedEtag({ kind: 'lsn', lsn: 57 })).toBe('"57"');
    expect(formatFeedEtag(composite)).toBe('"c1:1FFF=57,FF=12"');
  });

  test.each([
    '',
    '"',
    '""',
    '"57',
    '-1',
    '1.5',
    '057',
    '1e3',
    ' 5',
    '99999999999999999',
    '"*"',
    'W/"5"',
    'c1:',
    'c1:FF',
    'c1:FF=',
    'c1:=5',
    'c1:ff=5',
    'c1:10=5',
    'c1:20=1,10=2,FF=3',
    'c1:10=1,10=2,FF=3',
    'c1:FF=1,FF=2',
    'c1:FF=1,',
    'c2:FF=1',
  ])('%j is refused [wire 11.2]', (text) => {
    expect(() => parseFeedEtag(text)).toThrow(expect.objectContaining({ code: 'invalid-continuation' }));
  });

  test('of a whole container say how far each interval of keys was read', () => {
    expect(narrowFeedParts(composite.parts, { min: '10', max: '20' })).toEqual([
      { min: '10', max: '1FFF', lsn: 57 },
      { min: '1FFF', max: '20', lsn: 12 },
    ]);
    expect(narrowFeedParts(composite.parts, { min: '', max: '1FFF' })).toEqual([{ min: '', max: '1FFF', lsn: 57 }]);
  });

  test('of a whole container change for one interval, and neighbours with one position become one', () => {
    const start = uniformFeedParts(3);

    const split = setFeedParts(start, { min: '10', max: '20' }, 9);
    const joined = setFeedParts(split, { min: '10', max: '20' }, 3);

    expect(split).toEqual([
      { max: '10', lsn: 3 },
      { max: '20', lsn: 9 },
      { max: 'FF', lsn: 3 },
    ]);
    expect(joined).toEqual(start);
    expect(setFeedParts(start, { min: '20', max: '20' }, 9)).toBe(start);
  });

  test('[wire 11.3] to know one range of ten thousand, a few parts are looked at', () => {
    const ends = Array.from({ length: 9_999 }, (_, n) => (n + 1).toString(16).toUpperCase().padStart(4, '0'));
    const all = joinFeedParts([...ends, 'FF'].map((max, n) => ({ max, lsn: n })));
    let looks = 0;
    const parts = new Proxy(all, {
      get: (target, name, receiver) => {
        looks += 1;
        return Reflect.get(target, name, receiver);
      },
    });

    const slices = narrowFeedParts(parts, { min: ends[5_000] as string, max: ends[5_001] as string });

    expect(slices).toEqual([{ min: ends[5_000], max: ends[5_001], lsn: 5_001 }]);
    expect(looks).toBeLessThan(50);
  });
});
