// Every page of a query over documents in memory, as whoever has the documents would ask for them.

import { Buffer } from 'node:buffer';
import type { FunctionContext } from '../src/functions/query-function.ts';
import { prepareQuery } from '../src/query.ts';
import { ridOfLastRow, withLastRow } from '../src/run/last-row.ts';
import type { Position } from '../src/run/position.ts';
import { decodePosition, encodePosition } from '../src/run/position.ts';
import { QueryRun } from '../src/run/query-run.ts';
import type { Value } from '../src/value/value.ts';

export interface QueryParameter {
  readonly name: string;
  readonly value: Value;
}

export interface Asked {
  readonly query: string;
  readonly parameters?: readonly QueryParameter[];
  readonly documents: readonly Value[];
  readonly itemsMax?: number;
  readonly bytesMax?: number;
}

/** The document at the beginning of the bytes, whose last member ends at `membersEnd`. */
export interface StoredBytes {
  readonly bytes: Buffer;
  readonly membersEnd: number;
  readonly rid: number;
}

export interface AskedOfStored {
  readonly query: string;
  readonly parameters?: readonly QueryParameter[];
  /** In the order of their rids, as they are at each page. */
  readonly documentsAt: (page: number) => readonly StoredBytes[];
  readonly itemsMax?: number;
  readonly bytesMax?: number;
  readonly onPosition?: (text: string) => void;
  /** Whether the document of the last row is not looked at again: then such rows are counted. */
  readonly isLastRowUnseen?: boolean;
}

export const pageContext: FunctionContext = { nowMs: () => 1.7e12, startMs: 1.7e12, random: () => 0.5 };

const pagesMax = 1000;

export function allRows(asked: Asked): readonly Value[] {
  return allPages(asked).flat();
}

export function allPages({ documents, ...asked }: Asked): readonly (readonly Value[])[] {
  const stored = documents.map((document, at) => {
    const bytes = Buffer.from(JSON.stringify(document));
    return { bytes, membersEnd: bytes.length - 1, rid: at + 1 };
  });
  return pagesOfStored({ ...asked, documentsAt: () => stored });
}

/** A continuation goes through its text from page to page. */
export function pagesOfStored(asked: AskedOfStored): readonly (readonly Value[])[] {
  const { query, parameters = [], documentsAt, itemsMax = 1000, bytesMax = 4e6, onPosition } = asked;
  const names = parameters.map(({ name }) => name);
  const { program } = prepareQuery(query, names);
  const options = { parameters: parameters.map(({ value }) => value), context: pageContext, itemsMax, bytesMax };
  const pages: Value[][] = [];
  let from: Position | undefined;
  do {
    const last = asked.isLastRowUnseen
      ? undefined
      : documentsAt(pages.length).find(({ rid }) => rid === ridOfLastRow(from));
    const seen = last === undefined ? from : withLastRow(program, { ...options, from }, last.bytes, last.membersEnd);
    const run = new QueryRun(program, { ...options, from: seen });
    const hasDocuments = program.query.documentSlot !== undefined;
    const isEnded = hasDocuments ? addAll(run, documentsAt(pages.length), from) : run.addNothing();
    const { rows, next } = run.page();
    pages.push(rows.map((text) => JSON.parse(text) as Value));
    from = undefined;
    if (next !== undefined && (run.isBlocking || !isEnded)) {
      const text = encodePosition(next);
      onPosition?.(text);
      from = decodePosition(text);
    }
    if (pages.length > pagesMax) throw new Error('the pages do not end');
  } while (from !== undefined);
  return pages;
}

function addAll(run: QueryRun, documents: readonly StoredBytes[], from: Position | undefined): boolean {
  for (const { bytes, membersEnd, rid } of documents) {
    if (!run.isBlocking && from?.rid !== undefined && rid < from.rid) continue;
    if (!run.add(bytes, 0, membersEnd, rid)) return false;
  }
  return true;
}
