import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readCorpus } from '../../test/corpus.ts';
import { draws } from '../../test/draw.ts';
import { randomQuery } from '../../test/random-query.ts';
import { randomTree } from '../../test/random-tree.ts';
import { shapeOf } from '../../test/tree-shape.ts';
import { QueryError } from '../query-error.ts';
import { parseQuery } from './parser.ts';
import { printQuery } from './print.ts';
import type { Query } from './tree.ts';

test('[wire 12] a tree that is printed and read is the same tree', () => {
  fc.assert(
    fc.property(draws, (draw) => {
      const tree = randomTree(draw);

      const text = printQuery(tree);

      const read = parseQuery(text);
      expect(shapeOf(read)).toBe(shapeOf(tree));
      expect(printQuery(read)).toBe(text);
    }),
    { numRuns: 1500 },
  );
});

test('[wire 12] a query that is read, printed and read again is the same query', () => {
  fc.assert(
    fc.property(draws, (draw) => {
      const { text } = randomQuery(draw);

      expectStable(text);
    }),
    { numRuns: 1000 },
  );
});

test('[wire 12] so is each query of the corpus', () => {
  for (const { query } of readCorpus()) expectStable(query);
});

/** Where it can be read at all. */
function expectStable(text: string): void {
  const tree = readOrNone(text);
  if (tree === undefined) return;

  const printed = printQuery(tree);

  const again = parseQuery(printed);
  expect(shapeOf(again)).toBe(shapeOf(tree));
  expect(printQuery(again)).toBe(printed);
}

function readOrNone(text: string): Query | undefined {
  try {
    return parseQuery(text);
  } catch (error) {
    if (error instanceof QueryError) return undefined;
    throw error;
  }
}
