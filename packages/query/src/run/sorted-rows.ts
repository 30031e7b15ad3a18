// Sorted rows: no more are kept than a page can show, by number and by size.

import { Buffer } from 'node:buffer';
import { keySteps } from '../compile/comparison.ts';
import type { ProgramBlock } from '../compile/program.ts';
import type { Row } from '../compile/row.ts';
import type { Memory } from '../value/memory.ts';
import { sizeOf } from '../value/value-size.ts';
import type { Placed, SortedAfter } from './after.ts';
import { entryBytes } from './all-rows.ts';
import type { Collector, ResultRow, Results } from './collector.ts';
import { resultsOf } from './collector.ts';
import { Kept } from './kept.ts';

export class SortedRows implements Collector {
  readonly #block: ProgramBlock;
  readonly #memory: Memory;
  readonly #kept: Kept<SortedRow>;
  /** A page has no more than these bytes and one row; unknown where rows are left out before it. */
  readonly #bytesMax: number;
  #bytes = 0;
  /** Rows of a block within are of no document: they are counted. */
  readonly #isNested: boolean;
  #count = 0;

  constructor(
    block: ProgramBlock,
    memory: Memory,
    page: { readonly most: number; readonly bytesMax: number; readonly isNested: boolean },
    after: SortedAfter | undefined,
  ) {
    this.#block = block;
    this.#memory = memory;
    this.#kept = new Kept<SortedRow>(page.most, block.areDescending, after);
    this.#bytesMax = this.#kept.again > 0 ? Number.POSITIVE_INFINITY : page.bytesMax;
    this.#isNested = page.isNested;
  }

  add(row: Row, place: number): boolean {
    const { orderKeys, output } = this.#block;
    const keys = orderKeys.map((key) => key(row));
    // Against the last one that is kept, and a few more where it goes in.
    for (const key of keys) row.work.take(keySteps(key));
    const of = this.#isNested ? undefined : { rid: row.document.rid, row: place };
    const rowPlace = of ?? { rid: this.#count, row: 0 };
    this.#count += 1;
    const entry: SortedRow = { place: { keys, ...rowPlace }, of, text: '', bytes: 0, value: undefined };
    if (!this.#kept.wants(entry)) return true;
    const text = output(row);
    if (text === undefined) return true;
    entry.text = text;
    entry.bytes = Buffer.byteLength(text);
    this.#memory.take(memoryOf(entry));
    this.#bytes += entry.bytes;
    this.#forget(this.#kept.add(entry));
    while (this.#bytes - (this.#kept.last?.bytes ?? 0) >= this.#bytesMax) this.#forget(this.#kept.dropLast());
    return true;
  }

  get isCut(): boolean {
    return this.#kept.isCut;
  }

  results(): Results {
    return resultsOf(this.#kept.inOrder());
  }

  after(count: number): SortedAfter {
    return this.#kept.after(count);
  }

  #forget(gone: SortedRow | undefined): void {
    if (gone === undefined) return;
    this.#memory.give(memoryOf(gone));
    this.#bytes -= gone.bytes;
  }
}

interface SortedRow extends ResultRow, Placed {
  text: string;
  bytes: number;
}

function memoryOf({ text, place }: SortedRow): number {
  return entryBytes + 2 * text.length + place.keys.reduce<number>((bytes, key) => bytes + sizeOf(key), 0);
}
