import { isDatabaseError } from '@tidemark/model';
import { describe, expect, test } from 'vitest';
import { checkComposition } from '../src/plan/composition.ts';
import { prepareQuery } from '../src/query.ts';
import { QueryError } from '../src/query-error.ts';
import { contentKey } from '../src/value/value-set.ts';
import { allRows } from './all-pages.ts';
import type { CorpusCase } from './corpus.ts';
import { readCorpus } from './corpus.ts';

const corpus = readCorpus();

describe.each([1, 2, 1000])('[wire 12] the corpus, in pages of %i rows', (itemsMax) => {
  test.each(corpus.map((each) => [each.name, each] as const))('%s', (_, each) => {
    const outcome = outcomeOf(each, itemsMax);

    if ('error' in each.expect) expect(outcome).toSatisfy((code) => isCode(code, each.expect as { error: unknown }));
    else expect(comparable(outcome as readonly unknown[], each)).toEqual(comparable(each.expect, each));
  });
});

function outcomeOf(each: CorpusCase, itemsMax: number): unknown {
  try {
    const names = each.parameters?.map(({ name }) => name) ?? [];
    // As of a query over all ranges.
    checkComposition(prepareQuery(each.query, names));
    return allRows({ ...each, itemsMax });
  } catch (error) {
    if (error instanceof QueryError) return String(error.problems[0]?.code);
    if (isDatabaseError(error)) return error.code;
    throw error;
  }
}

/** 400 is any refusal. */
function isCode(outcome: unknown, { error }: { readonly error: unknown }): boolean {
  return typeof outcome === 'string' && (error === 400 || outcome === error);
}

function comparable(rows: readonly unknown[], { unordered }: CorpusCase): readonly unknown[] {
  return unordered === true ? rows.map((row) => contentKey(row as never)).sort() : rows;
}
