// A container in memory with ranges that split and merge: enough of a feed for the tests of hosts. Positions are `"lsn"`.

import type { KeyRange } from '@tidemark/model';
import { DatabaseError, keyRangeContains, keyRangesIntersect } from '@tidemark/model';
import type { FeedPage, FeedRead, FeedSource, PhysicalRange, SourceIdentity } from '../../src/feed/feed-source.ts';

export interface SmallChange {
  readonly id: string;
  readonly key: string;
  readonly lsn: number;
}

export class SmallFeed implements FeedSource {
  containerRid = 'coll=';
  #ranges: PhysicalRange[];
  readonly #changes: SmallChange[] = [];
  #lsn = 0;
  #nextRange: number;
  /** Thrown by reads of these ranges. */
  readonly failures = new Map<string, Error>();
  reads = 0;

  constructor(count = 1) {
    const bounds = ['', ...Array.from({ length: count - 1 }, (_, i) => hex((i + 1) / count)), 'FF'];
    this.#ranges = Array.from({ length: count }, (_, i) => ({
      id: String(i),
      min: bounds[i] as string, // As many bounds as ranges, and one.
      max: bounds[i + 1] as string,
      parents: [],
    }));
    this.#nextRange = count;
  }

  write(key: string, id = `doc-${this.#lsn + 1}`): SmallChange {
    this.#lsn += 1;
    const change = { id, key, lsn: this.#lsn };
    this.#changes.push(change);
    return change;
  }

  get changes(): readonly SmallChange[] {
    return this.#changes;
  }

  split(id: string, at: string): void {
    const range = this.#find(id);
    const parents = [...range.parents, range.id];
    const low = { id: String(this.#nextRange++), min: range.min, max: at, parents };
    const high = { id: String(this.#nextRange++), min: at, max: range.max, parents };
    this.#ranges = this.#ranges.flatMap((each) => (each.id === id ? [low, high] : [each]));
  }

  merge(a: string, b: string): void {
    const [low, high] = [this.#find(a), this.#find(b)];
    const merged = { id: String(this.#nextRange++), min: low.min, max: high.max, parents: [a, b] };
    this.#ranges = this.#ranges.flatMap((each) => (each.id === a ? [merged] : each.id === b ? [] : [each]));
  }

  async identity(): Promise<SourceIdentity> {
    return {
      account: 'host',
      databaseRid: 'db==',
      containerRid: this.containerRid,
      name: 'shop/orders',
      partitionKeyPaths: ['/key'],
    };
  }

  async ranges(): Promise<readonly PhysicalRange[]> {
    return this.#ranges;
  }

  async read(read: FeedRead): Promise<FeedPage> {
    this.reads += 1;
    const keys = this.#keysOf(read);
    const failure = this.failures.get(read.range ?? `${keys.min}-${keys.max}`);
    if (failure !== undefined) throw failure;
    const after = this.#after(read.from);
    const found = this.#changes.filter(({ key, lsn }) => lsn > after && keyRangeContains(keys, key));
    const page = found.slice(0, read.itemsMax ?? 10);
    const last = page.at(-1)?.lsn ?? (read.from === 'now' ? this.#lsn : Math.max(after, this.#lsn));
    return {
      position: `"${last}"`,
      items: read.from === 'now' ? [] : page.map((value) => ({ value: { ...value } })),
      isDrained: page.length === 0,
      isWaitApplied: false,
      charge: 1,
      tailLsn: this.#lsn,
      sessionToken: undefined,
      serverTimeMs: undefined,
    };
  }

  #after(from: FeedRead['from']): number {
    if (from === 'now') return this.#lsn;
    if (typeof from === 'object' && 'position' in from) {
      if (!/^"\d+"$/.test(from.position)) throw new DatabaseError('invalid-continuation', 'That is no position.');
      return Number(from.position.slice(1, -1));
    }
    return 0;
  }

  #keysOf(read: FeedRead): KeyRange {
    if (read.range !== undefined) {
      const range = this.#find(read.range);
      return read.keys ?? range;
    }
    const keys = read.keys ?? { min: '', max: 'FF' };
    const ranges = this.#ranges.filter((range) => keyRangesIntersect(range, keys));
    if (ranges.length !== 1) throw new DatabaseError('range-gone', 'The keys do not lie in one range.');
    return keys;
  }

  #find(id: string): PhysicalRange {
    const range = this.#ranges.find((each) => each.id === id);
    if (range === undefined) throw new DatabaseError('range-gone', `The range ${id} was split or merged.`);
    return range;
  }
}

function hex(fraction: number): string {
  return Math.floor(fraction * 256)
    .toString(16)
    .toUpperCase()
    .padStart(2, '0');
}
