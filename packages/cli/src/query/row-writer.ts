// Where the rows of a query go: lines of JSON for programs, a table for people.

import { onOneLine } from '@tidemark/client';
import type { Layout } from '../table/cell-table.ts';
import { columnsLeftOut, fits, headOf, isSameTable, layOut, rowOf } from '../table/cell-table.ts';
import { cellsOf } from '../table/row-cells.ts';

export type RowForm = 'table' | 'json';

export interface RowWriter {
  write(rows: readonly Buffer[]): Promise<void>;
  /** What of the rows was not shown, in sentences; empty where that is nothing. */
  leftOut(): string;
}

export interface RowOutput {
  print(text: string | Uint8Array): Promise<void>;
  /** Of the terminal; asked for each page, since a window changes. */
  width(): number;
}

export function rowWriter(form: RowForm, output: RowOutput): RowWriter {
  return form === 'json' ? jsonWriter(output) : tableWriter(output);
}

function jsonWriter({ print }: RowOutput): RowWriter {
  return {
    write: (rows) => print(Buffer.concat(rows.flatMap((row) => [onOneLine(row), lineFeed]))),
    leftOut: () => '',
  };
}

const lineFeed: Buffer = Buffer.from('\n');

function tableWriter({ print, width }: RowOutput): RowWriter {
  let layout: Layout | undefined;
  let columnsMissing = 0;
  let hasDocuments = false;
  return {
    async write(rows) {
      const widthMax = width();
      const page = rows.map((row) => cellsOf(row));
      hasDocuments ||= page.some(({ isDocument }) => isDocument);
      const before = layout;
      const isFitting = before?.widthMax === widthMax && page.every((row) => fits(before, row));
      const now = isFitting ? before : layOut(page, widthMax, before);
      const isNewHead = before === undefined || !isSameTable(before, now);
      const head = isNewHead ? `${before === undefined ? '' : '\n'}${headOf(now)}` : '';
      layout = now;
      columnsMissing = columnsLeftOut(now);
      await print(`${head}${page.map((row) => rowOf(now, row)).join('')}`);
    },
    leftOut() {
      const columns = columnsMissing === 1 ? 'One column has' : `${columnsMissing} columns have`;
      const narrow = columnsMissing === 0 ? '' : ` ${columns} no room here; JSON has all.`;
      return `${narrow}${hasDocuments ? ' System properties are left out.' : ''}`;
    },
  };
}
