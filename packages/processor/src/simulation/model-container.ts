// A container in memory, as far as a change feed shows it: ranges that split and merge, an LSN for each range, the latest version of each
// document or all of them. No faults and no time passes here: what is asked is answered as of now.
//
// A position is the text `"<lsn>"`. Children go on counting where their parents stood and show what the parents had, so a position of a
// parent is good in its child for the keys that both have. After a merge the parents' histories lie side by side in one range, each with
// its own LSNs: then a position means something only together with the slice of keys that it was read for.

import type { KeyRange, PartitionKeyDefinition } from '@tidemark/model';
import { DatabaseError, effectiveKey, effectiveKeyHex, keyRangeContains, keyRangesIntersect } from '@tidemark/model';
import type { FeedItem, FeedMode, FeedRead, FeedStart, PhysicalRange } from '../feed/feed-source.ts';

type ChangeType = 'create' | 'replace' | 'delete';

/** One committed change. */
export interface Change {
  /** Order of all commits of the container, over all ranges. */
  readonly sequence: number;
  readonly partitionKey: string;
  /** Where the key lies in the key space. */
  readonly position: string;
  readonly id: string;
  readonly lsn: number;
  readonly timeMs: number;
  readonly type: ChangeType;
  readonly document: Readonly<Record<string, unknown>> | undefined;
  readonly previous: Change | undefined;
  /** A later version exists, or the document was deleted: the latest-version feed does not show this one any more. */
  isSuperseded: boolean;
}

export interface Write {
  readonly id: string;
  /** Undefined deletes. */
  readonly document: Readonly<Record<string, unknown>> | undefined;
}

export interface ModelPage {
  readonly position: string;
  readonly changes: readonly Change[];
  readonly isDrained: boolean;
  readonly tailLsn: number;
}

export interface ModelRange extends PhysicalRange {
  readonly log: readonly Change[];
  readonly tailLsn: number;
}

interface LiveRange extends ModelRange {
  readonly log: Change[];
  tailLsn: number;
}

export interface ModelContainerOptions {
  readonly ranges: number;
  readonly nowMs: () => number;
  /** Versions older than this are gone from the all-versions feed. */
  readonly retentionMs?: number;
  /** A read that has looked at so many changes without finding one answers an empty page. */
  readonly scanMax?: number;
}

export class ModelContainer {
  readonly #nowMs: () => number;
  readonly #retentionMs: number;
  readonly #scanMax: number;
  #ranges: LiveRange[];
  #rangesMade = 0;
  /** Of every range that ever was. */
  readonly #keysOfRange = new Map<string, KeyRange>();
  readonly #current = new Map<string, Change>();
  readonly #waiting = new Set<() => void>();
  /** Every change, in the order of commits. */
  readonly changes: Change[] = [];

  constructor(options: ModelContainerOptions) {
    this.#nowMs = options.nowMs;
    this.#retentionMs = options.retentionMs ?? Number.POSITIVE_INFINITY;
    this.#scanMax = options.scanMax ?? 200;
    this.#ranges = [];
    let min = '';
    for (let i = 1; i <= options.ranges; i += 1) {
      const max = i === options.ranges ? 'FF' : hex(Math.floor((i * keysEnd) / options.ranges));
      this.#ranges.push(this.#newRange({ min, max }, []));
      min = max;
    }
  }

  get ranges(): readonly ModelRange[] {
    return this.#ranges;
  }

  /** Also of a range that is gone. */
  keysOfRange(id: string): KeyRange | undefined {
    return this.#keysOfRange.get(id);
  }

  rangesOf(keys: KeyRange): readonly ModelRange[] {
    return this.#ranges.filter((range) => keyRangesIntersect(range, keys));
  }

  /** One transaction in one partition key: all its changes have one LSN. */
  commit(partitionKey: string, writes: readonly Write[]): readonly Change[] {
    const position = positionOfKey(partitionKey);
    const range = this.#ranges.find((one) => keyRangeContains(one, position));
    if (range === undefined) throw new Error('the ranges do not cover the key space');
    const committed: Change[] = [];
    range.tailLsn += 1;
    for (const { id, document } of writes) {
      const current = this.#current.get(id);
      const exists = current?.document !== undefined;
      if (document === undefined && !exists) continue;
      const type = document === undefined ? 'delete' : exists ? 'replace' : 'create';
      const change: Change = {
        sequence: this.changes.length,
        partitionKey,
        position,
        id,
        lsn: range.tailLsn,
        timeMs: this.#nowMs(),
        type,
        document,
        previous: exists ? current : undefined,
        isSuperseded: document === undefined,
      };
      if (current !== undefined) current.isSuperseded = true;
      this.#current.set(id, change);
      range.log.push(change);
      this.changes.push(change);
      committed.push(change);
    }
    this.#wake();
    return committed;
  }

  /** Both halves, or undefined for a range that is too narrow or not there. */
  split(id: string): readonly ModelRange[] | undefined {
    const parent = this.#ranges.find((range) => range.id === id);
    if (parent === undefined) return undefined;
    const low = numberOf(parent.min);
    const high = parent.max === 'FF' ? keysEnd : numberOf(parent.max);
    if (high - low < 2) return undefined;
    const middle = hex(Math.floor((low + high) / 2));
    const children = [
      this.#newRange({ min: parent.min, max: middle }, [parent]),
      this.#newRange({ min: middle, max: parent.max }, [parent]),
    ];
    this.#replaceRanges([parent], children);
    return children;
  }

  /** The range and its right neighbour become one; undefined where there is none. */
  merge(id: string): ModelRange | undefined {
    const left = this.#ranges.find((range) => range.id === id);
    const right = this.#ranges.find((range) => range.min === left?.max);
    if (left === undefined || right === undefined) return undefined;
    const child = this.#newRange({ min: left.min, max: right.max }, [left, right]);
    this.#replaceRanges([left, right], [child]);
    return child;
  }

  read(read: Pick<FeedRead, 'range' | 'keys' | 'mode' | 'from' | 'itemsMax'>): ModelPage {
    const range = this.#rangeOf(read);
    const keys = read.keys ?? range;
    const startLsn = this.#startLsn(range, read.mode, read.from);
    const itemsMax = read.itemsMax ?? 100;
    const changes: Change[] = [];
    let lsn = startLsn;
    let scanned = 0;
    for (let i = firstAfter(range.log, startLsn); i < range.log.length; i += 1) {
      const change = range.log[i] as Change; // In range.
      // What was committed together comes together.
      if (change.lsn !== lsn && (changes.length >= itemsMax || (scanned >= this.#scanMax && changes.length === 0))) {
        return { position: `"${lsn}"`, changes, isDrained: false, tailLsn: range.tailLsn };
      }
      lsn = change.lsn;
      scanned += 1;
      if (!keyRangeContains(keys, change.position)) continue;
      if (read.mode === 'latest' && change.isSuperseded) continue;
      changes.push(change);
    }
    return {
      position: `"${range.tailLsn}"`,
      changes,
      isDrained: changes.length === 0,
      tailLsn: range.tailLsn,
    };
  }

  /** Calls back once, at the next commit, split or merge. The returned function takes it back. */
  onNext(wake: () => void): () => void {
    this.#waiting.add(wake);
    return () => this.#waiting.delete(wake);
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  #rangeOf(read: Pick<FeedRead, 'range' | 'keys'>): LiveRange {
    if (read.range !== undefined) {
      const named = this.#ranges.find((range) => range.id === read.range);
      if (named !== undefined) return named;
      throw new DatabaseError(
        this.#keysOfRange.has(read.range) ? 'range-gone' : 'range-unknown',
        `range ${read.range} is not there`,
      );
    }
    const { keys } = read;
    if (keys === undefined) throw new DatabaseError('bad-request', 'a read names a range or keys');
    const around = this.#ranges.find((range) => range.min <= keys.min && keys.max <= range.max);
    if (around === undefined) throw new DatabaseError('range-gone', 'the keys lie in more than one range');
    return around;
  }

  #startLsn(range: LiveRange, mode: FeedMode, from: FeedStart): number {
    if (from === 'now') return range.tailLsn;
    if (from === 'beginning') {
      if (mode === 'all-versions')
        throw new DatabaseError('bad-request', 'all versions are not read from the beginning');
      return 0;
    }
    if ('timeMs' in from) {
      const first = range.log.findIndex((change) => secondOf(change.timeMs) > secondOf(from.timeMs));
      return first < 0 ? range.tailLsn : (range.log[first] as Change).lsn - 1;
    }
    const lsn = lsnOf(from.position);
    if (lsn === undefined || lsn > range.tailLsn)
      throw new DatabaseError('invalid-continuation', `${from.position} is no position of range ${range.id}`);
    if (mode === 'all-versions') this.#checkRetention(range, lsn);
    return lsn;
  }

  #checkRetention(range: LiveRange, lsn: number): void {
    const oldestMs = this.#nowMs() - this.#retentionMs;
    const next = range.log[firstAfter(range.log, lsn)];
    if (next !== undefined && next.timeMs < oldestMs)
      throw new DatabaseError('retention-passed', 'versions after this position are no longer kept');
  }

  #newRange(keys: KeyRange, parents: readonly LiveRange[]): LiveRange {
    const log = parents.flatMap((parent) => parent.log.filter((change) => keyRangeContains(keys, change.position)));
    if (parents.length > 1) log.sort((a, b) => a.lsn - b.lsn || a.sequence - b.sequence);
    const id = String(this.#rangesMade);
    this.#rangesMade += 1;
    this.#keysOfRange.set(id, keys);
    return {
      id,
      min: keys.min,
      max: keys.max,
      // As the wire has them: all ancestors, the oldest first.
      parents: [...new Set(parents.flatMap((parent) => [...parent.parents, parent.id]))],
      log,
      tailLsn: Math.max(0, ...parents.map((parent) => parent.tailLsn)),
    };
  }

  #replaceRanges(gone: readonly LiveRange[], come: readonly LiveRange[]): void {
    this.#ranges = [...this.#ranges.filter((range) => !gone.includes(range)), ...come];
    this.#ranges.sort((a, b) => (a.min < b.min ? -1 : 1));
    this.#wake();
  }
}

/** The LSN in a position; undefined for what is none. */
export function lsnOf(position: string): number | undefined {
  const digits = /^"(\d+)"$/.exec(position)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Times of the feed have whole seconds. */
function secondOf(timeMs: number): number {
  return Math.floor(timeMs / 1000);
}

/** The first four digits of where keys end: their two highest bits are never set (wire 9). */
const keysEnd = 0x4000;

const placement: PartitionKeyDefinition = { paths: ['/pk'], kind: 'Hash', version: 2 };

/** Where a key lies: as an endpoint and a pump place it. */
export function positionOfKey(partitionKey: string): string {
  return effectiveKeyHex(effectiveKey(placement, [partitionKey]));
}

/** A change in the form of the wire. */
export function itemOf(change: Change, mode: FeedMode, identity: ItemIdentity): FeedItem {
  const system = (one: Change): Record<string, unknown> => ({
    ...one.document,
    id: one.id,
    [identity.keyName]: one.partitionKey,
    _rid: `${identity.containerRid}${one.id}`,
    _self: `dbs/d/colls/c/docs/${one.id}/`,
    _etag: `"e${one.sequence}"`,
    _ts: Math.floor(one.timeMs / 1000),
    _lsn: one.lsn,
  });
  if (change.document?.['isBroken'] === true) {
    // Cut off in the middle, as by a defect of whoever wrote it.
    const text = JSON.stringify({ id: change.id, _lsn: change.lsn, ...system(change) });
    return { raw: new TextEncoder().encode(text.slice(0, -10)), reason: 'unexpected end of JSON' };
  }
  if (mode === 'latest') return { value: system(change) };
  const { previous } = change;
  return {
    value: {
      ...(change.document === undefined ? {} : { current: system(change) }),
      ...(previous?.document === undefined ? {} : { previous: system(previous) }),
      metadata: {
        operationType: change.type,
        lsn: change.lsn,
        crts: Math.floor(change.timeMs / 1000),
        previousImageLSN: previous?.lsn ?? 0,
        ...(change.type === 'delete'
          ? { timeToLiveExpired: false, id: change.id, partitionKey: { [identity.keyName]: change.partitionKey } }
          : {}),
      },
    },
  };
}

export interface ItemIdentity {
  readonly containerRid: string;
  /** Member that carries the partition key. */
  readonly keyName: string;
}

function hex(value: number): string {
  return value.toString(16).toUpperCase().padStart(4, '0');
}

function numberOf(text: string): number {
  return text === '' ? 0 : Number.parseInt(text, 16);
}

/** Index of the first change after `lsn`. */
function firstAfter(log: readonly Change[], lsn: number): number {
  let low = 0;
  let high = log.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((log[middle] as Change).lsn <= lsn) low = middle + 1;
    else high = middle;
  }
  return low;
}
