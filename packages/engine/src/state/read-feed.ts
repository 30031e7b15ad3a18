// The read feed: the documents of a range in the order of their rids, which is the order of creation. What is not wanted is
// left out by its key alone; only what is sent is read from the log.

import { DatabaseError, effectiveKeyFromHex } from '@tidemark/model';
import { decodeVersion } from '../index/documents.ts';
import type { KeyBounds } from '../index/keys.ts';
import { epkOfDocKey, partitionBounds, ridKey, ridNumberOfKey } from '../index/keys.ts';
import { scanEntriesMax } from '../limits.ts';
import type { ReadFeedPage, ReadFeedRequest, StoredDocument } from '../range-engine.ts';
import type { ContainerState } from './container-state.ts';
import type { DatabaseState } from './database-state.ts';
import type { RangeState } from './range.ts';
import { isKeyBound, ridsOfRange } from './range.ts';
import { readByKey } from './read-documents.ts';

interface Listed {
  readonly rids: { readonly ridNumber: number; readonly key: Buffer }[];
  /** Where the list was cut off; undefined when it is complete. */
  readonly next: number | undefined;
}

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
  const isWanted = wantedKeys(request);
  const partition = partitionOf(container, request);
  let bytes = 0;
  let end = request.from ?? 0;
  const few = partition === undefined ? undefined : listPartition(state, partition, end);
  const listed = few ?? listRids(state, container, range, end);
  for (const { ridNumber, key } of listed.rids) {
    if (documents.length >= request.itemsMax || bytes >= request.bytesMax) return { documents, end, continuation: end };
    if (partition === undefined || isBetween(partition, key)) {
      const epk = epkOfDocKey(key);
      if (range.contains(epk) && isWanted(epk)) {
        const document = await readByKey(state, container, key, epk, ridNumber);
        if (document !== undefined) {
          documents.push(document);
          bytes += document.bytes.length;
        }
      }
    }
    end = ridNumber + 1;
  }
  return { documents, end: listed.next ?? end, continuation: listed.next };
}

function wantedKeys({ keys }: ReadFeedRequest): (epk: Buffer) => boolean {
  if (keys === undefined) return () => true;
  if (!isKeyBound(keys.min) || !isKeyBound(keys.max)) {
    throw new DatabaseError('bad-request', `The keys "${keys.min}" to "${keys.max}" are not bounds in upper-case hex.`);
  }
  const min = Buffer.from(effectiveKeyFromHex(keys.min));
  const max = Buffer.from(effectiveKeyFromHex(keys.max));
  return (epk) => min.compare(epk) <= 0 && max.compare(epk) > 0;
}

function partitionOf(container: ContainerState, { partitionKey }: ReadFeedRequest): KeyBounds | undefined {
  if (partitionKey === undefined) return undefined;
  return partitionBounds(container.number, partitionKey.epk, partitionKey.bytes);
}

function isBetween({ from, to }: KeyBounds, key: Buffer): boolean {
  return from.compare(key) <= 0 && to.compare(key) > 0;
}

/** Undefined when the partition key has too many documents: then the range is walked, and its keys are looked at. */
function listPartition(state: DatabaseState, partition: KeyBounds, from: number): Listed | undefined {
  const entries = state.index.range({ ...partition, limit: scanEntriesMax });
  if (entries.length >= scanEntriesMax) return undefined;
  const found = new Map<number, Buffer>();
  for (const { key, value } of entries) found.set(decodeVersion(value).ridNumber, key);
  for (const entry of state.overlay.entriesBetween(partition.from, partition.to)) {
    if (entry.version !== undefined) found.set(entry.version.ridNumber, entry.key);
  }
  return { rids: sorted(found, from), next: undefined };
}

function listRids(state: DatabaseState, container: ContainerState, range: RangeState, from: number): Listed {
  const found = new Map<number, Buffer>();
  const ids = [...range.entry.parents, range.entry.id].sort((a, b) => Number(a) - Number(b));
  let next: number | undefined;
  for (const id of ids) {
    const rids = ridsOfRange(id);
    if (rids.end <= from) continue;
    const first = Math.max(rids.first, from);
    const bounds = { from: ridKey(container.number, first), to: ridKey(container.number, rids.end) };
    const entries = state.index.range({ ...bounds, limit: scanEntriesMax - found.size });
    for (const { key, value } of entries) found.set(ridNumberOfKey(key), value);
    if (found.size >= scanEntriesMax) {
      next = ridNumberOfKey((entries.at(-1) as { key: Buffer }).key) + 1;
      break;
    }
  }
  for (const entry of state.overlay.entries()) {
    const ridNumber = entry.version?.ridNumber;
    if (ridNumber === undefined || ridNumber >= (next ?? Number.POSITIVE_INFINITY)) continue;
    if (entry.key.readUInt32BE(1) === container.number) found.set(ridNumber, entry.key);
  }
  return { rids: sorted(found, from), next };
}

function sorted(found: ReadonlyMap<number, Buffer>, from: number): Listed['rids'] {
  const rids: Listed['rids'] = [];
  for (const [ridNumber, key] of found) if (ridNumber >= from) rids.push({ ridNumber, key });
  return rids.sort((a, b) => a.ridNumber - b.ridNumber);
}
