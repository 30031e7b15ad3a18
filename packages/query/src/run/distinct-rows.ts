// Each value once, in the order of values.

import { keySteps } from '../compile/comparison.ts';
import type { ProgramBlock } from '../compile/program.ts';
import type { Row } from '../compile/row.ts';
import { jsonText } from '../value/json-text.ts';
import type { Memory } from '../value/memory.ts';
import type { Value } from '../value/value.ts';
import { ValueSet } from '../value/value-set.ts';
import { sizeOf } from '../value/value-size.ts';
import type { Placed, RowOfDocument, SortedAfter } from './after.ts';
import { entryBytes } from './all-rows.ts';
import type { Collector, Results } from './collector.ts';
import { Kept } from './kept.ts';

export class DistinctRows implements Collector {
  readonly #block: ProgramBlock;
  readonly #memory: Memory;
  readonly #present = new ValueSet();
  readonly #kept: Kept<DistinctValue>;

  constructor(block: ProgramBlock, memory: Memory, most: number, after: SortedAfter | undefined) {
    this.#block = block;
    this.#memory = memory;
    this.#kept = new Kept<DistinctValue>(most, [false], after);
  }

  add(row: Row, place: number): boolean {
    const value = this.#block.select(row);
    row.work.take(keySteps(value));
    return this.addValue(value, { rid: row.document.rid, row: place });
  }

  /** `of`: the row that it is selected from, if it is of a document. */
  addValue(value: Value, of?: RowOfDocument): boolean {
    if (value === undefined || this.#present.has(value)) return true;
    const entry: DistinctValue = { value, place: { keys: [value], rid: 0, row: 0 }, of };
    if (!this.#kept.wants(entry)) return true;
    this.#memory.take(bytesOf(value));
    this.#present.add(value);
    const gone = this.#kept.add(entry)?.value;
    if (gone === undefined) return true;
    this.#present.delete(gone);
    this.#memory.give(bytesOf(gone));
    return true;
  }

  get isCut(): boolean {
    return this.#kept.isCut;
  }

  results(): Results {
    const rows = this.#kept.inOrder();
    const row = (at: number) => {
      // Nobody asks beyond the length.
      const { value } = rows[at] as DistinctValue;
      return { text: jsonText(value), value };
    };
    return { length: rows.length, row };
  }

  after(count: number): SortedAfter {
    return this.#kept.after(count);
  }
}

interface DistinctValue extends Placed {
  readonly value: Exclude<Value, undefined>;
}

/** The value, and its text in the set. */
function bytesOf(value: Value): number {
  return entryBytes + 2 * sizeOf(value);
}
