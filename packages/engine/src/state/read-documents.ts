// Reads of single documents: the place of the latest version, then its bytes, checked.

import { Buffer } from 'node:buffer';
import type { Version } from '../index/documents.ts';
import { epkOfDocKey, lentDocKey, lentIdBytes } from '../index/keys.ts';
import { findIndexedRid } from '../index/rid-blocks.ts';
import { checksum32 } from '../log/checksum.ts';
import { corrupt, segmentMissing, segmentPath } from '../log/segment.ts';
import type { DocumentKey, ScannedDocument, StoredDocument } from '../range-engine.ts';
import { isExpired } from '../write/ttl.ts';
import type { ContainerState } from './container-state.ts';
import type { DatabaseState } from './database-state.ts';

/** What is in memory is given at once: a promise for each step would cost more than the read. */
type Soon<T> = T | Promise<T>;

export function readDocument(
  state: DatabaseState,
  container: ContainerState,
  key: DocumentKey,
): Soon<StoredDocument | undefined> {
  const indexKey = lentDocKey(container.number, key.epk, key.partitionKey, lentIdBytes(key.id));
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
  const inMemory = version.body ?? state.overlay.findBody(version);
  if (inMemory !== undefined) return inMemory;
  const { segment, offset, length } = version.place;
  const read = state.segments.read(segment, offset, length);
  return read instanceof Promise ? read.then((bytes) => verified(version, bytes)) : verified(version, read);
}

export function verified(version: Version, bytes: Buffer | undefined): Buffer | undefined {
  const { segment, offset, length, checksum } = version.place;
  if (bytes !== undefined && (bytes.length !== length || checksum32(bytes) !== checksum)) {
    throw corrupt(segmentPath(segment), offset, 'the checksum of a document is wrong');
  }
  return bytes;
}

/** Of what could not be read, because its segment was gone, the index must know another place by now. */
export function checkMoved(gone: Version | undefined, now: Version | undefined): void {
  if (gone === undefined || now === undefined) return;
  // A newer version may have no place yet.
  if (now.lsn !== gone.lsn || now.ix !== gone.ix) return;
  const { segment, offset } = now.place;
  if (gone.place.segment === segment && gone.place.offset === offset) throw segmentMissing(now.place);
}

/** `ridNumber`: only that document counts, not another one that has its id by now. The key may be lent. */
function readByKey(
  state: DatabaseState,
  container: ContainerState,
  key: Buffer,
  epk: Buffer,
  ridNumber?: number,
  gone?: Version,
): Soon<ScannedDocument | undefined> {
  for (let before = gone; ; ) {
    const version = state.findVisible(key);
    checkMoved(before, version);
    if (version === undefined || !isVisible(state, container, version, key, epk)) return undefined;
    if (ridNumber !== undefined && version.ridNumber !== ridNumber) return undefined;
    const bytes = readVersion(state, version);
    if (bytes instanceof Promise) {
      const kept = Buffer.from(key);
      return bytes.then((found) =>
        found === undefined
          ? readByKey(state, container, kept, epk, ridNumber, version)
          : stored(container, version, found),
      );
    }
    if (bytes !== undefined) return stored(container, version, bytes);
    before = version;
  }
}

function stored(container: ContainerState, version: Version, bytes: Buffer): ScannedDocument {
  return new ReadDocument(container, version, bytes);
}

/** Its etag is written out only for those who ask. */
export class ReadDocument implements ScannedDocument {
  readonly #container: ContainerState;
  readonly #version: Version;
  readonly bytes: Buffer;

  constructor(container: ContainerState, version: Version, bytes: Buffer) {
    this.#container = container;
    this.#version = version;
    this.bytes = bytes;
  }

  get lsn(): number {
    return this.#version.lsn;
  }

  get ix(): number {
    return this.#version.ix;
  }

  get ridNumber(): number {
    return this.#version.ridNumber;
  }

  get timeMs(): number {
    return this.#version.timeMs;
  }

  get sizeBytes(): number {
    return this.bytes.length;
  }

  get etag(): string {
    return this.#container.etagOf(this.#version.lsn, this.#version.ix);
  }
}

/** Neither over its time nor deleted with its partition key. */
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
  return (
    state.overlay.rids.find(container.number, ridNumber) ?? findIndexedRid(state.index, container.number, ridNumber)
  );
}
