// All rows, for what cannot be done in pieces: kept whole, sorted where they have an order.

import type { ProgramBlock } from '../compile/program.ts';
import type { Row } from '../compile/row.ts';
import type { Memory } from '../value/memory.ts';
import { ValueSet } from '../value/value-set.ts';
import { sizeOf } from '../value/value-size.ts';
import type { KeyPlace } from './after.ts';
import { comparePlaces } from './after.ts';
import type { After, Collector, ResultRow } from './collector.ts';

/** What an entry costs beside what it holds. */
export const entryBytes = 200;

export class AllRows implements Collector {
  readonly #block: ProgramBlock;
  readonly #memory: Memory;
  readonly #rows: (ResultRow & { readonly place: KeyPlace })[] = [];
  readonly isCut = false;

  constructor(block: ProgramBlock, memory: Memory) {
    this.#block = block;
    this.#memory = memory;
  }

  add(row: Row): boolean {
    const { select, output, orderKeys } = this.#block;
    const value = select(row);
    const text = value === undefined ? undefined : output(row);
    if (text === undefined) return true;
    const keys = orderKeys.map((key) => key(row));
    const keyBytes = keys.reduce<number>((bytes, key) => bytes + sizeOf(key), 0);
    this.#memory.take(entryBytes + 2 * text.length + sizeOf(value) + keyBytes);
    this.#rows.push({ text, value, place: { keys, rid: this.#rows.length, row: 0 } });
    return true;
  }

  results(): readonly ResultRow[] {
    const { areDescending } = this.#block;
    if (areDescending.length > 0) this.#rows.sort((a, b) => comparePlaces(a.place, b.place, areDescending));
    return this.#rows;
  }

  after(count: number): After {
    return { rows: count };
  }
}

/** Results that are all there for each page: those of the pages before are counted and left out. */
export class CountedRows implements Collector {
  readonly #rows: Collector;
  readonly #isDistinct: boolean;
  readonly #shown: number;
  readonly isCut = false;

  constructor(rows: Collector, isDistinct: boolean, after: After | undefined) {
    this.#rows = rows;
    this.#isDistinct = isDistinct;
    this.#shown = after !== undefined && 'rows' in after ? after.rows : 0;
  }

  add(row: Row, place: number): boolean {
    return this.#rows.add(row, place);
  }

  results(): readonly ResultRow[] {
    return distinctOf(this.#rows.results(), this.#isDistinct).slice(this.#shown);
  }

  after(count: number): After {
    return { rows: this.#shown + count };
  }
}

export function distinctOf(rows: readonly ResultRow[], isDistinct: boolean): readonly ResultRow[] {
  if (!isDistinct) return rows;
  const seen = new ValueSet();
  return rows.filter(({ value }) => seen.add(value));
}
