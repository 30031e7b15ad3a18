// What a continuation belongs to: a query with its parameters, in one container.

import type { Position, PreparedQuery, Value } from '@tidemark/query';
import { printQuery } from '@tidemark/query';
import type { DocumentScope } from './document-scan.ts';

export interface NamedQuery {
  readonly prepared: PreparedQuery;
  readonly text: string;
  readonly parameters: readonly Value[];
  readonly resume?: Position | undefined;
  readonly scope: DocumentScope;
}

/**
 * Wire: a client that merges sorted ranges goes on with the continuation that a range gave, and with a filter, in the text or beside it, by
 * which it leaves out what it has had: it is the same query all the same. Its rows are told by the column of their keys (spec query 5.3, 5.8).
 */
export function nameOfQuery(container: number, { prepared, text, parameters, resume, scope }: NamedQuery): string {
  const { selection } = prepared.tree;
  const isMerged = selection.kind === 'list' && selection.items.some(({ alias }) => alias === 'orderByItems');
  const named = isMerged ? [printQuery({ ...prepared.tree, where: undefined })] : [text, resume];
  // A range that is named may have been split or merged meanwhile; a partition key is the same for ever.
  return JSON.stringify([container, scope.partitionKey?.bytes.toString('hex'), parameters, ...named]);
}
