import { describe, expect, test } from 'vitest';
import { pipelineRows } from './client-pipeline.ts';
import type { CorpusCase } from './corpus.ts';
import { readCorpus } from './corpus.ts';
import { comparable, expected, outcomeOf } from './corpus-outcome.ts';

const corpus = readCorpus();
const named = corpus.map((each) => [each.name, each] as const);

describe.each([1, 4])('[query 5.2] the corpus, put together by a client from %i ranges', (rangeCount) => {
  describe.each([1, 2, 1000])('in pages of %i rows', (itemsMax) => {
    test.each(named)('%s', (_, each) => {
      const outcome = outcomeOf(() => pipelineRows({ ...each, itemsMax, rangeCount }));

      const judged = rangeCount === 1 ? each : inAnyOrder(each);
      expect(comparable(outcome, judged)).toEqual(expected(judged));
    });
  });
});

describe('[query 5.8] sorted rows of the corpus, by a client that begins anew behind each of them', () => {
  test.each(named.filter(([, { query }]) => query.includes('ORDER BY')))('%s', (_, each) => {
    const outcome = outcomeOf(() => pipelineRows({ ...each, rangeCount: 4, isResumed: true }));

    expect(comparable(outcome, each)).toEqual(expected(each));
  });
});

/** Without ORDER BY rows of several ranges come range by range. */
function inAnyOrder(each: CorpusCase): CorpusCase {
  return each.query.includes('ORDER BY') ? each : { ...each, unordered: true };
}
