import { describe, expect, test } from 'vitest';
import {
  compareSessionTokens,
  formatSessionToken,
  formatSessionTokens,
  mergeSessionTokens,
  parseSessionTokens,
  readsVectorTokens,
  sessionTokenFor,
} from './session-token.ts';

const parseOne = (text: string) => parseSessionTokens(text)[0] as ReturnType<typeof parseSessionTokens>[number];

describe('session tokens', () => {
  test.each([
    ['0:57', { kind: 'simple', rangeId: '0', lsn: 57 }],
    ['0:-1#57', { kind: 'vector', rangeId: '0', version: -1, lsn: 57, regions: [] }],
    [
      '12:1#57#1=56#2=55',
      {
        kind: 'vector',
        rangeId: '12',
        version: 1,
        lsn: 57,
        regions: [
          { region: 1, lsn: 56 },
          { region: 2, lsn: 55 },
        ],
      },
    ],
  ])('%s is read and written back [wire 13]', (text, expected) => {
    expect(parseOne(text)).toEqual(expected);
    expect(formatSessionToken(parseOne(text))).toBe(text);
  });

  test('of several ranges come separated by commas [wire 13]', () => {
    const tokens = parseSessionTokens('0:-1#5, 3:-1#7,0:-1#6');

    expect(formatSessionTokens(tokens)).toBe('0:-1#6,3:-1#7');
  });

  test.each([
    '',
    '0',
    ':5',
    '0:',
    '0:x',
    '0:1.5',
    '0:-2',
    '0:1#',
    '0:1#2#',
    '0:1#2#3',
    '0:1#2#=3',
    '0:07',
    '0:1e3',
    '0:5,',
    '0:99999999999999999',
  ])('%j is refused [wire 13]', (text) => {
    expect(() => parseSessionTokens(text)).toThrow(expect.objectContaining({ code: 'bad-request' }));
  });

  test('are vectors for clients since 2018-06-18, and simple before [wire 13] [wire 17]', () => {
    expect(['2017-11-15', '2018-06-17'].map(readsVectorTokens)).toEqual([false, false]);
    expect(['2018-06-18', '2018-12-31', '2020-07-15', undefined].map(readsVectorTokens)).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(sessionTokenFor('0', 57, '2020-07-15')).toBe('0:-1#57');
    expect(sessionTokenFor('0', 57, '2017-11-15')).toBe('0:57');
  });

  test.each([
    ['0:5', '0:7', '0:7'],
    ['0:5', '0:-1#3', '0:-1#5'],
    ['0:-1#3', '0:-1#5', '0:-1#5'],
    ['0:1#9#1=9', '0:2#5#1=5', '0:2#9#1=5'],
    ['0:1#5#1=5#2=3', '0:1#6#1=4#2=6', '0:1#6#1=5#2=6'],
  ])('%s and %s merge to %s [wire 13]', (a, b, expected) => {
    expect(formatSessionToken(mergeSessionTokens(parseOne(a), parseOne(b)))).toBe(expected);
    expect(formatSessionToken(mergeSessionTokens(parseOne(b), parseOne(a)))).toBe(expected);
  });

  test('compare by LSN', () => {
    expect(compareSessionTokens(parseOne('0:5'), parseOne('0:-1#6'))).toBeLessThan(0);
  });
});
