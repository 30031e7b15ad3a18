// Documents that were deleted while somebody reads a snapshot: found by rid and by key. New ones are few at a time, so they are looked
// at one by one until there are enough of them to be put in order with the others.

import { Buffer } from 'node:buffer';
import type { KeyBounds } from '../index/keys.ts';
import type { Rid } from '../index/rid-blocks.ts';

/** The key as Latin-1 text: it sorts as its bytes do, and holds on to no larger piece of memory. */
interface Gone {
  readonly ridNumber: number;
  readonly key: string;
}

const newMax = 512;

export class GoneDocuments {
  #byRid: Gone[] = [];
  #byKey: Gone[] = [];
  #new: Gone[] = [];

  add(ridNumber: number, key: Buffer): void {
    this.#new.push({ ridNumber, key: key.toString('latin1') });
    if (this.#new.length < newMax) return;
    this.#byRid = [...this.#byRid, ...this.#new].sort(byRid);
    this.#byKey = [...this.#byKey, ...this.#new].sort(byKey);
    this.#new = [];
  }

  clear(): void {
    this.#byRid = [];
    this.#byKey = [];
    this.#new = [];
  }

  /** The first few with rids in [from, end), in their order. */
  withRids(from: number, end: number, most: number): Rid[] {
    const start = firstAt(this.#byRid, ({ ridNumber }) => ridNumber >= from);
    const found: Gone[] = [];
    for (let at = start; at < this.#byRid.length && found.length < most; at += 1) {
      const gone = this.#byRid[at] as Gone;
      if (gone.ridNumber >= end) break;
      found.push(gone);
    }
    const fresh = this.#new.filter(({ ridNumber }) => ridNumber >= from && ridNumber < end);
    const all = fresh.length === 0 ? found : [...found, ...fresh].sort(byRid);
    return all.slice(0, most).map(ridOf);
  }

  /** The first key in [from, to). */
  firstKey(bounds: KeyBounds): Buffer | undefined {
    const from = bounds.from.toString('latin1');
    const sorted = this.#byKey[firstAt(this.#byKey, ({ key }) => key >= from)]?.key;
    const first = this.#new.reduce(
      (least, { key }) => (key >= from && (least === undefined || key < least) ? key : least),
      sorted,
    );
    return first === undefined || first >= bounds.to.toString('latin1') ? undefined : Buffer.from(first, 'latin1');
  }

  /** Those whose keys are in [from, to), in any order. */
  withKeys(bounds: KeyBounds): Rid[] {
    const from = bounds.from.toString('latin1');
    const to = bounds.to.toString('latin1');
    const start = firstAt(this.#byKey, ({ key }) => key >= from);
    const end = firstAt(this.#byKey, ({ key }) => key >= to);
    const fresh = this.#new.filter(({ key }) => key >= from && key < to);
    return [...this.#byKey.slice(start, end), ...fresh].map(ridOf);
  }
}

function firstAt(sorted: readonly Gone[], isBehind: (gone: Gone) => boolean): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBehind(sorted[middle] as Gone)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function byRid(a: Gone, b: Gone): number {
  return a.ridNumber - b.ridNumber;
}

function byKey(a: Gone, b: Gone): number {
  if (a.key === b.key) return 0;
  return a.key < b.key ? -1 : 1;
}

function ridOf({ ridNumber, key }: Gone): Rid {
  return { ridNumber, key: Buffer.from(key, 'latin1') };
}
