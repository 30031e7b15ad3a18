// Rows as they come, up to a full page.

import { Buffer } from 'node:buffer';
import type { ProgramBlock } from '../compile/program.ts';
import type { Row } from '../compile/row.ts';

export class StreamedRows {
  readonly #block: ProgramBlock;
  readonly #itemsMax: number;
  readonly #bytesMax: number;
  #bytes = 0;
  readonly texts: string[] = [];
  /** Rows that OFFSET leaves out. */
  offsetLeft: number;
  /** The last row, also one that was left out. */
  last: { readonly rid: number; readonly row: number } | undefined;

  constructor(block: ProgramBlock, itemsMax: number, bytesMax: number, offset: number) {
    this.#block = block;
    this.#itemsMax = itemsMax;
    this.#bytesMax = bytesMax;
    this.offsetLeft = offset;
  }

  get isFull(): boolean {
    return this.texts.length >= this.#itemsMax || this.#bytes >= this.#bytesMax;
  }

  /** False: no more are wanted. */
  add(row: Row, place: number): boolean {
    const text = this.#block.output(row);
    if (text === undefined) return true;
    this.last = { rid: row.document.rid, row: place };
    if (this.offsetLeft > 0) {
      this.offsetLeft -= 1;
      return true;
    }
    this.texts.push(text);
    this.#bytes += Buffer.byteLength(text);
    return !this.isFull;
  }
}
