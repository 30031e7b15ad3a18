// The bodies of a batch of versions. Those that lie together in a segment are read together: documents that were made one after
// the other and never replaced are, a megabyte with one read.

import type { Buffer } from 'node:buffer';
import type { Version } from '../index/documents.ts';
import { readBytesMax } from '../limits.ts';
import type { ScannedDocument } from '../range-engine.ts';
import type { ContainerState } from './container-state.ts';
import type { DatabaseState } from './database-state.ts';
import { checkMoved, ReadDocument, verified } from './read-documents.ts';
import type { ContainerSnapshot } from './snapshot.ts';

export interface Chosen {
  readonly key: Buffer;
  readonly epk: Buffer;
  readonly version: Version;
  /** Where it was in memory. */
  readonly body: Buffer | undefined;
}

/** Between two bodies there may be so much else: to read it costs less than another read. */
const gapBytesMax: number = 8 * 1024;

/** In the order of `chosen`. */
export async function readBodies(
  state: DatabaseState,
  snapshot: ContainerSnapshot,
  chosen: readonly Chosen[],
): Promise<readonly ScannedDocument[]> {
  const { container, keeper } = snapshot;
  const documents: (ScannedDocument | undefined)[] = chosen.map(({ version, body }) =>
    body === undefined ? undefined : new ReadDocument(container, version, body),
  );
  const unread = chosen.flatMap(({ body }, at) => (body === undefined ? [at] : []));
  for (const stretch of stretchesOf(unread, chosen)) {
    const read = state.segments.read(stretch.segment, stretch.start, stretch.end - stretch.start, keeper);
    const bytes = read instanceof Promise ? await read : read;
    for (const at of stretch.places) {
      documents[at] =
        bytes === undefined
          ? await readMoved(state, snapshot, chosen[at] as Chosen)
          : cut(container, chosen[at] as Chosen, bytes, stretch.start);
    }
  }
  return documents.filter((document) => document !== undefined);
}

interface Stretch {
  readonly segment: number;
  readonly start: number;
  readonly end: number;
  /** In `chosen`. */
  readonly places: readonly number[];
}

function stretchesOf(unread: readonly number[], chosen: readonly Chosen[]): Stretch[] {
  const placeOf = (at: number): Version['place'] => (chosen[at] as Chosen).version.place;
  const inOrder = unread.toSorted(
    (a, b) => placeOf(a).segment - placeOf(b).segment || placeOf(a).offset - placeOf(b).offset,
  );
  const stretches: { segment: number; start: number; end: number; places: number[] }[] = [];
  for (const at of inOrder) {
    const { segment, offset, length } = placeOf(at);
    const last = stretches.at(-1);
    const isNear =
      last !== undefined &&
      last.segment === segment &&
      offset - last.end <= gapBytesMax &&
      offset + length - last.start <= readBytesMax;
    if (isNear) {
      last.end = offset + length;
      last.places.push(at);
    } else stretches.push({ segment, start: offset, end: offset + length, places: [at] });
  }
  return stretches;
}

function cut(container: ContainerState, { version }: Chosen, bytes: Buffer, start: number): ScannedDocument {
  const { offset, length } = version.place;
  const body = bytes.subarray(offset - start, offset - start + length);
  return new ReadDocument(container, version, verified(version, body) as Buffer); // It is there, so it is verified or thrown for.
}

/** Compaction had moved it when it was chosen, or has since: the snapshot or the index knows its new place. */
async function readMoved(
  state: DatabaseState,
  snapshot: ContainerSnapshot,
  { key, epk, version: chosen }: Chosen,
): Promise<ScannedDocument> {
  const { container, keeper } = snapshot;
  for (let gone = chosen; ; ) {
    snapshot.checkNotLost();
    const version = snapshot.find(state, gone.ridNumber, key, epk) as Version; // A snapshot forgets nothing unless it is lost.
    checkMoved(gone, version);
    const { segment, offset, length } = version.place;
    const read = state.overlay.findBody(version) ?? state.segments.read(segment, offset, length, keeper);
    const bytes = verified(version, read instanceof Promise ? await read : read);
    if (bytes !== undefined) return new ReadDocument(container, version, bytes);
    gone = version;
  }
}
