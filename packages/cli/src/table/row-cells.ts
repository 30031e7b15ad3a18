// A row of a query, cut into what stands in the cells of a table. Values are shown as they were sent, but for the quotes of strings.

import { isSystemProperty, memberSpans } from '@tidemark/model';
import { compactJson } from '../json-layout.ts';
import { shown } from '../terminal.ts';

export interface Cell {
  readonly text: string;
  /** Or null, which stands among numbers. */
  readonly isNumber: boolean;
}

export interface RowCells {
  /** By the names of the row's members in their order; a row that is no object has one cell, whose name is undefined. */
  readonly cells: ReadonlyMap<string | undefined, Cell>;
  /** It is a whole document, and its system properties are left out. */
  readonly isDocument: boolean;
}

const openBrace = 0x7b;

/** Together they are in whole documents only. */
const ofDocuments: readonly string[] = ['_rid', '_self', '_etag', '_ts'];

/** `row` is valid JSON without blanks around it. */
export function cellsOf(row: Buffer): RowCells {
  if (row[0] !== openBrace) return { cells: new Map([[undefined, cellOf(row.toString('utf8'))]]), isDocument: false };
  const cells = new Map<string, Cell>();
  for (const { nameStart, nameEnd, segmentEnd } of memberSpans(row, 0, row.length)) {
    const name: unknown = JSON.parse(row.toString('utf8', nameStart, nameEnd));
    const value = row.toString('utf8', nameEnd, segmentEnd).replace(/^\s*:/, '').trim();
    cells.set(String(name), cellOf(value));
  }
  const isDocument = ofDocuments.every((name) => cells.has(name));
  if (isDocument) for (const name of [...cells.keys()]) if (isSystemProperty(name)) cells.delete(name);
  return { cells, isDocument };
}

function cellOf(json: string): Cell {
  if (json.startsWith('"')) return { text: shown(String(JSON.parse(json))), isNumber: false };
  return { text: shown(compactJson(json)), isNumber: /^(?:[-\d]|null$)/.test(json) };
}
