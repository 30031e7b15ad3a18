// What a compaction keeps of its inputs, and the segment it writes: frames sorted by range and LSN, closed by a footer.

import { Buffer } from 'node:buffer';
import { effectiveKeyHex } from '@tidemark/model';
import type { FileSystem } from '../files/file-system.ts';
import type { Place } from '../index/documents.ts';
import { isNewer } from '../index/documents.ts';
import { docKey } from '../index/keys.ts';
import type { Slice } from '../index/slices.ts';
import { compactedFrameBytes } from '../limits.ts';
import type { OperationNumber } from '../log/frame.ts';
import { FrameView, frameHeaderBytes, frameKind, operation, readFrameHeader, runBytes } from '../log/frame.ts';
import type { RecordInput } from '../log/frame-writer.ts';
import { encodeFrame, recordInputBytes } from '../log/frame-writer.ts';
import { SegmentScan } from '../log/scan.ts';
import type { SegmentHeader } from '../log/segment.ts';
import { corrupt, encodeSegmentHeader, segmentFolder, segmentHeaderBytes, segmentPath } from '../log/segment.ts';
import { Segment } from '../log/segment-store.ts';
import type { ContainerState } from '../state/container-state.ts';
import type { DatabaseState } from '../state/database-state.ts';
import { catalogContainer, placeOf, slicesOf } from '../state/group.ts';
import { labelOf } from '../state/lineage.ts';
import type { LsnSpan } from './slice-swap.ts';
import { joinSpans } from './slice-swap.ts';

/** A record on its way from an input to the output. */
export interface KeptRecord {
  readonly container: number;
  readonly label: number;
  readonly input: RecordInput;
  /** Which of the inputs it comes from, and its ordinal there. */
  readonly source: number;
  readonly sourceOrdinal: number;
  place: Place;
}

export interface CompactionOutput {
  readonly segment: Segment;
  /** In the order of the output: the ordinal of a record is its position here. */
  readonly records: readonly KeptRecord[];
  readonly slices: readonly { readonly range: number; readonly slice: Slice }[];
}

/**
 * Reads the inputs, whose checksums are verified on the way, and keeps what somebody may still ask for. `spans` tells where in
 * which range the inputs have anything.
 */
export async function collect(
  files: FileSystem,
  state: DatabaseState,
  inputs: readonly Segment[],
  dropsTombstones: boolean,
): Promise<{ readonly records: KeptRecord[]; readonly spans: ReadonlyMap<number, LsnSpan> }> {
  const kept: KeptRecord[] = [];
  const tombstones: KeptRecord[] = [];
  const spans = new Map<number, LsnSpan>();
  for (const [source, segment] of inputs.entries()) {
    const sequence = segment.header.kind === 'compacted' ? 0 : segment.header.firstSequence;
    const scan = await SegmentScan.open(files, segment.header, { offset: segmentHeaderBytes, sequence });
    try {
      while (scan.end.offset < segment.usedBytes) {
        const frame = await scan.next();
        if (frame === undefined) {
          throw corrupt(segmentPath(segment.id), scan.end.offset, 'a frame is not valid; it is not copied');
        }
        if (frame.view.header.kind !== frameKind.group) continue;
        keepOf(kept, tombstones, state, frame.view, segment.id, source, dropsTombstones);
        for (const { range, slice } of slicesOf(frame.view, segment.id, frame.offset)) {
          spans.set(range, joinSpans(spans.get(range), slice));
        }
      }
    } finally {
      await scan.close();
    }
  }
  const records = [...kept, ...neededOf(tombstones, kept)].sort(
    (a, b) => a.label - b.label || a.input.lsn - b.input.lsn || a.input.ix - b.input.ix,
  );
  return { records, spans };
}

/**
 * Those with an older version of the same document among what is kept, as history keeps it longer than the delete: a rebuild does
 * not know any more when a version was superseded, and takes it for younger. Without its delete it would come back to life.
 */
function neededOf(tombstones: readonly KeptRecord[], kept: readonly KeptRecord[]): KeptRecord[] {
  if (tombstones.length === 0) return [];
  const byDocument = new Map<string, KeptRecord[]>();
  for (const tombstone of tombstones) {
    const key = keyOf(tombstone);
    const others = byDocument.get(key);
    if (others === undefined) byDocument.set(key, [tombstone]);
    else others.push(tombstone);
  }
  const needed = new Set<KeptRecord>();
  for (const version of kept) {
    if (version.input.operation === operation.delete) continue;
    for (const tombstone of byDocument.get(keyOf(version)) ?? []) {
      if (isNewer(tombstone.input, version.input)) needed.add(tombstone);
    }
  }
  return [...needed];
}

function keyOf({ container, input }: KeptRecord): string {
  return docKey(container, input.epk, input.partitionKey, input.id).toString('latin1');
}

/** Of a container with history, deletes that are to be dropped go to `tombstones`. */
function keepOf(
  kept: KeptRecord[],
  tombstones: KeptRecord[],
  state: DatabaseState,
  view: FrameView,
  segment: number,
  source: number,
  dropsTombstones: boolean,
): void {
  for (let run = 0; run < view.header.runCount; run += 1) {
    const number = view.containerOfRun(run);
    const container = number === catalogContainer ? undefined : state.findContainer(number);
    // The catalog is in the META frame of every later segment; a container that is gone needs nothing.
    if (container === undefined) continue;
    const first = view.firstRecordOfRun(run);
    const end = first + view.recordCountOfRun(run);
    for (let record = first; record < end; record += 1) {
      const ordinal = view.header.firstOrdinal + record;
      const isDropped = isDroppable(state, container, view, record, segment, ordinal, dropsTombstones);
      const isTombstone = view.operation(record) === operation.delete && container.entry.historyMs > 0;
      if (isDropped && !isTombstone) continue;
      const isOwners = container.rangeOf(view.epk(record)).number === view.rangeOfRun(run);
      const label = isOwners
        ? undefined
        : labelOf(container.entry, view.rangeOfRun(run), effectiveKeyHex(view.epk(record)));
      const input = copyRecord(view, record);
      (isDropped ? tombstones : kept).push({
        container: number,
        label: label ?? view.rangeOfRun(run),
        input,
        source,
        sourceOrdinal: ordinal,
        place: nowhere,
      });
    }
  }
}

function isDroppable(
  state: DatabaseState,
  container: ContainerState,
  view: FrameView,
  record: number,
  segment: number,
  ordinal: number,
  dropsTombstones: boolean,
): boolean {
  const { historyMs, floorSecond } = container.entry;
  const isDelete = view.operation(record) === operation.delete;
  if (isDelete ? !dropsTombstones : !state.usage.isSuperseded(segment, ordinal)) return false;
  if (historyMs === 0) return true;
  if (!isDelete) return state.usage.supersededSecond(segment, ordinal) <= floorSecond;
  // Where the clock was set back after a trim, a delete can be older than the floor and yet above it.
  const { floorLsn } = container.rangeOf(view.epk(record)).entry;
  return Math.floor(view.timeMs(record) / 1000) <= floorSecond && view.lsn(record) <= floorLsn;
}

function copyRecord(view: FrameView, record: number): RecordInput {
  const number = view.operation(record) as OperationNumber; // The frame's checksum vouches for it.
  const body = number === operation.delete ? undefined : Buffer.from(view.body(record));
  return {
    operation: number,
    flags: view.flags(record),
    lsn: view.lsn(record),
    ix: view.ix(record),
    previousLsn: view.previousLsn(record),
    previousIx: view.previousIx(record),
    timeMs: view.timeMs(record),
    ridNumber: view.ridNumber(record),
    ttl: view.ttl(record),
    epk: Buffer.from(view.epk(record)),
    partitionKey: Buffer.from(view.partitionKey(record)),
    id: Buffer.from(view.id(record)),
    uniqueDigests: Buffer.from(view.uniqueDigests(record)),
    body,
    bodyLength: body?.length ?? 0,
    tail: undefined,
  };
}

/** Writes the output under a temporary name and gives it its own when everything is on disk. */
export async function writeOutput(
  files: FileSystem,
  header: SegmentHeader,
  records: readonly KeptRecord[],
): Promise<CompactionOutput> {
  const path = `${segmentFolder}/${header.id}.tmp`;
  const salt = Buffer.from(header.salt, 'hex');
  const file = await files.open(path, { create: true });
  const slices: { range: number; slice: Slice }[] = [];
  let offset = segmentHeaderBytes;
  let sequence = 0;
  let ordinal = 0;
  try {
    await file.write(encodeSegmentHeader(header), 0);
    for (const [first, end] of framesOf(records)) {
      const part = records.slice(first, end);
      const one = part[0] as KeptRecord;
      const runs = [{ container: one.container, range: one.label, records: part.map((record) => record.input) }];
      const frame = encodeFrame({ kind: frameKind.group, salt, sequence, firstOrdinal: ordinal, runs });
      const frameHeader = readFrameHeader(frame, 0, salt);
      if (frameHeader === undefined) throw new Error('unreachable: a frame just written cannot be read');
      const view = new FrameView(frame, frameHeader);
      for (const [i, record] of part.entries()) record.place = placeOf(view, i, header.id, offset);
      slices.push(...slicesOf(view, header.id, offset));
      await file.write(frame, offset);
      offset += frame.length;
      ordinal += part.length;
      sequence += 1;
    }
    const footer = encodeFrame({ kind: frameKind.footer, salt, sequence, firstOrdinal: ordinal, runs: [] });
    await file.write(footer, offset);
    offset += footer.length;
    await file.sync();
    await files.rename(path, segmentPath(header.id));
    await files.syncDirectory(segmentFolder);
  } catch (error) {
    await file.close();
    await files.remove(path).catch(() => {}); // It may have its other name already; the next open sorts it out.
    throw error;
  }
  const segment = new Segment(header, offset, ordinal);
  segment.file = file;
  return { segment, records, slices };
}

/** Where frames begin and end: one label each, up to the same size, never inside an LSN. */
function* framesOf(records: readonly KeptRecord[]): Generator<readonly [number, number]> {
  let first = 0;
  let bytes = emptyFrameBytes;
  for (let i = 0; i < records.length; i += 1) {
    const record = records[i] as KeptRecord;
    const before = records[i - 1];
    const isOther = before !== undefined && (before.label !== record.label || before.container !== record.container);
    const isNewLsn = before !== undefined && before.input.lsn !== record.input.lsn;
    const recordBytes = recordInputBytes(record.input);
    if (isOther || (isNewLsn && bytes + recordBytes > compactedFrameBytes)) {
      yield [first, i];
      first = i;
      bytes = emptyFrameBytes;
    }
    bytes += recordBytes;
  }
  if (first < records.length) yield [first, records.length];
}

const emptyFrameBytes = frameHeaderBytes + runBytes;
const nowhere: Place = { segment: 0, ordinal: 0, offset: 0, length: 0, checksum: 0, recordBytes: 0 };
