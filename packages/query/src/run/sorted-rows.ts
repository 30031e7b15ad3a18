// Sorted rows: no more are kept than a page can show, by number and by size.

import type { ProgramBlock } from '../compile/program.ts';
import type { Row } from '../compile/row.ts';
import type { Memory } from '../value/memory.ts';
import { sizeOf } from '../value/value-size.ts';
import type { KeyPlace, SortedAfter } from './after.ts';
import type { Collector, ResultRow } from './collector.ts';
import { Kept } from './kept.ts';

export class SortedRows implements Collector {
  readonly #block: ProgramBlock;
  readonly #memory: Memory;
  readonly #kept: Kept<SortedRow>;
  /** A page has no more than these characters and one row; unknown where rows are left out before it. */
  readonly #lengthMax: number;
  #length = 0;

  constructor(
    block: ProgramBlock,
    memory: Memory,
    page: { readonly most: number; readonly lengthMax: number },
    after: SortedAfter | undefined,
  ) {
    this.#block = block;
    this.#memory = memory;
    this.#kept = new Kept<SortedRow>(page.most, block.areDescending, after);
    this.#lengthMax = this.#kept.again > 0 ? Number.POSITIVE_INFINITY : page.lengthMax;
  }

  add(row: Row, place: number): boolean {
    const { orderKeys, output } = this.#block;
    const keys = orderKeys.map((key) => key(row));
    const entry: SortedRow = { place: { keys, rid: row.document.rid, row: place }, text: '', value: undefined };
    if (!this.#kept.wants(entry)) return true;
    const text = output(row);
    if (text === undefined) return true;
    entry.text = text;
    this.#memory.take(bytesOf(entry));
    this.#length += text.length;
    this.#forget(this.#kept.add(entry));
    while (this.#length - (this.#kept.last?.text.length ?? 0) >= this.#lengthMax) this.#forget(this.#kept.dropLast());
    return true;
  }

  get isCut(): boolean {
    return this.#kept.isCut;
  }

  results(): readonly ResultRow[] {
    return this.#kept.inOrder();
  }

  after(count: number): SortedAfter {
    return this.#kept.after(count);
  }

  #forget(gone: SortedRow | undefined): void {
    if (gone === undefined) return;
    this.#memory.give(bytesOf(gone));
    this.#length -= gone.text.length;
  }
}

interface SortedRow extends ResultRow {
  readonly place: KeyPlace;
  text: string;
}

function bytesOf({ text, place }: SortedRow): number {
  return 2 * text.length + place.keys.reduce<number>((bytes, key) => bytes + sizeOf(key), 0);
}
