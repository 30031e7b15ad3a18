// The words of a query text.

import type { Span } from '../query-error.ts';

export type Token =
  | (Span & { readonly kind: 'name' | 'parameter'; readonly text: string })
  /** `word` is in capitals, `text` as it was written. */
  | (Span & { readonly kind: 'keyword'; readonly word: string; readonly text: string })
  | (Span & { readonly kind: 'string'; readonly value: string })
  | (Span & { readonly kind: 'number'; readonly value: number })
  | (Span & { readonly kind: 'sign'; readonly sign: string })
  | (Span & { readonly kind: 'end' });

/** Words that cannot stand as a bare name; their case does not matter. */
export const keywords: ReadonlySet<string> = new Set([
  'AND',
  'ARRAY',
  'AS',
  'ASC',
  'BETWEEN',
  'BY',
  'DESC',
  'DISTINCT',
  'ESCAPE',
  'EXISTS',
  'FROM',
  'GROUP',
  'IN',
  'JOIN',
  'LEFT',
  'LIKE',
  'LIMIT',
  'NOT',
  'OFFSET',
  'OR',
  'ORDER',
  'RANK',
  'RIGHT',
  'SELECT',
  'TOP',
  'VALUE',
  'WHERE',
]);

/**
 * Keywords that came later. What the service does with them behind a dot is not known, and they are common names of
 * members, so there they are names.
 */
export const laterKeywords: ReadonlySet<string> = new Set(['ESCAPE', 'LIKE', 'LIMIT', 'OFFSET', 'RANK']);

/** The longest first, so that `>>>` is not `>>` and `>`. */
export const signs: readonly string[] = [
  '>>>',
  '<<',
  '>>',
  '<=',
  '>=',
  '!=',
  '<>',
  '||',
  '??',
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  ',',
  '.',
  ':',
  '?',
  '*',
  '/',
  '%',
  '+',
  '-',
  '<',
  '>',
  '=',
  '&',
  '|',
  '^',
  '~',
];
