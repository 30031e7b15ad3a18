import { expect, test } from 'vitest';
import { fieldsOf, instantAt, instantOf, textOf } from './instant.ts';

test('[query 3.4] a date may have a time, a fraction and a Z', () => {
  const read = (text: string): string => textOf(instantOf(text) ?? 0n);

  expect(read('2024-12-12')).toBe('2024-12-12T00:00:00.0000000Z');
  expect(read('2024-12-12Z')).toBe('2024-12-12T00:00:00.0000000Z');
  expect(read('2024-12-12 20:21:25')).toBe('2024-12-12T20:21:25.0000000Z');
  expect(read('2024-12-12T20:21:25Z')).toBe('2024-12-12T20:21:25.0000000Z');
  expect(read('2024-12-12T20:21:25.1')).toBe('2024-12-12T20:21:25.1000000Z');
  expect(read('2024-12-12T20:21:25.0123456Z')).toBe('2024-12-12T20:21:25.0123456Z');
});

test('[query 3.4] everything else is no date', () => {
  const texts = [
    '',
    '2024',
    '2024-12',
    '2024-12-12T',
    '2024-12-12T20Z',
    '2024-12-12T20:21',
    '2024-12-12 20:21:25.',
    '2024-12-12T20:21:25.12345678',
    '2024-12-12T20:21:25+01:00',
    '2024-12-12T20:21:25+00:00',
    '2024-12-12t20:21:25',
    '2024-12-12T20:21:25z',
    '2024-12-12  20:21:25',
    ' 2024-12-12',
    '2024-12-12\n',
    '20241212',
    '2024-1-1',
    '+12024-12-12',
    '٢٠٢٤-12-12',
    '2024-00-12',
    '2024-13-12',
    '2024-12-32',
    '2023-02-29',
    '2024-12-12T24:00:00',
    '2024-12-12T20:60:25',
    '2024-12-12T20:21:60',
    '0000-01-01',
  ];
  for (const text of texts) expect(instantOf(text), text).toBeUndefined();
  for (const value of [undefined, null, 0, true, [], {}, ['2024-12-12']]) expect(instantOf(value)).toBeUndefined();
});

test('[query 3.4] there is a 29th of February every four years, in full centuries every four centuries', () => {
  const years = ['1600', '1900', '2000', '2020', '2023', '2100', '2400'];

  const leap = years.filter((year) => instantOf(`${year}-02-29`) !== undefined);

  expect(leap).toEqual(['1600', '2000', '2020', '2400']);
});

test('[query 3.4] every tick from the year 1 to 9999 is exact and keeps its text', () => {
  const texts = [
    '0001-01-01T00:00:00.0000000Z',
    '0099-12-31T23:59:59.9999999Z',
    '1582-10-10T00:00:00.0000001Z',
    '1969-12-31T23:59:59.9999999Z',
    '1970-01-01T00:00:00.0000000Z',
    '2020-02-29T12:34:56.7890123Z',
    '9999-12-31T23:59:59.9999999Z',
  ];
  for (const text of texts) {
    const instant = instantOf(text) ?? 0n;

    expect(textOf(instant)).toBe(text);
  }
  expect(instantOf('9999-12-31T23:59:59.9999999Z')).toBe(2_534_023_007_999_999_999n);
  expect(instantOf('0001-01-01')).toBe(-621_355_968_000_000_000n);
});

test('a moment has the fields of its text, also before 1970', () => {
  const fields = fieldsOf(instantOf('1969-07-20T20:17:40.1234567Z') ?? 0n);

  expect(fields).toEqual({ year: 1969, month: 7, day: 20, hour: 20, minute: 17, second: 40, fraction: 1_234_567 });
});

test('a clock with fractions of milliseconds gives ticks', () => {
  expect(instantAt(1.25)).toBe(12_500n);
  expect(instantAt(-0.25)).toBe(-2_500n);
  expect(instantAt(1_600_000_000_000)).toBe(16_000_000_000_000_000n);
});

test('a text of any length is read in a moment', () => {
  expect(instantOf(`2024-12-12T20:21:25.${'1'.repeat(1_000_000)}`)).toBeUndefined();
});
