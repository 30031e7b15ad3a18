import { expect, test } from 'vitest';
import { howToGoOn } from './state-file.ts';

test('whoever began anew goes on without doing so again', () => {
  expect(howToGoOn(false)).toBe('the same command goes on where it was.');
  expect(howToGoOn(true)).toBe('the same command without --restart goes on where it was.');
});
