// One live range: what moves with each commit. The rest of it is in the catalog.
//
// `decided` runs ahead of `published` by the groups that are in flight: a decision sees the first, a reader the second.

import { Buffer } from 'node:buffer';
import type { KeyRange } from '@tidemark/model';
import { DatabaseError, effectiveKeyFromHex } from '@tidemark/model';
import type { RangeEntry } from './catalog.ts';

/** Rid numbers of a range start with the range's id; 2^37 documents can be created in one before it must split. */
const ridsPerRange: number = 2 ** 37;

export interface RangePosition {
  readonly lsn: number;
  readonly timeMs: number;
  readonly nextRid: number;
  /** What its latest versions occupy; after a split an estimate, until it evens out. */
  readonly bytes: number;
  /** How many documents it has; after a split a share of them, so that all ranges of a container together have as many as there are. */
  readonly documents: number;
}

export class RangeState {
  readonly container: number;
  entry: RangeEntry;
  readonly minKey: Buffer;
  readonly maxKey: Buffer;
  decidedLsn: number;
  /** Time never goes back along a lineage, whatever the clock does. */
  decidedTimeMs: number;
  nextRid: number;
  /** The tail: the last LSN that readers may see. */
  tailLsn: number;
  tailTimeMs: number;
  bytes: number;
  documents: number;
  /** Set when a split or merge has been decided: what comes after it belongs to the children. */
  isSealed: boolean;

  constructor(container: number, entry: RangeEntry, position: RangePosition) {
    this.container = container;
    this.entry = entry;
    this.minKey = Buffer.from(effectiveKeyFromHex(entry.min));
    this.maxKey = Buffer.from(effectiveKeyFromHex(entry.max));
    this.decidedLsn = position.lsn;
    this.decidedTimeMs = position.timeMs;
    this.nextRid = position.nextRid;
    this.tailLsn = position.lsn;
    this.tailTimeMs = position.timeMs;
    this.bytes = position.bytes;
    this.documents = position.documents;
    this.isSealed = false;
  }

  get number(): number {
    return this.entry.number;
  }

  /** The position a range starts with when nothing was ever written to it. */
  static origin(entry: RangeEntry, timeMs: number, share: Pick<RangePosition, 'bytes' | 'documents'>): RangePosition {
    return { lsn: entry.baseLsn, timeMs, nextRid: Number(entry.id) * ridsPerRange + 1, ...share };
  }

  contains(epk: Uint8Array): boolean {
    return this.minKey.compare(epk) <= 0 && this.maxKey.compare(epk) > 0;
  }

  get position(): RangePosition {
    const { tailLsn, tailTimeMs, nextRid, bytes, documents } = this;
    return { lsn: tailLsn, timeMs: tailTimeMs, nextRid, bytes, documents };
  }
}

/** Whether a bound of keys is one: whole bytes in upper-case hex. Anything else would compare, and be wrong. */
export function isKeyBound(hex: string): boolean {
  return /^(?:[0-9A-F]{2})*$/.test(hex);
}

/** Of an interval that a caller gives, with types or without. Throws `bad-request`. */
export function checkKeyBounds(keys: KeyRange): void {
  const { min, max }: Partial<KeyRange> = keys ?? {};
  if (typeof min === 'string' && typeof max === 'string' && isKeyBound(min) && isKeyBound(max)) return;
  const wanted = 'Keys are { min, max }, effective partition keys in upper-case hex as those of the ranges are';
  throw new DatabaseError('bad-request', `${wanted}; these are ${JSON.stringify(keys)}.`);
}

/** The rid numbers that were given in the range with this id: [first, end). */
export function ridsOfRange(id: string): { readonly first: number; readonly end: number } {
  return { first: Number(id) * ridsPerRange, end: (Number(id) + 1) * ridsPerRange };
}
