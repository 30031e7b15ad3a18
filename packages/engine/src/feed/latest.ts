// Latest version: every document once, at the LSN of its last write. The walk skips what is superseded, deleted or expired
// by looking at bits and table entries; the bytes it sends are slices of the frames as they lie in the segment.
//
// Clients that ask for envelopes get a copy of each document, without `_lsn`, which is in the metadata (wire-2026 1):
//
//   {"current":{…},"metadata":{"lsn":…,"crts":…}}

import { Buffer } from 'node:buffer';
import type { FrameView } from '../log/frame.ts';
import { operation } from '../log/frame.ts';
import type { ContainerState } from '../state/container-state.ts';
import { withoutLsn } from '../state/container-state.ts';
import { isExpired } from '../write/ttl.ts';
import type { Stretch } from './lineage-walk.ts';
import type { PageBuilder } from './page.ts';
import { verifyBodies, verifyRun } from './page.ts';
import type { LoadedSlice } from './slice-walk.ts';

export interface LatestFilter {
  readonly nowMs: number;
  readonly partitionKey: { readonly bytes: Buffer; readonly epk: Buffer } | undefined;
  readonly isWrapped: boolean;
}

let chosen = new Uint32Array(4096);

/** Adds a run as it lies. The walk has made sure that all of it is of use and fits. */
export function addRun(page: PageBuilder, loaded: LoadedSlice): void {
  verifyRun(loaded);
  page.lastLsn = loaded.slice.lastLsn;
  page.add(loaded.bodies, loaded.slice.records);
}

/** Adds the live documents of a stretch. Returns false when the page was full before the stretch was used up. */
export function addLatest(
  page: PageBuilder,
  container: ContainerState,
  stretch: Stretch,
  filter: LatestFilter,
): boolean {
  const { view } = stretch;
  const { slice, superseded: bits } = stretch.loaded;
  const hasTtl = container.defaultTtl !== undefined;
  const hasPurges = container.purges.size > 0;
  const keys = stretch.filter;
  const firstOrdinal = view.header.firstOrdinal;
  if (chosen.length < slice.records) chosen = new Uint32Array(slice.records * 2);
  let count = 0;
  let pieceStart = -1;
  let pieceEnd = -1;
  let pieceCount = 0;
  let bytes = 0;
  let isComplete = true;
  const startCount = page.count;
  const pieces: { start: number; end: number; count: number }[] = [];
  for (let record = stretch.first; record < stretch.end; record += 1) {
    const lsn = view.lsn(record);
    if (lsn > page.lastLsn && page.isFullWith(count, bytes)) {
      isComplete = false;
      break;
    }
    page.lastLsn = lsn;
    const ordinal = firstOrdinal + record;
    const byte = bits[ordinal >>> 3];
    if (byte !== undefined && (byte & (1 << (ordinal & 7))) !== 0) continue;
    if (view.operation(record) === operation.delete) continue;
    if (keys !== undefined) {
      const epk = view.epk(record);
      if (keys.min.compare(epk) > 0 || keys.max.compare(epk) <= 0) continue;
    }
    if (filter.partitionKey !== undefined && !isOfPartition(view.partitionKey(record), filter.partitionKey.bytes))
      continue;
    if (
      hasTtl &&
      isExpired({ timeMs: view.timeMs(record), ttl: view.ttl(record) }, container.defaultTtl, filter.nowMs)
    ) {
      continue;
    }
    if (hasPurges && container.isPurged(view.partitionKey(record), lsn)) continue;
    chosen[count++] = record;
    const start = view.bodyStart(record);
    const end = start + view.bodyLength(record);
    bytes += end - start;
    if (start === pieceEnd + 1) {
      pieceEnd = end;
      pieceCount += 1;
      continue;
    }
    if (pieceStart >= 0) pieces.push({ start: pieceStart, end: pieceEnd, count: pieceCount });
    pieceStart = start;
    pieceEnd = end;
    pieceCount = 1;
  }
  if (pieceStart >= 0) pieces.push({ start: pieceStart, end: pieceEnd, count: pieceCount });
  verifyBodies(stretch.loaded, view, chosen, count);
  if (filter.isWrapped) addWrapped(page, view, count);
  else for (const piece of pieces) page.add(view.bytes.subarray(piece.start, piece.end), piece.count);
  if (page.count !== startCount + count) throw new Error('unreachable: a document was counted and not added');
  return isComplete;
}

/** `crts` is the `_ts` of the document. */
export function wrapped(body: Buffer, { lsn, timeMs }: { readonly lsn: number; readonly timeMs: number }): Buffer {
  const end = Buffer.from(`,"metadata":{"lsn":${lsn},"crts":${Math.floor(timeMs / 1000)}}}`);
  return Buffer.concat([wrapperStart, withoutLsn(body, lsn), end]);
}

const wrapperStart: Buffer = Buffer.from('{"current":');

function addWrapped(page: PageBuilder, view: FrameView, count: number): void {
  for (let i = 0; i < count; i += 1) {
    const record = chosen[i] as number;
    page.add(wrapped(view.body(record), { lsn: view.lsn(record), timeMs: view.timeMs(record) }), 1);
  }
}

function isOfPartition(bytes: Buffer, wanted: Buffer): boolean {
  return bytes.length === wanted.length && bytes.compare(wanted) === 0;
}
