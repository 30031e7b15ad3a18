// Opening: what the index knows, then the log after it.
//
//   index there      catalog, positions and segments as of its checkpoint; the frames after it are replayed
//   no index         catalog and positions from the META frame of the newest segment; every frame is replayed
//
// A frame that can be read after a process was killed may never have reached the disk. So what is found after the last
// durable point of the newest segment is copied into a fresh segment and flushed before anything is served from it.
//
// The log goes on only with the next sequence. An invalid frame at the very end of the newest segment is a torn end; a valid
// frame beyond an invalid one, or an invalid frame in a sealed segment, is corruption, and the open is refused. Without a flush
// for each frame the system writes them in any order: a valid one beyond a hole is lost, and the log goes on in a fresh segment.

import { Buffer } from 'node:buffer';
import { DatabaseError, isDatabaseError } from '@tidemark/model';
import type { Environment } from '../environment.ts';
import type { FileSystem } from '../files/file-system.ts';
import type { IndexStore } from '../index/index-store.ts';
import { metaKey, metaKind, prefixBounds } from '../index/keys.ts';
import type { LateIndex, LateLimits } from '../index/late-index.ts';
import { openLateIndex } from '../index/late-index.ts';
import { FrameView, frameKind, readFrameHeader, relocateFrame } from '../log/frame.ts';
import { SegmentScan } from '../log/scan.ts';
import type { SegmentHeader } from '../log/segment.ts';
import { corrupt, segmentFolder, segmentHeaderBytes, segmentPath } from '../log/segment.ts';
import type { SegmentOptions } from '../log/segment-store.ts';
import { Segment, SegmentStore } from '../log/segment-store.ts';
import type { CatalogEntry } from '../state/catalog.ts';
import { Catalog } from '../state/catalog.ts';
import { DatabaseState } from '../state/database-state.ts';
import type { DurableGroup } from '../state/group.ts';
import type { RangePosition } from '../state/range.ts';
import type { ContainerUsage } from '../state/segment-usage.ts';
import type { Checkpoint } from './index-writer.ts';
import { indexFormat } from './index-writer.ts';
import type { Meta } from './meta-frame.ts';
import { decodeMetaFrame, encodeMetaFrame, metaRecords } from './meta-frame.ts';
import { replayFrame } from './replay.ts';

/** Opens the index, or throws it away so that the next `open` gives an empty one. */
export interface IndexProvider {
  open(): Promise<IndexStore>;
  discard(): Promise<void>;
  /** Told when the index has taken a transaction, before the database is open: damage would most likely have shown. */
  eased?(): Promise<void>;
  /** Told when the database is open and the index has taken a transaction: it does not kill the process. */
  proven?(): Promise<void>;
  /** Told when the index has failed: the next open must not trust it. */
  condemn?(): Promise<void>;
}

export interface RecoveryOptions {
  readonly files: FileSystem;
  readonly index: IndexProvider;
  readonly environment: Environment;
  readonly segments: SegmentOptions;
  /** Of doc entries on their way to their places, where a test wants others. */
  readonly late?: LateLimits;
  /** The folder was just restored from a backup: a new epoch begins, and every tail is raised. */
  readonly isRestored: boolean;
  /** Told now and then how much of a rebuild is done, 0 to 1. */
  readonly progress?: (fraction: number) => void;
}

/** What an open database is made from. `publish` is given by the caller, who also runs the index writer. */
export interface Recovered {
  readonly state: DatabaseState;
  readonly checkpoint: Checkpoint;
  /** There was no index, or none of use: it must not count as complete before everything has been replayed. */
  readonly isRebuild: boolean;
  /** Compacted segments that the index knows only half: their records are moved again. */
  readonly unfinished: readonly number[];
  /** Replays the log after the checkpoint; `publish` makes each group visible and waits for room. */
  replay(publish: (group: DurableGroup) => Promise<void>): Promise<{ readonly nextSequence: number }>;
}

/** What the index keeps of a segment. */
interface SegmentRecord {
  readonly header: SegmentHeader;
  readonly usedBytes: number;
  readonly recordCount: number;
  /** Set while compaction moves its records: its inputs are still needed. */
  readonly isMoving?: boolean;
  readonly containers: Readonly<Record<string, ContainerUsage>>;
}

export async function recover(options: RecoveryOptions): Promise<Recovered> {
  await options.files.makeDirectory(segmentFolder);
  // Its name as well: a power cut would take the folder with everything that is durable in it.
  await options.files.syncDirectory('.');
  const fromIndex = options.isRestored ? undefined : await tryIndex(options);
  if (fromIndex !== undefined) return fromIndex;
  await options.index.discard();
  return recoverFromLog(options, await openIndex(options));
}

async function tryIndex(options: RecoveryOptions): Promise<Recovered | undefined> {
  try {
    return await recoverWithIndex(options);
  } catch (error) {
    if (error instanceof UnreadableIndex) return undefined;
    throw error;
  }
}

/** What the index says cannot be read or makes no sense. The log has everything. */
class UnreadableIndex extends Error {}

async function recoverWithIndex(options: RecoveryOptions): Promise<Recovered | undefined> {
  let index: LateIndex;
  try {
    index = await openIndex(options);
  } catch (error) {
    // A good index is not thrown away because it cannot grow.
    if (isDatabaseError(error) && error.code === 'disk-full') throw error;
    // Whatever else is wrong with it, the log has everything; the caller discards it and starts without.
    return undefined;
  }
  const checkpoint = readJson<Checkpoint & { readonly format: number }>(index, metaKey(metaKind.checkpoint, 0));
  if (checkpoint?.format !== indexFormat) {
    await index.close();
    return undefined;
  }
  const known = new Map<number, SegmentRecord>();
  for (const record of readAll<SegmentRecord>(index, metaKind.segment)) known.set(record.header.id, record);
  const segments = new SegmentStore(options.files, options.environment, options.segments);
  const knownSegments = [...known].map(([id, r]) => [id, new Segment(r.header, r.usedBytes, r.recordCount)] as const);
  await segments.load(new Map(knownSegments));
  if (!(await reconcile(segments, known))) {
    await index.close();
    return undefined;
  }
  const catalog = Catalog.from({
    nextNumber: checkpoint.nextNumber,
    entries: readAll<CatalogEntry>(index, metaKind.catalog),
  });
  const state = new DatabaseState({
    environment: options.environment,
    segments,
    index,
    catalog,
    epoch: checkpoint.epoch,
    position: (range) => readJson<RangePosition>(index, metaKey(metaKind.range, range)),
  });
  for (const record of known.values()) state.usage.load(record.header.id, record.containers);
  const unfinished = [...known.values()].filter((record) => record.isMoving).map((record) => record.header.id);
  return {
    state,
    checkpoint,
    isRebuild: false,
    unfinished,
    replay: (publish) => replayLog(options, state, checkpoint, publish),
  };
}

/**
 * Compares the index with the disk. Outputs of compaction that the index has never heard of are removed while all of their
 * inputs are there; inputs whose output the index knows completely are removed. False: the index is of another time.
 */
async function reconcile(segments: SegmentStore, known: ReadonlyMap<number, SegmentRecord>): Promise<boolean> {
  // First what has been replaced for good: among it may be outputs whose own inputs are long gone.
  for (const { header, isMoving } of known.values()) {
    if (isMoving !== true && segments.find(header.id) !== undefined) await segments.retire(header.inputs ?? []);
  }
  for (const { id, header } of segments.all) {
    if (header.kind !== 'compacted' || known.has(id)) continue;
    if (!(header.inputs ?? []).every((input) => segments.find(input) !== undefined)) return false;
    await segments.retire([id]);
  }
  for (const [id, record] of known) {
    if (segments.find(id) !== undefined) continue;
    const isReplaced = [...known.values()].some((r) => r.header.inputs?.includes(id) && r.isMoving !== true);
    if (isReplaced) continue;
    if (segments.all.some((segment) => standsFor(segment.header, record.header))) return false;
    throw new DatabaseError('corrupt', `The segment ${segmentPath(id)} is missing.`, {
      detail: { path: segmentPath(id), firstSequence: record.header.firstSequence },
    });
  }
  return true;
}

/** Its inputs may have been outputs themselves: what counts is the part of the log that it covers. */
function standsFor(output: SegmentHeader, input: SegmentHeader): boolean {
  if (output.kind !== 'compacted' || output.lastSequence === undefined) return false;
  return output.firstSequence <= input.firstSequence && input.firstSequence <= output.lastSequence;
}

async function openIndex({ index, environment, late }: RecoveryOptions): Promise<LateIndex> {
  const seed = Buffer.alloc(4);
  environment.random(seed);
  return openLateIndex(await index.open(), { ...late, seed: seed.readInt32LE(0) });
}

async function recoverFromLog(options: RecoveryOptions, index: LateIndex): Promise<Recovered> {
  const segments = new SegmentStore(options.files, options.environment, options.segments);
  await segments.load(new Map());
  // A finished output stands for its inputs.
  for (const segment of segments.all) {
    if (segment.header.kind === 'compacted') await segments.retire(segment.header.inputs ?? []);
  }
  const newest = segments.all.filter((segment) => segment.header.kind === 'log').at(-1);
  const meta = newest === undefined ? undefined : await readMeta(options.files, newest);
  const epoch = meta === undefined || options.isRestored ? newEpoch(options.environment, meta?.epoch) : meta.epoch;
  // Bytes and documents are counted anew by the replay.
  const nothing = { bytes: 0, documents: 0 };
  const positions = new Map(meta?.positions.map(({ number, position }) => [number, { ...position, ...nothing }]));
  const catalog = Catalog.from(meta?.catalog ?? { nextNumber: 1, entries: [] });
  const state = new DatabaseState({
    environment: options.environment,
    segments,
    index,
    catalog,
    epoch,
    writtenEpoch: meta?.epoch ?? epoch,
    position: (range) => positions.get(range),
  });
  const first = segments.all[0];
  const checkpoint: Checkpoint = {
    sequence: (first?.header.firstSequence ?? 1) - 1,
    segment: first?.id ?? 0,
    offset: segmentHeaderBytes,
    nextNumber: catalog.nextNumber,
    epoch,
  };
  return {
    state,
    checkpoint,
    isRebuild: true,
    unfinished: [],
    replay: (publish) => replayLog(options, state, checkpoint, publish, newest),
  };
}

function newEpoch(environment: Environment, old: number | undefined): number {
  const bytes = Buffer.alloc(4);
  do environment.random(bytes);
  while (bytes.readUInt32LE(0) === old);
  return bytes.readUInt32LE(0);
}

async function readMeta(files: FileSystem, segment: Segment): Promise<Meta> {
  const start = { offset: segmentHeaderBytes, sequence: segment.header.firstSequence };
  const scan = await SegmentScan.open(files, segment.header, start);
  try {
    const frame = await scan.next();
    if (frame === undefined || frame.view.header.kind !== frameKind.meta) {
      throw corrupt(segmentPath(segment.id), segmentHeaderBytes, 'its first frame is not valid');
    }
    return decodeMetaFrame(frame.view);
  } finally {
    await scan.close();
  }
}

/** `metaSegment` is set for a rebuild: the segment whose META the catalog was taken from. */
async function replayLog(
  options: RecoveryOptions,
  state: DatabaseState,
  checkpoint: Checkpoint,
  publish: (group: DurableGroup) => Promise<void>,
  metaSegment?: Segment,
): Promise<{ readonly nextSequence: number }> {
  const isRebuild = metaSegment !== undefined;
  const all = state.segments.all;
  const newest = all.filter((segment) => segment.header.kind === 'log').at(-1);
  if (newest === undefined) {
    await startSegment(state, 1, []);
    return { nextSequence: 2 };
  }
  for (const [i, segment] of all.entries()) {
    if (segment === newest) continue;
    const nextSegment = all[i + 1];
    // The one that the checkpoint lies in is looked at in any case: what stands behind it may be void.
    const isEndKnown = segment.id !== checkpoint.segment;
    const isCovered = isEndKnown && (nextSegment?.header.firstSequence ?? 0) <= checkpoint.sequence + 1;
    if (!isRebuild && (segment.header.kind === 'compacted' || isCovered)) continue;
    if (isRebuild && segment.header.kind === 'compacted' && segment.header.lastSequence !== undefined) {
      checkFollows(segment, segment.header.lastSequence, nextSegment);
    }
    await replaySealed(options, state, segment, checkpoint, publish, { nextSegment, isRebuild });
    options.progress?.((i + 1) / all.length);
  }
  return replayNewest(options, state, newest, checkpoint, publish, isRebuild);
}

/** A segment that is missing altogether shows as a gap in the sequence. */
function checkFollows(segment: Segment, lastSequence: number, next: Segment | undefined): void {
  if (next?.header.firstSequence === lastSequence + 1) return;
  throw corrupt(segmentPath(segment.id), segment.usedBytes, `the segment with sequence ${lastSequence + 1} is missing`);
}

async function replaySealed(
  options: RecoveryOptions,
  state: DatabaseState,
  segment: Segment,
  checkpoint: Checkpoint,
  publish: (group: DurableGroup) => Promise<void>,
  how: { readonly nextSegment: Segment | undefined; readonly isRebuild: boolean },
): Promise<void> {
  const isCompacted = segment.header.kind === 'compacted';
  const start = startOf(segment, checkpoint, how.isRebuild);
  const scan = await SegmentScan.open(options.files, segment.header, start);
  let isClosed = false;
  const endSequence = isCompacted ? Number.POSITIVE_INFINITY : (how.nextSegment?.header.firstSequence ?? 0);
  try {
    while (scan.end.nextSequence < endSequence) {
      const frame = await scan.next();
      if (frame === undefined) break;
      isClosed = frame.view.header.kind === frameKind.footer;
      if (isClosed) break;
      if (frame.view.header.kind !== frameKind.group) continue;
      const sequence = isCompacted ? (segment.header.lastSequence ?? 0) : frame.view.header.sequence;
      const source = { view: frame.view, segment: segment.id, offset: frame.offset, sequence };
      await publish(replayFrame(source, replayOptions(state, !how.isRebuild)));
    }
    if (isCompacted ? !isClosed : scan.end.nextSequence !== endSequence) {
      throw corrupt(segmentPath(segment.id), scan.end.offset, 'a frame of a sealed segment is not valid');
    }
    endAt(state, segment, scan.end.offset);
    segment.recordCount = Math.max(segment.recordCount, scan.end.recordCount);
  } finally {
    await scan.close();
  }
}

async function replayNewest(
  options: RecoveryOptions,
  state: DatabaseState,
  segment: Segment,
  checkpoint: Checkpoint,
  publish: (group: DurableGroup) => Promise<void>,
  isRebuild: boolean,
): Promise<{ readonly nextSequence: number }> {
  const start = startOf(segment, checkpoint, isRebuild);
  const scan = await SegmentScan.open(options.files, segment.header, start);
  const frames: Buffer[] = [];
  let keptOffset = start.offset;
  try {
    for (let frame = await scan.next(); frame !== undefined; frame = await scan.next()) {
      if (frame.view.header.kind === frameKind.group) frames.push(frame.view.bytes);
      // META stays: the copies take the sequences after it.
      else keptOffset = scan.end.offset;
    }
    if (keptOffset === segmentHeaderBytes) {
      throw corrupt(segmentPath(segment.id), segmentHeaderBytes, 'its first frame is not valid');
    }
    const { isInvalid, offset, nextSequence, recordCount } = scan.end;
    const later = await scan.findLaterFrame();
    if (later !== undefined && segment.header.sync === 'full') {
      throw corrupt(segmentPath(segment.id), offset, `a frame is not valid, but one at offset ${later} is`);
    }
    // Frames that are not flushed one by one may not follow frames that were: what a hole means would not be known.
    const isOfThisMode = segment.header.sync === options.segments.sync;
    // Nor may a hole be filled: whatever lies behind it would count again.
    const isWhole = !isInvalid && later === undefined;
    if (frames.length === 0 && isWhole && isOfThisMode && !isRebuild && !options.isRestored) {
      segment.usedBytes = offset;
      segment.recordCount = Math.max(segment.recordCount, recordCount, metaRecords);
      await state.segments.resume(segment);
      return { nextSequence };
    }
    endAt(state, segment, keptOffset);
  } finally {
    await scan.close();
  }
  const firstSequence = Math.max(start.sequence, segment.header.firstSequence + 1);
  return copyForward(state, firstSequence, frames, publish);
}

/**
 * The index may have noted an end beyond it, of a frame that was then lost or copied into the next segment. What stands there
 * is void: the right end goes into the index together with the first checkpoint beyond this segment.
 */
function endAt(state: DatabaseState, segment: Segment, offset: number): void {
  segment.usedBytes = offset;
  state.usage.touch(segment.id);
}

/** Where the frames that the checkpoint does not cover begin. */
function startOf(segment: Segment, checkpoint: Checkpoint, isRebuild: boolean): { offset: number; sequence: number } {
  if (!isRebuild && segment.id === checkpoint.segment) {
    return { offset: checkpoint.offset, sequence: checkpoint.sequence + 1 };
  }
  const sequence = segment.header.kind === 'compacted' ? 0 : segment.header.firstSequence;
  return { offset: segmentHeaderBytes, sequence };
}

/** Writes the frames into a fresh segment, flushed before any of them is published from there. */
async function copyForward(
  state: DatabaseState,
  firstSequence: number,
  frames: readonly Buffer[],
  publish: (group: DurableGroup) => Promise<void>,
): Promise<{ readonly nextSequence: number }> {
  const copied = await startSegment(state, firstSequence, frames);
  const { active } = state.segments;
  let offset = segmentHeaderBytes + copied.metaBytes;
  let sequence = firstSequence + 1;
  for (const frame of copied.frames) {
    const header = readFrameHeader(frame, 0, active.salt);
    if (header === undefined) throw new DatabaseError('internal', 'A copied frame cannot be read.');
    const source = { view: new FrameView(frame, header), segment: active.id, offset, sequence };
    await publish(replayFrame(source, replayOptions(state, true)));
    offset += frame.length;
    sequence += 1;
  }
  return { nextSequence: sequence };
}

async function startSegment(
  state: DatabaseState,
  firstSequence: number,
  frames: readonly Buffer[],
): Promise<{ readonly frames: readonly Buffer[]; readonly metaBytes: number }> {
  const copies: Buffer[] = [];
  let metaBytes = 0;
  await state.segments.roll(firstSequence, 0, (salt) => {
    const meta = encodeMetaFrame(metaOf(state), salt, firstSequence);
    metaBytes = meta.length;
    let ordinal = metaRecords;
    for (const frame of frames) {
      copies.push(relocateFrame(frame, { salt, sequence: firstSequence + 1 + copies.length, firstOrdinal: ordinal }));
      ordinal += frame.readUInt32LE(28);
    }
    return { bytes: Buffer.concat([meta, ...copies]), records: ordinal };
  });
  return { frames: copies, metaBytes };
}

export function metaOf(state: DatabaseState): Meta {
  return { epoch: state.writtenEpoch, catalog: state.catalog.snapshot(), positions: state.positions() };
}

function replayOptions(state: DatabaseState, appliesCatalog: boolean): Parameters<typeof replayFrame>[1] {
  return {
    find: (key, hash) => state.findVisible(key, hash),
    hashOf: (key) => state.index.hashOf(key),
    findUniqueHolder: (key) => state.findUniqueHolder(key),
    hasContainer: (container) => state.findContainer(container) !== undefined,
    appliesCatalog,
  };
}

function readJson<T>(index: IndexStore, key: Buffer): T | undefined {
  return readable(() => {
    const value = index.get(key);
    // Only this engine writes there, and the index is never a mixture of two states.
    return value === undefined ? undefined : (JSON.parse(value.toString('utf8')) as T);
  });
}

function readAll<T>(index: IndexStore, kind: number): T[] {
  const bounds = prefixBounds(metaKey(kind, 0).subarray(0, 2));
  return readable(() => {
    const entries = index.range({ ...bounds, limit: Number.MAX_SAFE_INTEGER });
    return entries.map(({ value }) => JSON.parse(value.toString('utf8')) as T);
  });
}

function readable<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new UnreadableIndex('The index cannot be read.', { cause: error });
  }
}
