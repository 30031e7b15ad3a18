import { describe, expect, test } from 'vitest';
import { checkComposition } from '../src/plan/composition.ts';
import { prepareQuery } from '../src/query.ts';
import { allRows } from './all-pages.ts';
import { readCorpus } from './corpus.ts';
import { comparable, expected, outcomeOf } from './corpus-outcome.ts';

const corpus = readCorpus();

describe.each([1, 2, 1000])('[wire 12] the corpus, in pages of %i rows', (itemsMax) => {
  test.each(corpus.map((each) => [each.name, each] as const))('%s', (_, each) => {
    const outcome = outcomeOf(() => {
      const names = each.parameters?.map(({ name }) => name) ?? [];
      // As of a query over all ranges.
      checkComposition(prepareQuery(each.query, names));
      return allRows({ ...each, itemsMax });
    });

    expect(comparable(outcome, each)).toEqual(expected(each));
  });
});
