// The read feed: the documents of a range in the order of their rids, which is the order of creation. What is not wanted is
// left out by its key alone; only what is sent is read from the log.

import { Buffer } from 'node:buffer';
import { effectiveKeyFromHex } from '@tidemark/model';
import { decodeVersion } from '../index/documents.ts';
import type { KeyBounds } from '../index/keys.ts';
import { epkOfDocKey, idOfDocKey, partitionBounds, ridBlockKey, ridsPerBlock } from '../index/keys.ts';
import type { Rid } from '../index/rid-blocks.ts';
import { ridsOfBlock } from '../index/rid-blocks.ts';
import { scanEntriesMax } from '../limits.ts';
import type { ReadFeedPage, ReadFeedRequest, StoredDocument } from '../range-engine.ts';
import type { ContainerState } from './container-state.ts';
import type { DatabaseState } from './database-state.ts';
import type { RangeState } from './range.ts';
import { checkKeyBounds, ridsOfRange } from './range.ts';
import { readByKey } from './read-documents.ts';

/**
 * A child of a split finds its older documents under the rids of its ancestors and skips those that are not its own, a
 * bounded number for each page.
 */
export async function readInRidOrder(
  state: DatabaseState,
  container: ContainerState,
  range: RangeState,
  request: ReadFeedRequest,
): Promise<ReadFeedPage> {
  await state.takeTurns();
  const documents: StoredDocument[] = [];
  const isWanted = filterOf(container, range, request);
  const partition = partitionOf(container, request);
  let bytes = 0;
  let end = request.from ?? 0;
  const listed = (partition && listPartition(state, partition, end)) ?? listRange(state, container, range, request);
  for (const { ridNumber, key } of listed) {
    if (documents.length >= request.itemsMax || bytes >= request.bytesMax) return { documents, end, continuation: end };
    if (ridNumber === scanEnd) return { documents, end, continuation: end };
    const epk = epkOfDocKey(key);
    if (isWanted(key, epk)) {
      const document = await readByKey(state, container, key, epk, ridNumber);
      if (document !== undefined && hasIdPrefix(document, key, request.idPrefix)) {
        documents.push(document);
        bytes += document.bytes.length;
      }
    }
    end = ridNumber + 1;
  }
  return { documents, end, continuation: undefined };
}

/** By the key alone; of an id that is too long for it only the beginning. */
function filterOf(
  container: ContainerState,
  range: RangeState,
  request: ReadFeedRequest,
): (key: Buffer, epk: Buffer) => boolean {
  const { keys, idPrefix } = request;
  if (keys !== undefined) checkKeyBounds(keys);
  const min = keys === undefined ? undefined : Buffer.from(effectiveKeyFromHex(keys.min));
  const max = keys === undefined ? undefined : Buffer.from(effectiveKeyFromHex(keys.max));
  const partition = partitionOf(container, request);
  const prefix = idPrefix === undefined || idPrefix === '' ? undefined : Buffer.from(idPrefix);
  return (key, epk) => {
    if (!range.contains(epk)) return false;
    if (min !== undefined && min.compare(epk) > 0) return false;
    if (max !== undefined && max.compare(epk) <= 0) return false;
    if (partition !== undefined && (partition.from.compare(key) > 0 || partition.to.compare(key) <= 0)) return false;
    return prefix === undefined || mayBeginWith(idOfDocKey(key), prefix);
  };
}

function mayBeginWith(id: ReturnType<typeof idOfDocKey>, prefix: Buffer): boolean {
  if (prefix.length <= id.bytes.length) return id.bytes.subarray(0, prefix.length).equals(prefix);
  return !id.isWhole && id.bytes.equals(prefix.subarray(0, id.bytes.length));
}

/** What the key could not say of a long id, the document does. */
function hasIdPrefix(document: StoredDocument, key: Buffer, prefix: string | undefined): boolean {
  if (prefix === undefined || idOfDocKey(key).isWhole) return true;
  const { id } = JSON.parse(document.bytes.toString('utf8')) as { id: string };
  return id.startsWith(prefix);
}

function partitionOf(container: ContainerState, { partitionKey }: ReadFeedRequest): KeyBounds | undefined {
  if (partitionKey === undefined) return undefined;
  return partitionBounds(container.number, partitionKey.epk, partitionKey.bytes);
}

/** Undefined when the partition key has too many documents: then the range is walked, and its keys are looked at. */
function listPartition(state: DatabaseState, partition: KeyBounds, from: number): Rid[] | undefined {
  const entries = state.index.range({ ...partition, limit: scanEntriesMax });
  if (entries.length >= scanEntriesMax) return undefined;
  const found = new Map<number, Buffer>();
  for (const { key, value } of entries) found.set(decodeVersion(value).ridNumber, key);
  return sorted(found, from);
}

/** In steps of a page at first, so that a small page costs little; after as many entries as one may look at comes `scanEnd`. */
function* listRange(
  state: DatabaseState,
  container: ContainerState,
  range: RangeState,
  request: ReadFeedRequest,
): Generator<Rid> {
  const recent = listRecent(state, container, request.from ?? 0);
  const ids = [...range.entry.parents, range.entry.id].sort((a, b) => Number(a) - Number(b));
  let step = Math.max(stepMin, request.itemsMax);
  let left = scanEntriesMax;
  let given = 0;
  for (const id of ids) {
    const rids = ridsOfRange(id);
    let from = Math.max(rids.first, request.from ?? 0);
    while (from < rids.end) {
      const bounds = { from: ridBlockKey(container.number, from), to: ridBlockKey(container.number, rids.end) };
      // Of the first there may be nothing left.
      const limit = 1 + Math.ceil(Math.min(step, left) / ridsPerBlock);
      const blocks = state.index.range({ ...bounds, limit });
      const found = new Map<number, Buffer>();
      let to = rids.end;
      for (const { key, value } of blocks) {
        for (const rid of ridsOfBlock(key, value)) {
          if (rid.ridNumber < from) continue;
          found.set(rid.ridNumber, rid.key);
          left -= 1;
          // Not behind the block: by the next look it may have more.
          if (blocks.length === limit) to = rid.ridNumber + 1;
        }
      }
      for (; given < recent.length && (recent[given] as Rid).ridNumber < to; given += 1) {
        const { ridNumber, key } = recent[given] as Rid;
        found.set(ridNumber, key);
      }
      yield* sorted(found, from);
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

function sorted(found: ReadonlyMap<number, Buffer>, from: number): Rid[] {
  const rids: Rid[] = [];
  for (const [ridNumber, key] of found) if (ridNumber >= from) rids.push({ ridNumber, key });
  return rids.sort((a, b) => a.ridNumber - b.ridNumber);
}
