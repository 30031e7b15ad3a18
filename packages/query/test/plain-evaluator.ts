// A second evaluator, for tests: it reads the tree of a query over parsed values, in whole lists, and knows no bytes, no closures, no
// places in rows and no pages. What it has in common with the first is the tree, and the functions behind one narrow door.

import { parseQuery } from '../src/syntax/parser.ts';
import type { Value } from '../src/value/value.ts';
import type { QueryParameter } from './all-pages.ts';
import { rowsOf } from './plain/blocks.ts';
import { checkQuery, Refused } from './plain/check.ts';

/** The rows, or that the query is refused. What cannot be parsed throws. */
export function plainRows(
  text: string,
  documents: readonly Value[],
  parameters: readonly QueryParameter[] = [],
): readonly Value[] | 'refused' {
  const query = parseQuery(text);
  const values = new Map(parameters.map(({ name, value }) => [name, value] as const));
  try {
    checkQuery(query, values);
  } catch (error) {
    if (error instanceof Refused) return 'refused';
    throw error;
  }
  const outer = { names: new Map<string, Value>(), parameters: values };
  return rowsOf(query, outer, documents, true);
}
