// The corpus: a case a line, with what the service answers. `unordered`: rows may come in any order.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Value } from '../src/value/value.ts';

export interface CorpusCase {
  readonly name: string;
  readonly documents: readonly Value[];
  readonly query: string;
  readonly parameters?: readonly { readonly name: string; readonly value: Value }[];
  /** The rows, or the code of what is wrong; 400 stands for any. */
  readonly expect: readonly Value[] | { readonly error: string | number };
  readonly unordered?: boolean;
}

export function readCorpus(): readonly CorpusCase[] {
  const text = readFileSync(fileURLToPath(new URL('corpus.jsonl', import.meta.url)), 'utf8');
  // Each line is one.
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as CorpusCase);
}
