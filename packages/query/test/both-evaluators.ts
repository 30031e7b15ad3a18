// A query by both evaluators: by the real one in pages of every size, and by the plain one at once.

import { isDatabaseError } from '@tidemark/model';
import type { Value } from '../src/value/value.ts';
import { pagesOfStored } from './all-pages.ts';
import { canonicalRow } from './canonical-row.ts';
import { plainRows } from './plain-evaluator.ts';
import type { RandomDocument } from './random-documents.ts';
import type { RandomQuery } from './random-query.ts';

/** Rows as text, or that there are none since the query is refused. */
type Outcome = readonly string[] | 'refused';

const pageSizes: readonly { readonly itemsMax?: number; readonly bytesMax?: number }[] = [
  {},
  { itemsMax: 1 },
  { itemsMax: 2 },
  { itemsMax: 7 },
  { bytesMax: 40 },
];

export interface Compared {
  readonly outcome: Outcome;
  /** What the evaluators disagree in; undefined where they agree. */
  readonly difference: string | undefined;
}

export function compareEvaluators(query: RandomQuery, documents: readonly RandomDocument[]): Compared {
  const expected = outcomeOf(() => {
    const rows = plainRows(
      query.text,
      documents.map(({ value }) => value),
      query.parameters,
    );
    return rows === 'refused' ? rows : rows.map(canonicalRow);
  });
  for (const size of pageSizes) {
    const found = outcomeOf(() => pagesOf(query, documents, size).flat().map(canonicalRow));
    if (JSON.stringify(found) === JSON.stringify(expected)) continue;
    const shown = documents.map(({ bytes }) => `  ${bytes.toString()}`).join('\n');
    const difference = [
      `${query.text}\n  ${JSON.stringify(query.parameters)}\n${shown}`,
      `in pages of ${JSON.stringify(size)}:\n  ${JSON.stringify(found)}`,
      `by the plain evaluator:\n  ${JSON.stringify(expected)}`,
    ].join('\n');
    return { outcome: expected, difference };
  }
  return { outcome: expected, difference: undefined };
}

function pagesOf(
  { text, parameters }: RandomQuery,
  documents: readonly RandomDocument[],
  size: { readonly itemsMax?: number; readonly bytesMax?: number },
): readonly (readonly Value[])[] {
  return pagesOfStored({ query: text, parameters, documentsAt: () => documents, ...size });
}

function outcomeOf(run: () => Outcome): Outcome {
  try {
    return run();
  } catch (error) {
    if (isDatabaseError(error)) return 'refused';
    throw error;
  }
}
