import { expect, test } from 'vitest';
import { cutTo, padTo, widthOf } from './text-width.ts';

test('letters of two cells, accents of none and emoji are counted as a terminal draws them', () => {
  expect(['', 'Brest', '大阪', 'e\u0301a', '🚢', 'ｶﾅ', 'カナ', 'Ａ'].map(widthOf)).toEqual([0, 5, 4, 2, 2, 4, 4, 2]);
});

test('what is cut ends with a sign, and never takes more than it may', () => {
  expect(cutTo('Saint-Malo', 10)).toBe('Saint-Malo');
  expect(cutTo('Saint-Malo', 6)).toBe('Saint…');
  expect(cutTo('大阪港', 5)).toBe('大阪…');
  expect(cutTo('大阪港', 4)).toBe('大…');
  expect(cutTo('大', 1)).toBe('…');
});

test('blanks fill up what cells are left', () => {
  expect([padTo('大阪', 6, 'left'), padTo('7', 3, 'right'), padTo('long', 2, 'left')]).toEqual([
    '大阪  ',
    '  7',
    'long',
  ]);
});
