// The ways of putting rows together. What has to see all rows before it gives any keeps only those that the page can show,
// or counts what it keeps against the memory of the query.

import { compareJson } from '@tidemark/model';
import type { ProgramBlock } from '../compile/program.ts';
import type { Row } from '../compile/row.ts';
import type { Aggregate } from '../value/aggregate.ts';
import { newAggregate } from '../value/aggregate.ts';
import type { Memory } from '../value/memory.ts';
import { compareOrder } from '../value/sort-key.ts';
import type { Value } from '../value/value.ts';
import { contentKeyOf, ValueSet } from '../value/value-set.ts';
import { sizeOf } from '../value/value-size.ts';
import type { After, Collector, ResultRow } from './collector.ts';
import { Smallest } from './smallest.ts';

/** Rows as they come, up to a full page. */
export class StreamedRows implements Collector {
  readonly #block: ProgramBlock;
  readonly #itemsMax: number;
  readonly #bytesMax: number;
  readonly #rows: ResultRow[] = [];
  #bytes = 0;
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

  get count(): number {
    return this.#rows.length;
  }

  get isFull(): boolean {
    return this.#rows.length >= this.#itemsMax || this.#bytes >= this.#bytesMax;
  }

  add(row: Row, place: number): boolean {
    const text = this.#block.output(row);
    if (text === undefined) return true;
    const at = { rid: row.document.rid, row: place };
    this.last = at;
    if (this.offsetLeft > 0) {
      this.offsetLeft -= 1;
      return true;
    }
    this.#rows.push({ text, value: undefined, after: { keys: [], ...at } });
    this.#bytes += text.length;
    return !this.isFull;
  }

  results(): readonly ResultRow[] {
    return this.#rows;
  }
}

/** All rows, for what cannot be done in pieces: kept whole, sorted where they have an order, each once where they are distinct. */
export class AllRows implements Collector {
  readonly #block: ProgramBlock;
  readonly #memory: Memory;
  readonly #rows: (SortPlace & { readonly text: string; readonly value: Value })[] = [];
  readonly #isSorted: boolean;

  constructor(block: ProgramBlock, memory: Memory) {
    this.#block = block;
    this.#memory = memory;
    this.#isSorted = block.orderKeys.length > 0;
  }

  add(row: Row, place: number): boolean {
    const value = this.#block.select(row);
    const text = value === undefined ? undefined : this.#block.output(row);
    if (text === undefined) return true;
    const keys = this.#block.orderKeys.map((key) => key(row));
    this.#memory.take(groupBytes + 3 * text.length);
    this.#rows.push({ keys, rid: row.document.rid, row: place, text, value });
    return true;
  }

  results(): readonly ResultRow[] {
    if (this.#isSorted) this.#rows.sort((a, b) => compareOrder(a.keys, b.keys, this.#block.areDescending));
    return distinctOf(this.#rows, this.#block.bound.isDistinct).map(({ text, value }, at) => ({
      text,
      value,
      after: { rows: at + 1 },
    }));
  }
}

export function distinctOf<T extends { readonly value: Value }>(rows: readonly T[], isDistinct: boolean): readonly T[] {
  if (!isDistinct) return rows;
  const seen = new ValueSet();
  return rows.filter(({ value }) => seen.add(value));
}

/** Sorted rows, the first `most` behind a place. */
export class SortedRows implements Collector {
  readonly #block: ProgramBlock;
  readonly #memory: Memory;
  readonly #after: SortPlace | undefined;
  readonly #kept: Smallest<SortedRow>;

  constructor(block: ProgramBlock, memory: Memory, most: number, after: SortPlace | undefined) {
    this.#block = block;
    this.#memory = memory;
    this.#after = after;
    this.#kept = new Smallest<SortedRow>(most, (a, b) => this.#compare(a.place, b.place));
  }

  add(row: Row, place: number): boolean {
    const { orderKeys, output } = this.#block;
    const keys = orderKeys.map((key) => key(row));
    const entry: SortedRow = { place: { keys, rid: row.document.rid, row: place }, text: '' };
    if (this.#after !== undefined && this.#compare(entry.place, this.#after) <= 0) return true;
    if (!this.#kept.wants(entry)) return true;
    const text = output(row);
    if (text === undefined) return true;
    entry.text = text;
    this.#memory.take(bytesOf(entry));
    const gone = this.#kept.add(entry);
    if (gone !== undefined) this.#memory.give(bytesOf(gone));
    return true;
  }

  results(): readonly ResultRow[] {
    return this.#kept.inOrder().map(({ text, place }) => ({ text, value: undefined, after: place }));
  }

  #compare(a: SortPlace, b: SortPlace): number {
    return compareOrder(a.keys, b.keys, this.#block.areDescending) || a.rid - b.rid || a.row - b.row;
  }
}

interface SortPlace {
  readonly keys: readonly Value[];
  readonly rid: number;
  readonly row: number;
}

interface SortedRow {
  readonly place: SortPlace;
  text: string;
}

function bytesOf({ text, place }: SortedRow): number {
  return 2 * text.length + place.keys.reduce<number>((bytes, key) => bytes + sizeOf(key), 0);
}

/** Groups in the order of their keys, the first `most` behind one. A group that is too late already need not be counted. */
export class Groups implements Collector {
  readonly #block: ProgramBlock;
  readonly #memory: Memory;
  readonly #after: readonly Value[] | undefined;
  readonly #groups = new Map<unknown, KeptGroup>();
  readonly #kept: Smallest<KeptGroup>;
  readonly #row: Row;

  constructor(block: ProgramBlock, memory: Memory, row: Row, most: number, after: readonly Value[] | undefined) {
    this.#block = block;
    this.#memory = memory;
    this.#row = row;
    this.#after = after;
    this.#kept = new Smallest<KeptGroup>(most, (a, b) => compareKeys(a.keys, b.keys));
    // Without GROUP BY there is one group, also of nothing.
    if (block.groupKeys.length === 0 && after === undefined) this.#add({ name: undefined, keys: [] });
  }

  add(row: Row): boolean {
    const { groupKeys, aggregates } = this.#block;
    const keys = groupKeys.map((key) => key(row));
    const name = groupKeys.length === 0 ? undefined : contentKeyOf(keys);
    const group = this.#groups.get(name) ?? this.#add({ name, keys });
    if (group === undefined) return true;
    for (let place = 0; place < aggregates.length; place += 1) {
      (group.aggregates[place] as Aggregate).add(aggregates[place]?.(row));
    }
    return true;
  }

  results(): readonly ResultRow[] {
    const row = this.#row;
    return this.#kept.inOrder().flatMap(({ keys, aggregates }) => {
      row.group = { keys, aggregates: aggregates.map(({ result }) => result) };
      const text = this.#block.output(row);
      const value = text === undefined ? undefined : this.#block.select(row);
      row.group = undefined;
      return text === undefined ? [] : [{ text, value, after: { keys, rid: 0, row: 0 } }];
    });
  }

  #add({ name, keys }: Pick<KeptGroup, 'name' | 'keys'>): KeptGroup | undefined {
    if (this.#after !== undefined && compareKeys(keys, this.#after) <= 0) return undefined;
    const group: KeptGroup = { name, keys, aggregates: [] };
    if (!this.#kept.wants(group)) return undefined;
    const bytes = groupBytes + keys.reduce<number>((sum, key) => sum + sizeOf(key), 0);
    this.#memory.take(bytes);
    group.aggregates = this.#block.bound.aggregates.map(({ kind }) => newAggregate(kind, this.#memory));
    this.#groups.set(name, group);
    const gone = this.#kept.add(group);
    if (gone !== undefined) this.#groups.delete(gone.name);
    return group;
  }
}

interface KeptGroup {
  readonly name: unknown;
  readonly keys: readonly Value[];
  aggregates: readonly Aggregate[];
}

const groupBytes = 200;

function compareKeys(a: readonly Value[], b: readonly Value[]): number {
  for (let at = 0; at < a.length; at += 1) {
    const order = compareJson(a[at], b[at]);
    if (order !== 0) return order;
  }
  return 0;
}

/** Each value once, in the order of values, the first `most` behind one. */
export class DistinctRows implements Collector {
  readonly #block: ProgramBlock;
  readonly #memory: Memory;
  readonly #after: Value;
  readonly #present = new ValueSet();
  readonly #kept: Smallest<Value>;

  constructor(block: ProgramBlock, memory: Memory, most: number, after: Value) {
    this.#block = block;
    this.#memory = memory;
    this.#after = after;
    this.#kept = new Smallest<Value>(most, compareJson);
  }

  add(row: Row): boolean {
    const value = this.#block.select(row);
    if (value === undefined || this.#present.has(value)) return true;
    if (this.#after !== undefined && compareJson(value, this.#after) <= 0) return true;
    if (!this.#kept.wants(value)) return true;
    this.#memory.take(groupBytes + sizeOf(value));
    this.#present.add(value);
    const gone = this.#kept.add(value);
    if (gone !== undefined) this.#present.delete(gone);
    return true;
  }

  results(): readonly ResultRow[] {
    return this.#kept.inOrder().map((value) => ({
      text: JSON.stringify(value),
      value,
      after: { keys: [value], rid: 0, row: 0 },
    }));
  }
}

export function afterKeys(after: After | undefined): readonly Value[] | undefined {
  return after !== undefined && 'keys' in after ? after.keys : undefined;
}
