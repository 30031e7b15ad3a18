import { expect, test } from 'vitest';
import { formatted } from './format.ts';
import { fieldsOf, instantOf } from './instant.ts';

test('[query 3.4] the examples of the reference come out', () => {
  const format = (pattern: string): string | undefined => print('2024-10-10 14:40:20', pattern);

  expect(format('yyyyMMdd')).toBe('20241010');
  expect(format('yyyy-MM-dd [HH:mm:ss]')).toBe('2024-10-10 [14:40:20]');
  expect(format('To\\da\\y i\\s: yyyy-MM-ddTHH:mm:ss.fff')).toBe('Today is: 2024-10-10T14:40:20.000');
  expect(format('To\\da\\y i\\s: yyyy-MM-ddTHH:mm:ss.FFF')).toBe('Today is: 2024-10-10T14:40:20.');
});

test('[query 3.4] parts are padded with zeros', () => {
  expect(print('0987-01-02T03:04:05.006', 'yyyy MM dd HH mm ss fffffff')).toBe('0987 01 02 03 04 05 0060000');
});

test('[query 3.4] f gives so many digits of the fraction, and F drops the zeros at their end', () => {
  const fractions = (letter: string): (string | undefined)[] =>
    [1, 2, 3, 4, 5, 6, 7].map((length) => print('2024-10-10T00:00:00.1020300', letter.repeat(length)));

  expect(fractions('f')).toEqual(['1', '10', '102', '1020', '10203', '102030', '1020300']);
  expect(fractions('F')).toEqual(['1', '1', '102', '102', '10203', '10203', '10203']);
});

test('[query 3.4] a backslash takes the next character as it is, and needs one', () => {
  expect(print('2024-10-10', '\\yyyyy')).toBe('y2024');
  expect(print('2024-10-10', '\\\\')).toBe('\\');
  expect(print('2024-10-10', '\\n')).toBe('n');
  expect(print('2024-10-10', 'yyyy\\')).toBeUndefined();
});

test('[query 3.4] other characters stand for themselves', () => {
  expect(print('2024-10-10', '')).toBe('');
  expect(print('2024-10-10', "'AB' é 😀 %/")).toBe("'AB' é 😀 %/");
});

test('[query 3.4] known letters in another number make no text', () => {
  for (const pattern of ['d', 'ddd', 'yy', 'yyyyy', 'M', 'MMMM', 'H', 'm', 's', 'ffffffff', 'FFFFFFFF', 'yyyy-M-d']) {
    expect(print('2024-10-10', pattern), pattern).toBeUndefined();
  }
});

test('a long pattern is printed in a moment', () => {
  expect(print('2024-10-10', 'y'.repeat(1_000_000))).toBeUndefined();
  expect(print('2024-10-10', 'yyyy-'.repeat(100_000))?.length).toBe(500_000);
});

function print(date: string, pattern: string): string | undefined {
  return formatted(fieldsOf(instantOf(date) ?? 0n), pattern);
}
