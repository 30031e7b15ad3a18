import { expect, test } from 'vitest';
import { copyOf, textOfCodes } from './codes.ts';

test('a copy is the same string, with halves of pairs as well', () => {
  for (const text of ['', 'abc', 'ıé😀', '\ud83d', '\ude00a']) {
    const codes = new Uint16Array(text.length).map((_, at) => text.charCodeAt(at));

    expect(copyOf(text)).toBe(text);
    expect(textOfCodes(codes)).toBe(text);
  }
});
