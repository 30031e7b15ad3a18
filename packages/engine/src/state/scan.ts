// The scan: the documents of a range in the order of their rids, which is the order of creation, a batch at a time. What is not
// wanted is left out by its key alone; only what is in the batch is read from the log, neighbours with one read.
//
// Which versions are in a batch is decided in one turn of the event loop; they are those of a snapshot, if only of that turn. Their
// bodies are read after it; they do not change.

import { Buffer } from 'node:buffer';
import { decodeVersion } from '../index/documents.ts';
import type { KeyBounds } from '../index/keys.ts';
import {
  docKeyBounds,
  epkOfDocKey,
  idComponent,
  idOfDocKey,
  partitionBounds,
  partitionOfDocKey,
  prefixBounds,
  ridBlockKey,
  ridsPerBlock,
} from '../index/keys.ts';
import type { Rid } from '../index/rid-blocks.ts';
import { ridsOfBlock } from '../index/rid-blocks.ts';
import { scanEntriesMax, scanLookupsMax } from '../limits.ts';
import type { ScanBatch, ScanRequest } from '../range-engine.ts';
import type { ContainerState } from './container-state.ts';
import type { DatabaseState } from './database-state.ts';
import type { RangeState } from './range.ts';
import { checkKeyBounds, ridsOfRange } from './range.ts';
import type { Chosen } from './scan-bodies.ts';
import { readBodies } from './scan-bodies.ts';
import type { ContainerSnapshot } from './snapshot.ts';

/**
 * A child of a split finds its older documents under the rids of its ancestors and skips those that are not its own, a
 * bounded number for each batch.
 */
export async function scanInRidOrder(
  state: DatabaseState,
  range: RangeState,
  request: ScanRequest,
  snapshot: ContainerSnapshot,
): Promise<ScanBatch> {
  await state.takeTurns();
  const { chosen, end, isOver, areMany } = choose(state, range, request, snapshot);
  const tail = snapshot.tailLsn(range);
  const documents = await readBodies(state, snapshot, chosen);
  return { documents, tail, end, continuation: isOver ? undefined : end, areMany };
}

interface Choice {
  readonly chosen: readonly Chosen[];
  readonly end: number;
  readonly isOver: boolean;
  readonly areMany: boolean;
}

function choose(state: DatabaseState, range: RangeState, request: ScanRequest, snapshot: ContainerSnapshot): Choice {
  snapshot.checkNotLost();
  const { container } = snapshot;
  const { itemsMax, bytesMax } = request;
  const chosen: Chosen[] = [];
  const intervals = intervalsOf(request);
  const isWanted = filterOf(container, range, request, intervals);
  let bytes = 0;
  let end = request.from ?? 0;
  const byKey = request.areMany === true ? undefined : listSelected(state, snapshot, range, request, intervals, end);
  const areMany = byKey === undefined;
  for (const { ridNumber, key } of byKey ?? listRange(state, snapshot, range, request)) {
    if (chosen.length >= itemsMax || bytes >= bytesMax || ridNumber === scanEnd) {
      return { chosen, end, isOver: false, areMany };
    }
    const epk = epkOfDocKey(key);
    const version = isWanted(key, epk) ? snapshot.find(state, ridNumber, key, epk) : undefined;
    if (version !== undefined) {
      // What is in memory now may be in the log alone a moment later, and its memory somebody else's.
      const body = version.body ?? state.overlay.findBody(version);
      chosen.push({ key: body === undefined ? Buffer.from(key) : key, epk, version, body });
      bytes += version.place.length;
    }
    end = ridNumber + 1;
  }
  return { chosen, end, isOver: true, areMany };
}

/** Of effective keys. */
interface Interval {
  readonly min: Buffer;
  readonly max: Buffer;
}

function intervalsOf({ keys }: ScanRequest): readonly Interval[] | undefined {
  return keys?.map((each) => {
    checkKeyBounds(each);
    return { min: Buffer.from(each.min, 'hex'), max: Buffer.from(each.max, 'hex') };
  });
}

type IsWanted = (key: Buffer, epk: Buffer) => boolean;

/** By the key alone. */
function filterOf(
  container: ContainerState,
  range: RangeState,
  request: ScanRequest,
  intervals: readonly Interval[] | undefined,
): IsWanted {
  const partition = partitionOf(container, request);
  const ids = request.ids && new Set(request.ids.map((id) => idComponent(id).toString('latin1')));
  return (key, epk) => {
    if (!range.contains(epk)) return false;
    if (intervals !== undefined && !isInOne(intervals, epk)) return false;
    if (ids?.has(idOfDocKey(key).toString('latin1')) === false) return false;
    return partition === undefined || (partition.from.compare(key) <= 0 && partition.to.compare(key) > 0);
  };
}

/** They are in order: the last one that begins at the key or before it is the only one that can hold it. */
function isInOne(intervals: readonly Interval[], epk: Buffer): boolean {
  let low = 0;
  let high = intervals.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((intervals[middle] as Interval).min.compare(epk) <= 0) low = middle + 1;
    else high = middle;
  }
  const candidate = intervals[low - 1];
  return candidate !== undefined && candidate.max.compare(epk) > 0;
}

function partitionOf(container: ContainerState, { partitionKey }: ScanRequest): KeyBounds | undefined {
  if (partitionKey === undefined) return undefined;
  return partitionBounds(container.number, partitionKey.epk, partitionKey.bytes);
}

/** The documents that a partition key, intervals of keys or ids select. Undefined: all, or too many: then the range is walked. */
function listSelected(
  state: DatabaseState,
  snapshot: ContainerSnapshot,
  range: RangeState,
  request: ScanRequest,
  intervals: readonly Interval[] | undefined,
  from: number,
): Rid[] | undefined {
  const { number } = snapshot.container;
  const partition = partitionOf(snapshot.container, request);
  const ofKeys = intervals?.map(({ min, max }) => docKeyBounds(number, min, max));
  const bounds = partition === undefined ? ofKeys : [partition];
  // Where ids would be too many looks, what is there is looked at instead.
  const all = docKeyBounds(number, range.minKey, range.maxKey);
  const keys = request.ids && keysOfIds(state, snapshot, partition?.from, bounds ?? [all], request.ids);
  if (keys !== undefined) return lookUp(state, snapshot, keys, from);
  return bounds && listKeys(state, snapshot, bounds, from);
}

/** In a partition key, or in each that has, or had, any documents. Undefined: in too many. */
function keysOfIds(
  state: DatabaseState,
  snapshot: ContainerSnapshot,
  partition: Buffer | undefined,
  bounds: readonly KeyBounds[],
  ids: readonly string[],
): readonly Buffer[] | undefined {
  if (ids.length === 0) return [];
  if (ids.length > scanLookupsMax) return undefined;
  const components = ids.map(idComponent);
  const keysIn = (prefix: Buffer): Buffer[] => components.map((id) => Buffer.concat([prefix, id]));
  if (partition !== undefined) return keysIn(partition);
  const found: Buffer[] = [];
  let left = scanLookupsMax;
  for (const { from, to } of bounds) {
    left -= 1;
    for (let key = firstKey(state, snapshot, { from, to }); key !== undefined; ) {
      left -= 1 + components.length;
      if (left < 0) return undefined;
      const prefix = Buffer.from(partitionOfDocKey(key));
      found.push(...keysIn(prefix));
      key = firstKey(state, snapshot, { from: prefixBounds(prefix).to, to });
    }
  }
  return found;
}

function firstKey(state: DatabaseState, snapshot: ContainerSnapshot, bounds: KeyBounds): Buffer | undefined {
  const [present] = state.index.range({ ...bounds, limit: 1 });
  const gone = snapshot.gone.firstKey(bounds);
  if (present === undefined || gone === undefined) return present?.key ?? gone;
  return gone.compare(present.key) < 0 ? gone : present.key;
}

function lookUp(state: DatabaseState, snapshot: ContainerSnapshot, keys: readonly Buffer[], from: number): Rid[] {
  const found = new Map<number, Buffer>();
  for (const key of keys) {
    const version = state.findVisible(key);
    if (version !== undefined) found.set(version.ridNumber, key);
    for (const { ridNumber } of snapshot.gone.withKeys(prefixBounds(key))) found.set(ridNumber, key);
  }
  return sorted(found, from, Number.MAX_SAFE_INTEGER);
}

/** What lies there, if that is not too much: then the range is walked, and its keys are looked at. */
function listKeys(
  state: DatabaseState,
  snapshot: ContainerSnapshot,
  bounds: readonly KeyBounds[],
  from: number,
): Rid[] | undefined {
  const found = new Map<number, Buffer>();
  let left = scanEntriesMax;
  for (const each of bounds) {
    const entries = state.index.range({ ...each, limit: left });
    left -= entries.length + 1;
    if (left <= 0) return undefined;
    for (const { key, value } of entries) found.set(decodeVersion(value).ridNumber, key);
    for (const { ridNumber, key } of snapshot.gone.withKeys(each)) found.set(ridNumber, key);
  }
  return sorted(found, from, Number.MAX_SAFE_INTEGER);
}

/** In steps of a batch at first, so that a small one costs little; after as many entries as one may look at comes `scanEnd`. */
function* listRange(
  state: DatabaseState,
  snapshot: ContainerSnapshot,
  range: RangeState,
  request: ScanRequest,
): Generator<Rid> {
  const { container } = snapshot;
  const recent = listRecent(state, container, request.from ?? 0);
  const ids = [...range.entry.parents, range.entry.id].sort((a, b) => Number(a) - Number(b));
  let step = Math.max(stepMin, request.itemsMax);
  let left = scanEntriesMax;
  let given = 0;
  for (const id of ids) {
    const rids = ridsOfRange(id);
    let from = Math.max(rids.first, request.from ?? 0);
    while (from < rids.end) {
      const most = Math.min(step, left);
      const gone = snapshot.gone.withRids(from, rids.end, most);
      // Behind the last of them there may be more.
      let to = gone.length === most ? (gone.at(-1) as Rid).ridNumber + 1 : rids.end;
      const bounds = { from: ridBlockKey(container.number, from), to: ridBlockKey(container.number, rids.end) };
      // Of the first there may be nothing left.
      const limit = 1 + Math.ceil(most / ridsPerBlock);
      const blocks = state.index.range({ ...bounds, limit });
      const found = new Map<number, Buffer>();
      let last = from;
      for (const { key, value } of blocks) {
        for (const rid of ridsOfBlock(key, value)) {
          if (rid.ridNumber < from) continue;
          found.set(rid.ridNumber, rid.key);
          left -= 1;
          last = rid.ridNumber + 1;
        }
      }
      // Not behind the block: by the next look it may have more.
      if (blocks.length === limit && last > from) to = Math.min(to, last);
      left -= gone.length;
      for (; given < recent.length && (recent[given] as Rid).ridNumber < to; given += 1) {
        const { ridNumber, key } = recent[given] as Rid;
        found.set(ridNumber, key);
      }
      for (const { ridNumber, key } of gone) found.set(ridNumber, key);
      yield* sorted(found, from, to);
      from = to;
      // Who comes back has not found enough.
      step *= 2;
      if (left <= 0) {
        yield { ridNumber: scanEnd, key: noKey };
        return;
      }
    }
  }
}

const stepMin = 64;
const scanEnd = -1;
const noKey: Buffer = Buffer.alloc(0);

/** What the index does not have yet. */
function listRecent(state: DatabaseState, container: ContainerState, from: number): Rid[] {
  const found = state.overlay.rids.between(container.number, from, Number.MAX_SAFE_INTEGER);
  return found.sort((a, b) => a.ridNumber - b.ridNumber);
}

function sorted(found: ReadonlyMap<number, Buffer>, from: number, to: number): Rid[] {
  const rids: Rid[] = [];
  for (const [ridNumber, key] of found) if (ridNumber >= from && ridNumber < to) rids.push({ ridNumber, key });
  return rids.sort((a, b) => a.ridNumber - b.ridNumber);
}
