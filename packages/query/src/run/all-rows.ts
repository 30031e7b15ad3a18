// All rows, for what cannot be done in pieces: kept whole, sorted where they have an order. Those of DISTINCT without one come once.

import { keySteps } from '../compile/comparison.ts';
import type { ProgramBlock } from '../compile/program.ts';
import type { Row } from '../compile/row.ts';
import type { Memory } from '../value/memory.ts';
import { ValueSet } from '../value/value-set.ts';
import { sizeOf } from '../value/value-size.ts';
import type { KeyPlace } from './after.ts';
import { comparePlaces } from './after.ts';
import type { After, Collector, ResultRow, Results } from './collector.ts';
import { resultsOf } from './collector.ts';

/** What an entry costs beside what it holds. */
export const entryBytes = 200;

export class AllRows implements Collector {
  readonly #block: ProgramBlock;
  readonly #memory: Memory;
  readonly #rows: (ResultRow & { readonly place: KeyPlace })[] = [];
  readonly #seen: ValueSet | undefined;
  readonly isCut = false;

  constructor(block: ProgramBlock, memory: Memory) {
    this.#block = block;
    this.#memory = memory;
    this.#seen = block.bound.isDistinct ? new ValueSet() : undefined;
  }

  add(row: Row): boolean {
    const { select, output, orderKeys } = this.#block;
    const value = select(row);
    if (this.#seen !== undefined) {
      row.work.take(keySteps(value));
      if (!this.#seen.add(value)) return true;
    }
    const text = value === undefined ? undefined : output(row);
    if (text === undefined) return true;
    const keys = orderKeys.map((key) => key(row));
    const keyBytes = keys.reduce<number>((bytes, key) => bytes + sizeOf(key), 0);
    this.#memory.take(entryBytes + 2 * text.length + (this.#seen === undefined ? 1 : 3) * sizeOf(value) + keyBytes);
    this.#rows.push({ text, value, place: { keys, rid: this.#rows.length, row: 0 } });
    return true;
  }

  results(): Results {
    const { areDescending } = this.#block;
    if (areDescending.length > 0) this.#rows.sort((a, b) => comparePlaces(a.place, b.place, areDescending));
    return resultsOf(this.#rows);
  }

  after(count: number): After {
    return { rows: count };
  }
}

/** Results that are all there for each page: those of the pages before are counted and left out. */
export class CountedRows implements Collector {
  readonly #rows: Collector;
  readonly #shown: number;
  readonly isCut = false;

  constructor(rows: Collector, after: After | undefined) {
    this.#rows = rows;
    this.#shown = after !== undefined && 'rows' in after ? after.rows : 0;
  }

  add(row: Row, place: number): boolean {
    return this.#rows.add(row, place);
  }

  results(): Results {
    const rows = this.#rows.results();
    return { length: Math.max(0, rows.length - this.#shown), row: (at) => rows.row(this.#shown + at) };
  }

  after(count: number): After {
    return { rows: this.#shown + count };
  }
}
