import { expect, test } from 'vitest';
import { lsnOf, positionOf, readPosition, wordsOf } from './feed-position.ts';

test.each<[string, unknown]>([
  ['beginning', { kind: 'start', start: 'beginning' }],
  ['now', { kind: 'start', start: 'now' }],
  ['57', { kind: 'start', start: { etag: '"57"' } }],
  ['"57"', { kind: 'start', start: { etag: '"57"' } }],
  ['2026-01-31T12:00:00Z', { kind: 'start', start: { timeMs: Date.UTC(2026, 0, 31, 12) } }],
  ['2026-01-31 12:00:00Z', { kind: 'start', start: { timeMs: Date.UTC(2026, 0, 31, 12) } }],
  ['2026-01-31T12:00:00', { kind: 'start', start: { timeMs: Date.UTC(2026, 0, 31, 12) } }],
  ['2026-01-31', { kind: 'start', start: { timeMs: Date.UTC(2026, 0, 31) } }],
  ['2026-01-31T12:00:00+02:00', { kind: 'start', start: { timeMs: Date.UTC(2026, 0, 31, 10) } }],
  [
    'c1:7F=3,FF=9',
    {
      kind: 'parts',
      parts: [
        { max: '7F', lsn: 3 },
        { max: 'FF', lsn: 9 },
      ],
    },
  ],
])('--from %s', (text, position) => {
  expect(readPosition(text)).toEqual(position);
});

test.each([
  ['beginning', 'the beginning'],
  ['now', 'now on'],
  ['2026-01-31 12:00:00', '2026-01-31T12:00:00.000Z'],
  ['57', 'the position given'],
  ['c1:7F=3,FF=9', 'the position given'],
])('--from %s is said as from %s', (text, words) => {
  expect(wordsOf(readPosition(text))).toBe(words);
});

test('a time without a zone is the same everywhere', () => {
  const before = process.env.TZ;
  process.env.TZ = 'America/New_York';
  try {
    expect(readPosition('2026-01-31 12:00:00')).toEqual(readPosition('2026-01-31T12:00:00Z'));
  } finally {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  }
});

test.each(['', 'yesterday', 'c1:', 'c1:7F=3', '"57', '-1'])('--from %j is refused', (text) => {
  expect(() => readPosition(text)).toThrow('--from');
});

test('what a tail prints is what it can go on from', () => {
  const parts = [
    { keys: { min: '', max: '3F' }, start: { etag: '"5"' } },
    { keys: { min: '3F', max: '7F' }, start: { etag: '"5"' } },
    { keys: { min: '7F', max: 'FF' }, start: 'beginning' as const },
  ];

  const position = positionOf(parts);

  expect(position).toBe('c1:7F=5,FF=0');
  expect(readPosition(position ?? '')).toMatchObject({
    parts: [
      { max: '7F', lsn: 5 },
      { max: 'FF', lsn: 0 },
    ],
  });
});

test('without a position of every part there is none, and other endpoints may have etags of their own', () => {
  const keys = { min: '', max: 'FF' };
  expect(positionOf([{ keys, start: 'now' }])).toBeUndefined();
  expect(positionOf([{ keys, start: { etag: '"opaque"' } }])).toBeUndefined();
  expect(positionOf([{ keys: { min: '', max: '7F' }, start: { etag: '"1"' } }])).toBeUndefined();
  expect(lsnOf({ timeMs: 0 })).toBeUndefined();
});
