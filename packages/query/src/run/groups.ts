// Groups in the order of their keys. Of those that are too late for the page nothing is counted.

import { keySteps } from '../compile/comparison.ts';
import type { ProgramBlock } from '../compile/program.ts';
import type { Row } from '../compile/row.ts';
import type { Aggregate } from '../value/aggregate.ts';
import { newAggregate } from '../value/aggregate.ts';
import { Memory } from '../value/memory.ts';
import type { Value } from '../value/value.ts';
import { contentKeyOf } from '../value/value-set.ts';
import { sizeOf } from '../value/value-size.ts';
import type { Placed, RowOfDocument, SortedAfter } from './after.ts';
import { entryBytes } from './all-rows.ts';
import type { Collector, Results } from './collector.ts';
import { Kept } from './kept.ts';

export class Groups implements Collector {
  readonly #block: ProgramBlock;
  readonly #row: Row;
  readonly #groups = new Map<unknown, Group>();
  readonly #kept: Kept<Group>;

  constructor(block: ProgramBlock, row: Row, most: number, after: SortedAfter | undefined) {
    this.#block = block;
    this.#row = row;
    this.#kept = new Kept<Group>(most, block.groupKeys.map(ascending), after);
    // Without GROUP BY there is one group, also of nothing.
    if (block.groupKeys.length === 0) this.#add(undefined, []);
  }

  add(row: Row, place: number): boolean {
    const { groupKeys, aggregates } = this.#block;
    const keys = groupKeys.map((key) => key(row));
    for (const key of keys) row.work.take(keySteps(key));
    const name = groupKeys.length === 0 ? undefined : contentKeyOf(keys);
    const group = this.#groups.get(name) ?? this.#add(name, keys, { rid: row.document.rid, row: place });
    if (group === undefined) return true;
    for (let at = 0; at < aggregates.length; at += 1) {
      const value = aggregates[at]?.(row);
      row.work.take(keySteps(value));
      (group.aggregates[at] as Aggregate).add(value);
    }
    return true;
  }

  get isCut(): boolean {
    return this.#kept.isCut;
  }

  results(): Results {
    const row = this.#row;
    const { output, select } = this.#block;
    const groups = this.#kept.inOrder();
    return {
      length: groups.length,
      row: (at) => {
        // Nobody asks beyond the length.
        const { place, aggregates } = groups[at] as Group;
        row.begin();
        row.group = { keys: place.keys, aggregates: aggregates.map(({ result }) => result) };
        const text = output(row);
        const value = text === undefined ? undefined : select(row);
        row.group = undefined;
        return { text, value };
      },
    };
  }

  after(count: number): SortedAfter {
    return this.#kept.after(count);
  }

  #add(name: unknown, keys: readonly Value[], of?: RowOfDocument): Group | undefined {
    const memory = new Memory(this.#row.memory);
    const group: Group = { name, place: { keys, rid: 0, row: 0 }, of, aggregates: [], memory };
    if (!this.#kept.wants(group)) return undefined;
    const { aggregates } = this.#block.bound;
    const keyBytes = keys.reduce<number>((sum, key) => sum + 2 * sizeOf(key), 0);
    memory.take(entryBytes + aggregates.length * aggregateBytes + keyBytes);
    group.aggregates = aggregates.map(({ kind }) => newAggregate(kind, memory));
    this.#groups.set(name, group);
    const gone = this.#kept.add(group);
    if (gone !== undefined) {
      this.#groups.delete(gone.name);
      gone.memory.giveAll();
    }
    return group;
  }
}

/** What an aggregate costs beside the values that it keeps. */
const aggregateBytes = 100;

interface Group extends Placed {
  readonly name: unknown;
  readonly memory: Memory;
  aggregates: readonly Aggregate[];
}

function ascending(): boolean {
  return false;
}
