// DISTINCT and ORDER BY: each value once, at the first place that it has in the order. Values are kept, not rows.

import { keySteps, orderSteps } from '../compile/comparison.ts';
import type { ProgramBlock } from '../compile/program.ts';
import type { Row } from '../compile/row.ts';
import { jsonText } from '../value/json-text.ts';
import type { Memory } from '../value/memory.ts';
import type { Value } from '../value/value.ts';
import { contentKey } from '../value/value-set.ts';
import { sizeOf } from '../value/value-size.ts';
import type { KeyPlace, RowOfDocument, SortedAfter } from './after.ts';
import { comparePlaces } from './after.ts';
import { entryBytes } from './all-rows.ts';
import type { Collector, Results } from './collector.ts';
import { Kept } from './kept.ts';

export interface DistinctSortedOptions {
  readonly most: number;
  readonly after: SortedAfter | undefined;
  /** Rows of a block within are of no document: they are counted. */
  readonly isNested: boolean;
}

export class DistinctSortedRows implements Collector {
  readonly #block: ProgramBlock;
  readonly #memory: Memory;
  readonly #isNested: boolean;
  readonly #kept: Kept<PlacedValue>;
  readonly #values = new Map<unknown, PlacedValue>();
  #count = 0;

  constructor(block: ProgramBlock, memory: Memory, { most, after, isNested }: DistinctSortedOptions) {
    this.#block = block;
    this.#memory = memory;
    this.#isNested = isNested;
    this.#kept = new Kept<PlacedValue>(most, block.areDescending, after);
  }

  add(row: Row, place: number): boolean {
    const { select, orderKeys, areDescending } = this.#block;
    const value = select(row);
    if (value === undefined) return true;
    const keys = orderKeys.map((key) => key(row));
    const of = this.#isNested ? undefined : { rid: row.document.rid, row: place };
    const rowPlace = of ?? { rid: this.#count, row: 0 };
    this.#count += 1;
    const found: PlacedValue = { value, place: { keys, ...rowPlace }, of };
    row.work.take(keySteps(value));
    const name = contentKey(value);
    const known = this.#values.get(name);
    row.work.take(known === undefined ? 0 : orderSteps(keys, known.place.keys));
    if (known === undefined) {
      this.#memory.take(entryBytes + 2 * sizeOf(value) + keyBytesOf(found));
      this.#values.set(name, found);
    } else if (comparePlaces(found.place, known.place, areDescending) < 0) {
      this.#memory.give(keyBytesOf(known));
      this.#memory.take(keyBytesOf(found));
      known.place = found.place;
      known.of = found.of;
    }
    return true;
  }

  get isCut(): boolean {
    return this.#kept.isCut;
  }

  results(): Results {
    for (const value of this.#values.values()) if (this.#kept.wants(value)) this.#kept.add(value);
    const rows = this.#kept.inOrder();
    const row = (at: number) => {
      // Nobody asks beyond the length.
      const { value } = rows[at] as PlacedValue;
      return { text: jsonText(value), value };
    };
    return { length: rows.length, row };
  }

  after(count: number): SortedAfter {
    return this.#kept.after(count);
  }
}

interface PlacedValue {
  readonly value: Exclude<Value, undefined>;
  place: KeyPlace;
  of: RowOfDocument | undefined;
}

function keyBytesOf({ place }: PlacedValue): number {
  return place.keys.reduce<number>((bytes, key) => bytes + sizeOf(key), 0);
}
