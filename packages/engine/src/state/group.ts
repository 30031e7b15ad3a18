// GROUP: the units that share one append and one flush. It is filled while the group before it is being flushed, closed
// into a frame, and published when that frame is on disk.

import { Buffer } from 'node:buffer';
import { DatabaseError } from '@tidemark/model';
import type { Place, Version } from '../index/documents.ts';
import { uniqueKey } from '../index/keys.ts';
import type { Slice } from '../index/slices.ts';
import { idleRunBytesMax, idleRunsMax } from '../limits.ts';
import type { FrameView, OperationNumber } from '../log/frame.ts';
import { frameKind, operation, uniqueDigestBytes } from '../log/frame.ts';
import type { FrameMemory, FrameSpace } from '../log/frame-memory.ts';
import type { RecordInput } from '../log/frame-writer.ts';
import { frameBytes, RunWriter, writeFrame } from '../log/frame-writer.ts';
import type { CatalogChange } from './catalog.ts';
import { KeySlab } from './key-slab.ts';
import type { StagedEntry } from './overlay.ts';

/** A frame that is in the log or about to be, and where. */
export interface FramePlace {
  readonly view: FrameView;
  readonly segment: number;
  readonly offset: number;
}

/** Whose unique keys a record takes or lets go. */
export interface UniqueOwner {
  readonly partitionKey: Buffer;
  readonly id: string;
}

/** The key of a document in the slab of a group, until that is settled. */
export interface LentKey {
  readonly slab: KeySlab;
  readonly start: number;
  readonly bytes: number;
  readonly hash: number;
}

/** What a record needs beside what is written down of it. */
export interface Staging {
  readonly key: LentKey;
  readonly isInsert: boolean;
  readonly uniqueDigests: Buffer;
  readonly recordBytes: number;
  readonly owner: UniqueOwner | undefined;
  readonly previous: Version | undefined;
}

/**
 * One document's change, with what deciding, publishing and indexing it need; unless it is a delete it is the document's
 * version as well. Its bytes are where its group keeps them, in a run that is being filled and then in the frame; the memory of both is
 * used again. When it has been published only those hold on to it who were decided upon it: they ask for numbers, which it keeps.
 */
export class StagedRecord implements Version, Place, StagedEntry {
  readonly container: number;
  readonly range: number;
  readonly hash: number;
  readonly operation: OperationNumber;
  /** The index does not know its rid yet. */
  readonly isInsert: boolean;
  readonly lsn: number;
  readonly ix: number;
  readonly timeMs: number;
  readonly ttl: number | undefined;
  readonly ridNumber: number;
  readonly uniqueDigests: Buffer;
  /** What it occupies in the segment. */
  readonly recordBytes: number;
  /** Undefined where neither it nor the version before it holds any. */
  readonly owner: UniqueOwner | undefined;
  /** The version that it replaces or deletes. Let go when it is published: each would hold on to the one before it. */
  previous: Version | undefined;
  under: StagedEntry | undefined;
  over: StagedEntry | undefined;
  /** Where its key is in the bytes of `keys`. */
  readonly keyStart: number;
  readonly keyEnd: number;
  /** Of its place, from when the group is closed. */
  segment = 0;
  ordinal = 0;
  readonly #slab: KeySlab;
  #run: RunWriter | undefined;
  #frame: FramePlace | undefined;
  #record: number;

  /** `record` is its number in the run or frame. */
  constructor(
    container: number,
    range: number,
    input: Pick<RecordInput, 'operation' | 'lsn' | 'ix' | 'timeMs' | 'ttl' | 'ridNumber'>,
    staging: Staging,
    at: RunWriter | FramePlace,
    record: number,
  ) {
    this.container = container;
    this.range = range;
    const { slab, start, bytes, hash } = staging.key;
    this.#slab = slab;
    this.keyStart = start;
    this.keyEnd = start + bytes;
    this.hash = hash;
    this.operation = input.operation;
    this.isInsert = staging.isInsert;
    this.lsn = input.lsn;
    this.ix = input.ix;
    this.timeMs = input.timeMs;
    this.ttl = input.ttl;
    this.ridNumber = input.ridNumber;
    this.uniqueDigests = staging.uniqueDigests;
    this.recordBytes = staging.recordBytes;
    this.owner = staging.owner;
    this.previous = staging.previous;
    this.#run = at instanceof RunWriter ? at : undefined;
    this.#record = record;
    if (!(at instanceof RunWriter)) this.settle(at, record);
  }

  /** Undefined: a delete. */
  get version(): Version | undefined {
    return this.operation === operation.delete ? undefined : this;
  }

  get keys(): Buffer {
    return this.#slab.bytes;
  }

  /** A copy. */
  get key(): Buffer {
    return Buffer.from(this.keys.subarray(this.keyStart, this.keyEnd));
  }

  hasKey(key: Buffer): boolean {
    return this.keys.compare(key, 0, key.length, this.keyStart, this.keyEnd) === 0;
  }

  // It is its own place: an object less for each write.

  get place(): Place {
    return this;
  }

  get offset(): number {
    return this.#placed.offset + this.#placed.view.bodyOffset(this.#record);
  }

  get length(): number {
    return this.#placed.view.bodyLength(this.#record);
  }

  get checksum(): number {
    return this.#placed.view.bodyChecksum(this.#record);
  }

  get partitionKey(): Buffer {
    return this.#placed.view.partitionKey(this.#record);
  }

  get id(): Buffer {
    return this.#placed.view.id(this.#record);
  }

  /** A copy. */
  get body(): Buffer {
    return Buffer.from(this.#run?.body(this.#record) ?? this.#placed.view.body(this.#record));
  }

  /** Its group has been closed: from now on its bytes are in the frame. */
  settle(frame: FramePlace, record: number): void {
    this.#run = undefined;
    this.#frame = frame;
    this.#record = record;
    this.segment = frame.segment;
    this.ordinal = frame.view.header.firstOrdinal + record;
  }

  /** And noted for the index. Its bytes are for others to find from now on, and in the memory of its frame will be another one. */
  published(): void {
    this.#frame = undefined;
    this.previous = undefined;
  }

  get #placed(): FramePlace {
    if (this.#frame === undefined)
      throw new DatabaseError('internal', 'A record has bytes from when its group is closed until it is published.');
    return this.#frame;
  }
}

/** A group on disk, ready to be published and then indexed; recovery makes the same from a frame it reads. */
export interface DurableGroup {
  readonly sequence: number;
  readonly segment: number;
  /** Where the next frame begins. */
  readonly endOffset: number;
  readonly view: FrameView;
  /** The memory of the frame, if it is used again when the index has it. */
  readonly space: FrameSpace | undefined;
  readonly records: readonly StagedRecord[];
  readonly slices: readonly { readonly range: number; readonly slice: Slice }[];
  readonly changes: readonly CatalogChange[];
}

/** Told when the group is durable and published, with undefined, or with the reason why it is not. */
export interface GroupWaiter {
  settled(failure: DatabaseError | undefined): void;
}

interface Run {
  readonly writer: RunWriter;
  readonly staged: StagedRecord[];
}

/** Memory for the runs and keys of open groups, of a group being closed and the next one; and for frames. */
export class RunPool {
  readonly frames: FrameMemory;
  readonly #idle: RunWriter[] = [];
  readonly #idleKeys: KeySlab[] = [];

  constructor(frames: FrameMemory) {
    this.frames = frames;
  }

  take(container: number, range: number): RunWriter {
    return (this.#idle.pop() ?? new RunWriter()).begin(container, range);
  }

  release(run: RunWriter): void {
    if (this.#idle.length < idleRunsMax && run.memoryBytes <= idleRunBytesMax) this.#idle.push(run);
  }

  takeKeys(): KeySlab {
    return this.#idleKeys.pop()?.cutTo(0) ?? new KeySlab();
  }

  releaseKeys(keys: KeySlab): void {
    if (this.#idleKeys.length < idleRunsMax && keys.bytes.length <= idleRunBytesMax) this.#idleKeys.push(keys);
  }
}

export class OpenGroup {
  readonly #pool: RunPool;
  readonly #runs = new Map<number, Run>();
  readonly #changes: CatalogChange[] = [];
  /** The same as JSON. Written at once, so that what cannot be written fails the one who asked for it and nobody else. */
  readonly #changeTexts: string[] = [];
  readonly #waiting: GroupWaiter[] = [];
  /** Of the documents that its units have looked for. */
  readonly keys: KeySlab;
  bytes = 0;
  units = 0;

  constructor(pool: RunPool) {
    this.#pool = pool;
    this.keys = pool.takeKeys();
  }

  get isEmpty(): boolean {
    return this.#runs.size === 0 && this.#changes.length === 0;
  }

  /** How many are to be told what became of it. */
  get waiting(): number {
    return this.#waiting.length;
  }

  get hasNobody(): boolean {
    return this.waiting === 0;
  }

  /** Writes the record down; the input may be used again. */
  add(container: number, range: number, input: RecordInput, staging: Staging): StagedRecord {
    let run = this.#runs.get(range);
    if (run === undefined) {
      run = { writer: this.#pool.take(container, range), staged: [] };
      this.#runs.set(range, run);
    }
    const { writer } = run;
    const record = writer.records;
    writer.add(input);
    const staged = new StagedRecord(container, range, input, staging, writer, record);
    run.staged.push(staged);
    return staged;
  }

  change(changes: readonly CatalogChange[]): void {
    const texts = changes.map((change) => JSON.stringify(change));
    this.#changes.push(...changes);
    this.#changeTexts.push(...texts);
  }

  onSettled(waiter: GroupWaiter): void {
    this.#waiting.push(waiter);
  }

  /** It has been published, or never will be. */
  settle(failure: DatabaseError | undefined): void {
    this.#pool.releaseKeys(this.keys);
    for (const waiter of this.#waiting) waiter.settled(failure);
  }

  get frameBytes(): number {
    return frameBytes(this.#writers());
  }

  close(target: {
    readonly salt: Buffer;
    readonly segment: number;
    readonly sequence: number;
    readonly offset: number;
    readonly firstOrdinal: number;
  }): DurableGroup {
    const { salt, segment, sequence, offset, firstOrdinal } = target;
    const writers = this.#writers();
    const space = this.#pool.frames.take(frameBytes(writers));
    const view = writeFrame({ kind: frameKind.group, salt, sequence, firstOrdinal }, writers, space.bytes);
    const frame: FramePlace = { view, segment, offset };
    const records: StagedRecord[] = [];
    for (const { writer, staged } of this.#runs.values()) {
      for (const record of staged) {
        record.settle(frame, records.length);
        records.push(record);
      }
      this.#pool.release(writer);
    }
    const slices = slicesOf(view, segment, offset);
    const endOffset = offset + view.header.length;
    return { sequence, segment, endOffset, view, space, records, slices, changes: this.#changes };
  }

  /** The runs as the frame will hold them: documents first, then the changes of the catalog that follow from them. */
  #writers(): RunWriter[] {
    const writers: RunWriter[] = [];
    for (const { writer } of this.#runs.values()) writers.push(writer);
    if (this.#changeTexts.length > 0) {
      const run = catalogRun(`[${this.#changeTexts.join(',')}]`);
      const writer = new RunWriter().begin(run.container, run.range);
      for (const record of run.records) writer.add(record);
      writers.push(writer);
    }
    return writers;
  }
}

export function placeOf(view: FrameView, record: number, segment: number, frameOffset: number): Place {
  return {
    segment,
    ordinal: view.header.firstOrdinal + record,
    offset: frameOffset + view.bodyOffset(record),
    length: view.bodyLength(record),
    checksum: view.bodyChecksum(record),
    recordBytes: view.recordBytes(record),
  };
}

/** The slices of a frame: one for each run of documents. */
export function slicesOf(
  view: FrameView,
  segment: number,
  frameOffset: number,
): { readonly range: number; readonly slice: Slice }[] {
  const slices: { range: number; slice: Slice }[] = [];
  for (let run = 0; run < view.header.runCount; run += 1) {
    if (view.containerOfRun(run) === catalogContainer) continue;
    const first = view.firstRecordOfRun(run);
    const records = view.recordCountOfRun(run);
    const slice: Slice = {
      firstLsn: view.lsn(first),
      lastLsn: view.lsn(first + records - 1),
      segment,
      offset: frameOffset,
      length: view.header.length,
      records,
      run,
      tableBytes: view.header.bodiesOffset,
      bodyOffset: view.bodyOffsetOfRun(run),
      bodyBytes: view.bodyBytesOfRun(run),
      bodyChecksum: view.checksumOfRun(run),
      firstOrdinal: view.header.firstOrdinal + first,
      hasDeletes: view.hasDeletes(run),
    };
    slices.push({ range: view.rangeOfRun(run), slice });
  }
  return slices;
}

/** Numbers of the catalog begin at 1. */
export const catalogContainer = 0;
const nothing = Buffer.alloc(0);

/** One record with a JSON array as its body. */
export function catalogRun(text: string): {
  container: number;
  range: number;
  records: readonly RecordInput[];
} {
  const body = Buffer.from(text);
  const record: RecordInput = {
    operation: operation.catalog,
    flags: 0,
    lsn: 0,
    ix: 0,
    previousLsn: 0,
    previousIx: 0,
    timeMs: 0,
    ridNumber: 0,
    ttl: undefined,
    epk: nothing,
    partitionKey: nothing,
    id: nothing,
    uniqueDigests: nothing,
    body,
    bodyLength: body.length,
    tail: undefined,
  };
  return { container: catalogContainer, range: 0, records: [record] };
}

/**
 * The unique values that a record lets go (id undefined) and takes, in this order. Most containers have no unique keys: for
 * each write's sake it is only called where there is an owner.
 */
export function forEachUnique(record: StagedRecord, visit: (key: Buffer, id: string | undefined) => void): void {
  const { container, owner, previous } = record;
  if (owner === undefined) return;
  for (const [digests, id] of [
    [previous?.uniqueDigests, undefined],
    [record.uniqueDigests, owner.id],
  ] as const) {
    if (digests === undefined) continue;
    for (let key = 0; key * uniqueDigestBytes < digests.length; key += 1) {
      const digest = digests.subarray(key * uniqueDigestBytes, (key + 1) * uniqueDigestBytes);
      // Blank where the previous version no longer holds it; see replay.
      if (id === undefined && digest.every((byte) => byte === 0)) continue;
      visit(uniqueKey(container, owner.partitionKey, key, digest), id);
    }
  }
}
