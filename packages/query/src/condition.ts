// The condition of a patch, `FROM c WHERE c.stock > 0`: a query without what it selects, about one document.

import type { Buffer } from 'node:buffer';
import type { ContainerFacts } from './bind/container-facts.ts';
import type { FunctionContext } from './functions/query-function.ts';
import { innerBlocksOf, isPlain } from './plan/container-block.ts';
import type { PreparedQueries } from './prepared-queries.ts';
import type { PreparedQuery } from './query.ts';
import type { Span } from './query-error.ts';
import { QueryError, queryError } from './query-error.ts';
import { QueryRun } from './run/query-run.ts';
import { TokenReader } from './syntax/token-reader.ts';

const selection = 'SELECT VALUE true ';

/** Throws a QueryError, with places in the text as it was given. */
export function prepareCondition(text: string, queries: PreparedQueries, facts?: ContainerFacts): PreparedQuery {
  checkBeginning(text);
  let prepared: PreparedQuery;
  try {
    prepared = queries.prepare(selection + text, [], facts);
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    throw new QueryError(
      error.problems.map((problem) => ({ ...problem, span: problem.span && moved(problem.span) })),
      { cause: error },
    );
  }
  const { from, groupBy, orderBy, offset } = prepared.tree;
  const { block, documentSlot } = prepared.program.query;
  const span = from === undefined ? { start: 0, end: text.length } : moved(from);
  if (documentSlot === undefined || groupBy.length > 0 || orderBy !== undefined || offset) throw noCondition(span);
  if (innerBlocksOf(block).every(isPlain)) return prepared;
  const message =
    'The condition of a patch is about one document: a query in its FROM has no aggregates, GROUP BY, DISTINCT, ORDER BY, TOP or OFFSET.';
  throw queryError('SC1001', message, span);
}

/** What is put before it must not become a part of an expression with it. */
function checkBeginning(text: string): void {
  const tokens = new TokenReader(text);
  if (tokens.isKeyword('FROM')) return;
  const { start, end } = tokens.peek();
  throw noCondition({ start, end });
}

function noCondition(span: Span): QueryError {
  return queryError('SC1001', 'The condition of a patch is FROM and WHERE, as in: FROM c WHERE c.stock > 0.', span);
}

function moved({ start, end }: Span): Span {
  return { start: Math.max(0, start - selection.length), end: Math.max(0, end - selection.length) };
}

/** Whether it holds for the document at [0, …), whose last member ends at `membersEnd`. */
export function conditionHolds(
  { program }: PreparedQuery,
  bytes: Buffer,
  membersEnd: number,
  context: FunctionContext,
): boolean {
  const run = new QueryRun(program, { parameters: [], context, itemsMax: 1, bytesMax: 1, from: undefined });
  run.add(bytes, 0, membersEnd, 1);
  return run.rowCount > 0;
}
