// What became of a case of the corpus, and whether that is what the corpus says.

import { isDatabaseError } from '@tidemark/model';
import { QueryError } from '../src/query-error.ts';
import type { Value } from '../src/value/value.ts';
import { contentKey } from '../src/value/value-set.ts';
import type { CorpusCase } from './corpus.ts';

/** The rows, or the code of what is wrong. */
export type Outcome = readonly Value[] | string;

export function outcomeOf(run: () => readonly Value[]): Outcome {
  try {
    return run();
  } catch (error) {
    if (error instanceof QueryError) return String(error.problems[0]?.code);
    if (isDatabaseError(error)) return error.code;
    throw error;
  }
}

/** In a form in which it equals what is expected. 400 is any refusal. */
export function comparable(outcome: Outcome, { expect, unordered }: CorpusCase): unknown {
  if (typeof outcome === 'string')
    return 'error' in expect && expect.error === 400 ? { error: 400 } : { error: outcome };
  return unordered === true ? sorted(outcome) : outcome;
}

export function expected({ expect, unordered }: CorpusCase): unknown {
  return unordered === true && !('error' in expect) ? sorted(expect) : expect;
}

function sorted(rows: readonly Value[]): readonly string[] {
  return rows.map((row) => String(contentKey(row))).sort();
}
