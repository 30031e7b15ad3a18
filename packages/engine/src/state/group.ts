// GROUP: the units that share one append and one flush. It is filled while the group before it is being flushed, closed
// into a frame, and published when that frame is on disk.

import { DatabaseError } from '@tidemark/model';
import type { Place, Version } from '../index/documents.ts';
import { uniqueKey } from '../index/keys.ts';
import type { Slice } from '../index/slices.ts';
import type { RecordInput } from '../log/frame.ts';
import {
  encodeFrame,
  FrameView,
  frameBytes,
  frameKind,
  operation,
  readFrameHeader,
  uniqueDigestBytes,
} from '../log/frame.ts';
import type { CatalogChange } from './catalog.ts';

/** A version that has been decided. It gets its place and its bytes when its group is closed. */
export class StagedVersion implements Version {
  readonly range: number;
  readonly lsn: number;
  readonly ix: number;
  readonly timeMs: number;
  readonly ttl: number | undefined;
  readonly ridNumber: number;
  readonly uniqueDigests: Buffer;
  place: Place = nowhere;
  #frame: FrameView | undefined;
  #record = 0;
  #open: Uint8Array | undefined;
  #suffix: string;

  constructor(range: number, record: RecordInput, uniqueDigests: Buffer) {
    this.range = range;
    this.lsn = record.lsn;
    this.ix = record.ix;
    this.timeMs = record.timeMs;
    this.ttl = record.ttl;
    this.ridNumber = record.ridNumber;
    this.uniqueDigests = uniqueDigests;
    this.#open = record.body;
    this.#suffix = record.suffix;
  }

  /** Made when somebody asks: most versions are superseded or indexed before anybody does. */
  get body(): Buffer {
    if (this.#frame !== undefined) return this.#frame.body(this.#record);
    return Buffer.concat([this.#open ?? nothing, Buffer.from(this.#suffix, 'latin1')]);
  }

  /** The frame has the bytes now; what the client sent may go. */
  settle(place: Place, frame: FrameView, record: number): void {
    this.place = place;
    this.#frame = frame;
    this.#record = record;
    this.#open = undefined;
    this.#suffix = '';
  }
}

const nowhere: Place = { segment: 0, ordinal: 0, offset: 0, length: 0, crc: 0, recordBytes: 0 };

/** One document's change in a group, with everything that publishing and indexing it need. */
export interface StagedRecord {
  readonly container: number;
  readonly range: number;
  readonly key: Buffer;
  readonly keyText: string;
  readonly partitionKey: Buffer;
  readonly id: string;
  readonly isInsert: boolean;
  /** Undefined: a delete. */
  readonly version: Version | undefined;
  /** The version that it replaces or deletes. */
  readonly previous: Version | undefined;
  readonly lsn: number;
  readonly timeMs: number;
  /** What a delete occupies in the segment; known when the group is closed. */
  tombstoneBytes: number;
}

/** A group on disk, ready to be published and then indexed; recovery makes the same from a frame it reads. */
export interface DurableGroup {
  readonly sequence: number;
  readonly segment: number;
  /** Where the next frame begins. */
  readonly endOffset: number;
  readonly view: FrameView;
  readonly records: readonly StagedRecord[];
  readonly slices: readonly { readonly range: number; readonly slice: Slice }[];
  readonly changes: readonly CatalogChange[];
}

interface Run {
  readonly container: number;
  readonly range: number;
  readonly records: RecordInput[];
  readonly staged: StagedRecord[];
}

export class OpenGroup {
  readonly #runs = new Map<number, Run>();
  readonly #changes: CatalogChange[] = [];
  /** The same as JSON. Written at once, so that what cannot be written fails the one who asked for it and nobody else. */
  readonly #changeTexts: string[] = [];
  /** Called when the group is durable and published, with undefined, or with the reason why it is not. */
  readonly #waiting: ((failure: DatabaseError | undefined) => void)[] = [];
  bytes = 0;
  units = 0;

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

  add(container: number, range: number, record: RecordInput, staged: StagedRecord): void {
    let run = this.#runs.get(range);
    if (run === undefined) {
      run = { container, range, records: [], staged: [] };
      this.#runs.set(range, run);
    }
    run.records.push(record);
    run.staged.push(staged);
  }

  change(changes: readonly CatalogChange[]): void {
    const texts = changes.map((change) => JSON.stringify(change));
    this.#changes.push(...changes);
    this.#changeTexts.push(...texts);
  }

  onSettled(callback: (failure: DatabaseError | undefined) => void): void {
    this.#waiting.push(callback);
  }

  settle(failure: DatabaseError | undefined): void {
    for (const callback of this.#waiting) callback(failure);
  }

  /** The runs as the frame will hold them: documents first, then the changes of the catalog that follow from them. */
  get runs(): { readonly container: number; readonly range: number; readonly records: readonly RecordInput[] }[] {
    const runs: { container: number; range: number; records: readonly RecordInput[] }[] = [...this.#runs.values()];
    if (this.#changeTexts.length > 0) runs.push(catalogRun(`[${this.#changeTexts.join(',')}]`));
    return runs;
  }

  get frameBytes(): number {
    return frameBytes(this.runs);
  }

  close(target: {
    readonly salt: Buffer;
    readonly segment: number;
    readonly sequence: number;
    readonly offset: number;
    readonly firstOrdinal: number;
  }): { readonly frame: Buffer; readonly group: DurableGroup } {
    const runs = this.runs;
    const frame = encodeFrame({
      kind: frameKind.group,
      salt: target.salt,
      sequence: target.sequence,
      firstOrdinal: target.firstOrdinal,
      runs,
    });
    const header = readFrameHeader(frame, 0, target.salt);
    if (header === undefined) throw new DatabaseError('internal', 'A frame just written cannot be read.');
    const view = new FrameView(frame, header);
    const records: StagedRecord[] = [];
    let record = 0;
    for (const run of this.#runs.values()) {
      for (const staged of run.staged) {
        if (staged.version instanceof StagedVersion) {
          staged.version.settle(placeOf(view, record, target.segment, target.offset), view, record);
        }
        if (staged.version === undefined) staged.tombstoneBytes = view.recordBytes(record);
        records.push(staged);
        record += 1;
      }
    }
    return {
      frame,
      group: {
        sequence: target.sequence,
        segment: target.segment,
        endOffset: target.offset + frame.length,
        view,
        records,
        slices: slicesOf(view, target.segment, target.offset),
        changes: this.#changes,
      },
    };
  }
}

export function placeOf(view: FrameView, record: number, segment: number, frameOffset: number): Place {
  return {
    segment,
    ordinal: view.header.firstOrdinal + record,
    offset: frameOffset + view.bodyOffset(record),
    length: view.bodyLength(record),
    crc: view.bodyCrc(record),
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
      bodyCrc: view.bodyCrcOfRun(run),
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
    body: Buffer.from(text),
    suffix: '',
  };
  return { container: catalogContainer, range: 0, records: [record] };
}

/** The unique values that a record lets go (id undefined) and takes, in this order. */
export function forEachUnique(record: StagedRecord, visit: (key: Buffer, id: string | undefined) => void): void {
  const { container, partitionKey, previous, version } = record;
  // Most containers have no unique keys, and this is asked several times for every write.
  const isFree = (previous?.uniqueDigests.length ?? 0) + (version?.uniqueDigests.length ?? 0) === 0;
  if (isFree) return;
  for (const [digests, id] of [
    [previous?.uniqueDigests, undefined],
    [version?.uniqueDigests, record.id],
  ] as const) {
    if (digests === undefined) continue;
    for (let key = 0; key * uniqueDigestBytes < digests.length; key += 1) {
      const digest = digests.subarray(key * uniqueDigestBytes, (key + 1) * uniqueDigestBytes);
      // Blank where the previous version no longer holds it; see replay.
      if (id === undefined && digest.every((byte) => byte === 0)) continue;
      visit(uniqueKey(container, partitionKey, key, digest), id);
    }
  }
}
