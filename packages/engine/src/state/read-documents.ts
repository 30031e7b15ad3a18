// Reads of single documents: the place of the latest version, then its bytes, checked.

import { crc32 } from 'node:zlib';
import type { Version } from '../index/documents.ts';
import { docKey, epkOfDocKey, ridKey, ridNumberOfKey } from '../index/keys.ts';
import { scanEntriesMax } from '../limits.ts';
import { corrupt, segmentPath } from '../log/segment.ts';
import type { DocumentKey, ReadFeedPage, StoredDocument } from '../range-engine.ts';
import { isExpired } from '../write/ttl.ts';
import type { ContainerState } from './container-state.ts';
import type { DatabaseState } from './database-state.ts';
import type { RangeState } from './range.ts';
import { ridsOfRange } from './range.ts';

/** What is in memory is given at once: a promise for each step would cost more than the read. */
type Soon<T> = T | Promise<T>;

export function readDocument(
  state: DatabaseState,
  container: ContainerState,
  key: DocumentKey,
): Soon<StoredDocument | undefined> {
  const indexKey = docKey(container.number, key.epk, key.partitionKey, Buffer.from(key.id));
  return readByKey(state, container, indexKey, key.epk);
}

export function readByRid(
  state: DatabaseState,
  container: ContainerState,
  ridNumber: number,
): Soon<StoredDocument | undefined> {
  const key = findRid(state, container, ridNumber);
  return key === undefined ? undefined : readByKey(state, container, key, epkOfDocKey(key), ridNumber);
}

/** The body of a version with its checksum verified; undefined when compaction has moved it meanwhile. */
export function readVersion(state: DatabaseState, version: Version): Soon<Buffer | undefined> {
  if (version.body !== undefined) return version.body;
  const { segment, offset, length } = version.place;
  const read = state.segments.read(segment, offset, length);
  return read instanceof Promise ? read.then((bytes) => verified(version, bytes)) : verified(version, read);
}

function verified(version: Version, bytes: Buffer | undefined): Buffer | undefined {
  const { segment, offset, length, crc } = version.place;
  if (bytes !== undefined && (bytes.length !== length || crc32(bytes) !== crc)) {
    throw corrupt(segmentPath(segment), offset, 'the checksum of a document is wrong');
  }
  return bytes;
}

/** `ridNumber`: only that document counts, not another one that has its id by now. */
function readByKey(
  state: DatabaseState,
  container: ContainerState,
  key: Buffer,
  epk: Buffer,
  ridNumber?: number,
): Soon<StoredDocument | undefined> {
  const keyText = key.toString('latin1');
  for (;;) {
    const version = state.findVisible(key, keyText);
    if (version === undefined || !isVisible(state, container, version, key, epk)) return undefined;
    if (ridNumber !== undefined && version.ridNumber !== ridNumber) return undefined;
    const bytes = readVersion(state, version);
    if (bytes instanceof Promise) {
      return bytes.then((found) =>
        found === undefined ? readByKey(state, container, key, epk, ridNumber) : stored(container, version, found),
      );
    }
    if (bytes !== undefined) return stored(container, version, bytes);
  }
}

function stored(container: ContainerState, version: Version, bytes: Buffer): StoredDocument {
  const { lsn, ix, timeMs } = version;
  return { lsn, ix, etag: container.etagOf(lsn, ix), timeMs, bytes };
}

function isVisible(
  state: DatabaseState,
  container: ContainerState,
  version: Version,
  key: Buffer,
  epk: Buffer,
): boolean {
  if (container.defaultTtl !== undefined) {
    const nowMs = Math.max(state.environment.clock.nowMs(), container.rangeOf(epk).tailTimeMs);
    if (isExpired(version, container.defaultTtl, nowMs)) return false;
  }
  return !container.isPurgedKey(key, version.lsn);
}

function findRid(state: DatabaseState, container: ContainerState, ridNumber: number): Buffer | undefined {
  for (const entry of state.overlay.entries()) {
    if (entry.version?.ridNumber === ridNumber && entry.key.readUInt32BE(1) === container.number) return entry.key;
  }
  const key = state.index.get(ridKey(container.number, ridNumber));
  return key === undefined ? undefined : Buffer.from(key);
}

/**
 * Documents in the order of their rids, which is the order of creation. A child of a split finds its older documents under
 * the rids of its ancestors and skips those that are not its own, a bounded number for each page.
 */
export async function readInRidOrder(
  state: DatabaseState,
  container: ContainerState,
  range: RangeState,
  options: { readonly from: number | undefined; readonly itemsMax: number; readonly bytesMax: number },
): Promise<ReadFeedPage> {
  await state.takeTurns();
  const documents: StoredDocument[] = [];
  let bytes = 0;
  let from = options.from ?? 0;
  const listed = listRids(state, container, range, from);
  for (const { ridNumber, key } of listed.rids) {
    if (documents.length >= options.itemsMax || bytes >= options.bytesMax) return { documents, continuation: from };
    const epk = epkOfDocKey(key);
    if (range.contains(epk)) {
      const document = await readByKey(state, container, key, epk, ridNumber);
      if (document !== undefined) {
        documents.push(document);
        bytes += document.bytes.length;
      }
    }
    from = ridNumber + 1;
  }
  return { documents, continuation: listed.next };
}

function listRids(
  state: DatabaseState,
  container: ContainerState,
  range: RangeState,
  from: number,
): { readonly rids: { ridNumber: number; key: Buffer }[]; readonly next: number | undefined } {
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
    if (ridNumber === undefined || ridNumber < from || ridNumber >= (next ?? Number.POSITIVE_INFINITY)) continue;
    if (entry.key.readUInt32BE(1) === container.number) found.set(ridNumber, entry.key);
  }
  const rids = [...found].map(([ridNumber, key]) => ({ ridNumber, key }));
  rids.sort((a, b) => a.ridNumber - b.ridNumber);
  return { rids, next };
}
