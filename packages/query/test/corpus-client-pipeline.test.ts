import { describe, expect, test } from 'vitest';
import type { BoundBlock } from '../src/bind/bound.ts';
import { innerBlocksOf, isPlain } from '../src/plan/container-block.ts';
import { prepareQuery } from '../src/query.ts';
import { pipelineRows } from './client-pipeline.ts';
import type { CorpusCase } from './corpus.ts';
import { readCorpus } from './corpus.ts';
import { comparable, expected, outcomeOf } from './corpus-outcome.ts';

const corpus = readCorpus();

/** What no client can put together from several ranges: each of them would have its own groups, or its own first rows. */
const unplanned = corpus.filter(({ query, parameters = [] }) => {
  const outcome = outcomeOf(() => [innerBlocksOf(blockOf(query, parameters)).every(isPlain)]);
  return typeof outcome !== 'string' && outcome[0] === false && !query.includes('COUNT(1) FROM (SELECT DISTINCT');
});

const planned = corpus.filter((each) => !unplanned.includes(each)).map((each) => [each.name, each] as const);
const all = corpus.map((each) => [each.name, each] as const);

describe.each([1, 4])('[query 5.2] the corpus, put together by a client from %i ranges', (rangeCount) => {
  describe.each([1, 2, 1000])('in pages of %i rows', (itemsMax) => {
    test.each(rangeCount === 1 ? all : planned)('%s', (_, each) => {
      const outcome = outcomeOf(() => pipelineRows({ ...each, itemsMax, rangeCount }));

      const judged = rangeCount === 1 ? each : inAnyOrder(each);
      expect(comparable(outcome, judged)).toEqual(expected(judged));
    });
  });
});

describe('[query 5.8] sorted rows of the corpus, by a client that begins anew behind each of them', () => {
  test.each(planned.filter(([, { query }]) => query.includes('ORDER BY')))('%s', (_, each) => {
    const outcome = outcomeOf(() => pipelineRows({ ...each, rangeCount: 4, isResumed: true }));

    expect(comparable(outcome, each)).toEqual(expected(each));
  });
});

test('[query 5.2] a query in FROM that has to see all documents has no plan for several ranges', () => {
  for (const each of unplanned) {
    expect(() => pipelineRows({ ...each, rangeCount: 4 })).toThrow('A query in FROM with');
  }
});

function blockOf(query: string, parameters: readonly { readonly name: string }[]): BoundBlock {
  return prepareQuery(
    query,
    parameters.map(({ name }) => name),
  ).program.query.block;
}

/** Without ORDER BY rows of several ranges come range by range. */
function inAnyOrder(each: CorpusCase): CorpusCase {
  return each.query.includes('ORDER BY') ? each : { ...each, unordered: true };
}
