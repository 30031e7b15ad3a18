import { expect, test } from 'vitest';
import { httpDate, parseHttpDate } from './http-date.ts';

const nowMs = Date.UTC(2026, 10, 18);
const parsed = (text: string): string | undefined => parseHttpDate(text, nowMs)?.toISOString();

test.each([
  ['IMF-fixdate', 'Sun, 06 Nov 1994 08:49:37 GMT', '1994-11-06T08:49:37.000Z'],
  ['as Go writes it', 'Sun, 06 Nov 1994 08:49:37 UTC', '1994-11-06T08:49:37.000Z'],
  ['a day of one digit', 'Sun, 6 Nov 1994 08:49:37 GMT', '1994-11-06T08:49:37.000Z'],
  ['RFC 850', 'Sunday, 06-Nov-94 08:49:37 GMT', '1994-11-06T08:49:37.000Z'],
  ['RFC 850 of this century', 'Wednesday, 18-Nov-26 08:49:37 GMT', '2026-11-18T08:49:37.000Z'],
  ['RFC 850, fifty years ahead', 'Wednesday, 18-Nov-76 08:49:37 GMT', '2076-11-18T08:49:37.000Z'],
  ['RFC 850, more than fifty years ahead', 'Friday, 18-Nov-77 08:49:37 GMT', '1977-11-18T08:49:37.000Z'],
  ['asctime', 'Sun Nov  6 08:49:37 1994', '1994-11-06T08:49:37.000Z'],
  ['asctime with a day of two digits', 'Wed Nov 16 08:49:37 1994', '1994-11-16T08:49:37.000Z'],
  ['any case', 'sUN, 06 nOV 1994 08:49:37 gmt', '1994-11-06T08:49:37.000Z'],
  ['a leap day', 'Thu, 29 Feb 2024 00:00:00 GMT', '2024-02-29T00:00:00.000Z'],
  ['a leap second', 'Sat, 31 Dec 2016 23:59:60 GMT', '2017-01-01T00:00:00.000Z'],
])('a time is read in every form of HTTP: %s [wire 11.2]', (_, text, expected) => {
  expect(parsed(text)).toBe(expected);
});

test.each([
  '',
  '5',
  '1994',
  'Sun',
  'Sun, 06 Nov 1994',
  'Sun, 06 Nov 1994 08:49:37',
  'Sun, 06 Nov 1994 08:49:37 PST',
  'Sun, 06 Nov 1994 08:49:37 +0100',
  'Sun, 06 Nov 1994 24:49:37 GMT',
  'Sun, 06 Nov 1994 08:60:37 GMT',
  'Sun, 06 Nov 1994 08:49:61 GMT',
  'Sun, 31 Feb 1994 08:49:37 GMT',
  'Thu, 29 Feb 2023 00:00:00 GMT',
  'Sun, 00 Nov 1994 08:49:37 GMT',
  'Sun, 06 Nov 94 08:49:37 GMT',
  'Sun, 06 Foo 1994 08:49:37 GMT',
  'Sunday, 06-Nov-1994 08:49:37 GMT',
  'Sun Nov  6 08:49:37 1994 GMT',
  ' Sun, 06 Nov 1994 08:49:37 GMT',
  '1994-11-06T08:49:37Z',
])('whatever else is no time of HTTP: %j [wire 11.2]', (text) => {
  expect(parsed(text)).toBeUndefined();
});

test('what is written is read again', () => {
  for (let timeMs = Date.UTC(1970, 0, 1); timeMs < Date.UTC(2100, 0, 1); timeMs += 86_400_000 * 97 + 3_661_000) {
    expect(parseHttpDate(httpDate(timeMs), nowMs)?.getTime()).toBe(timeMs);
  }
});
