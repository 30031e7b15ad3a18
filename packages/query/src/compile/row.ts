// What a compiled expression sees: the document, what the aliases of FROM stand for, parameters, and of a group its keys and
// aggregates. One row is used for all documents of a query: who wants to keep something copies it.

import { DatabaseError } from '@tidemark/model';
import { Patterns } from '../functions/patterns.ts';
import type { FunctionContext } from '../functions/query-function.ts';
import { rowsPerDocumentMax } from '../limits.ts';
import type { LikePattern } from '../value/like.ts';
import { Memory } from '../value/memory.ts';
import type { Value } from '../value/value.ts';
import { Work } from '../value/work.ts';
import type { StoredDocument } from './stored-document.ts';

export class Row {
  readonly document: StoredDocument;
  readonly slots: Value[];
  readonly parameters: readonly Value[];
  readonly context: FunctionContext;
  readonly memory: Memory = new Memory();
  readonly work: Work = new Work();
  readonly likes: Patterns<LikePattern> = new Patterns();
  /** Of the group that is being projected. */
  group: Group | undefined;
  #rowsLeft = rowsPerDocumentMax;

  constructor(document: StoredDocument, slotCount: number, parameters: readonly Value[], context: FunctionContext) {
    this.document = document;
    this.slots = new Array<Value>(slotCount).fill(undefined);
    this.parameters = parameters;
    this.context = { ...context, work: this.work, expressions: new Patterns() };
  }

  /** For each document anew, and each group: what joins, subqueries and functions of one may cost. */
  begin(): void {
    this.#rowsLeft = rowsPerDocumentMax;
    this.work.begin();
  }

  /** Throws where one document has made too many rows: nobody else has had a turn since it began. */
  count(rows = 1): void {
    this.#rowsLeft -= rows;
    if (this.#rowsLeft < 0) {
      throw new DatabaseError(
        'bad-request',
        `The joins and subqueries of the query make more than ${rowsPerDocumentMax} rows of one document. Filter before joining.`,
      );
    }
  }
}

export interface Group {
  readonly keys: readonly Value[];
  readonly aggregates: readonly Value[];
}

export type Evaluate = (row: Row) => Value;
export type Test = (row: Row) => boolean;
