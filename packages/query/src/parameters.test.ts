import { documentDepthMax } from '@tidemark/model';
import { expect, test } from 'vitest';
import { checkParameter } from './parameters.ts';
import type { Value } from './value/value.ts';

function nested(depth: number, open: string, close: string): Value {
  return JSON.parse(open.repeat(depth) + close.repeat(depth)) as Value;
}

test('[query 1.4] parameters nest as deep as documents', () => {
  const deepest = nested(documentDepthMax, '[', ']');
  const wide = Array.from({ length: 200_000 }, (_, at) => [at]);

  for (const value of [undefined, null, 1, '[[', {}, deepest, { a: 1, b: wide }]) {
    expect(() => checkParameter('@p', value)).not.toThrow();
  }
});

test.each([documentDepthMax + 1, 9_000, 1_000_000])('[query 1.4] a parameter of %i levels is refused', (depth) => {
  const value = [1, { a: nested(depth - 2, '[', ']') }];

  expect(() => checkParameter('@p', value)).toThrow('The value of the parameter @p nests deeper than 128 levels');
});
