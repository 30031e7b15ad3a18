import { expect, test } from 'vitest';
import type { Value } from '../src/value/value.ts';
import { canonicalRow } from './canonical-row.ts';
import { readCorpus } from './corpus.ts';
import { plainRows } from './plain-evaluator.ts';

const runnable = readCorpus().filter(({ expect: expected }) => !('error' in expected));

test.each(runnable.map((each) => [each.name, each] as const))(
  '[wire 12] the plain evaluator agrees with the corpus: %s',
  (_, each) => {
    const rows = plainRows(each.query, each.documents, each.parameters);

    const found = rows === 'refused' ? [rows] : rows.map(canonicalRow);
    const expected = (each.expect as readonly Value[]).map(canonicalRow);
    expect(each.unordered === true ? [...found].sort() : found).toEqual(
      each.unordered === true ? [...expected].sort() : expected,
    );
  },
);
