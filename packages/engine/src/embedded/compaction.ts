// Compaction: rewrites neighbouring segments of which little is of use into one, while everything goes on.
//
//   write     what is kept of the inputs goes into a new file, flushed and named; nobody uses it yet
//   move      the index entries of the documents in it are pointed at it, a few at a time; both copies are good
//   swap      one index transaction puts its slices in the place of the inputs' slices
//   retire    the inputs' files go when that transaction is flushed and the last reader has let go
//
// While both copies exist, a document superseded in one is superseded in the other (SegmentUsage.link), so that a feed never
// shows an old version, whichever copy it walks. After a crash the output is thrown away if the index has never heard of it,
// and its move is done again if it has.

import { DatabaseError } from '@tidemark/model';
import type { FileSystem } from '../files/file-system.ts';
import type { Version } from '../index/documents.ts';
import { isNewer, movedVersion } from '../index/documents.ts';
import { docKey } from '../index/keys.ts';
import { movedRecordsMax, relocationRecordsMax } from '../limits.ts';
import type { FrameView } from '../log/frame.ts';
import { frameKind, operation } from '../log/frame.ts';
import { SegmentScan } from '../log/scan.ts';
import type { SegmentHeader } from '../log/segment.ts';
import { corrupt, segmentHeaderBytes, segmentPath } from '../log/segment.ts';
import type { Segment } from '../log/segment-store.ts';
import type { DatabaseState } from '../state/database-state.ts';
import { placeOf, slicesOf } from '../state/group.ts';
import type { CompactionOutput, KeptRecord } from './compaction-output.ts';
import { collect, writeOutput } from './compaction-output.ts';
import { chooseInputs } from './compaction-policy.ts';
import type { IndexWriter } from './index-writer.ts';
import type { LsnSpan } from './slice-swap.ts';
import { anyLsn, swapSlices } from './slice-swap.ts';

export interface CompactorOptions {
  readonly files: FileSystem;
  readonly state: DatabaseState;
  readonly writer: IndexWriter;
  readonly sync: 'full' | 'os';
  readonly segmentBytesMax: number;
  /** Outputs whose moves a crash has interrupted. What is replayed before they are resumed must not make them whole in the index. */
  readonly unfinished: readonly number[];
  /** Resolves when every group decided before the call has been published. */
  barrier(): Promise<void>;
}

/** A compaction whose output is there and whose inputs are not yet out. */
interface Half {
  readonly output: CompactionOutput;
  readonly inputs: readonly Segment[];
  /** Where in which range the inputs have anything. */
  readonly spans: ReadonlyMap<number, LsnSpan>;
}

export class Compactor {
  readonly #options: CompactorOptions;
  readonly #moving: Set<number>;
  /** An output that is in use and whose inputs are not yet out: the next run goes on with it. */
  #half: Half | undefined;
  #running: Promise<boolean> | undefined;
  #holds = 0;
  #isClosed = false;

  constructor(options: CompactorOptions) {
    this.#options = options;
    this.#moving = new Set(options.unfinished);
  }

  isMoving(segment: number): boolean {
    return this.#moving.has(segment);
  }

  /** One compaction, if there is one worth doing, or `isLazy` one that must be done. Resolves with whether there was. */
  run(isLazy = false): Promise<boolean> {
    if (this.#isClosed || this.#holds > 0) return Promise.resolve(false);
    this.#running ??= this.#runOnce(isLazy).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** No segment comes or goes until the returned function is called. */
  async hold(): Promise<() => void> {
    this.#holds += 1;
    try {
      await this.#running;
    } catch {
      // Whoever called `run` has been told.
    }
    return () => {
      this.#holds -= 1;
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    try {
      await this.#running;
    } catch {
      // Whoever called `run` has been told; an unfinished output is sorted out by the next open.
    }
  }

  async #runOnce(isLazy: boolean): Promise<boolean> {
    if (this.#half !== undefined) {
      await this.#finish(this.#half);
      return true;
    }
    const { state, writer, files } = this.#options;
    const choice = chooseInputs(state, writer.checkpoint.sequence, this.#options.segmentBytesMax, isLazy);
    if (choice === undefined) return false;
    const { inputs, dropsTombstones, lastSequence } = choice;
    const { records, spans } = await collect(files, state, inputs, dropsTombstones);
    const header: SegmentHeader = {
      id: state.segments.takeId(),
      salt: state.segments.newSalt().toString('hex'),
      kind: 'compacted',
      sync: this.#options.sync,
      firstSequence: (inputs[0] as Segment).header.firstSequence,
      lastSequence,
      inputs: inputs.map((input) => input.id),
    };
    // A finished output stands for its inputs, in a rebuild too: what superseded a record that it leaves out must be on the disk.
    if (this.#options.sync === 'os') await state.segments.flush();
    const output = await writeOutput(files, header, records);
    this.#adopt(output, inputs);
    this.#half = { output, inputs, spans };
    await this.#finish(this.#half);
    return true;
  }

  /** Each step may be done again: what fails for want of room is finished by a later run. */
  async #finish(half: Half): Promise<void> {
    await this.#move(half.output);
    await this.#options.barrier();
    await this.#swap(half);
    this.#half = undefined;
  }

  #adopt(output: CompactionOutput, inputs: readonly Segment[]): void {
    const { state } = this.#options;
    const { id } = output.segment;
    state.segments.adopt(output.segment);
    this.#moving.add(id);
    const sourceSegment = new Uint16Array(output.records.length);
    const sourceOrdinal = new Uint32Array(output.records.length);
    for (const [ordinal, record] of output.records.entries()) {
      sourceSegment[ordinal] = record.source;
      sourceOrdinal[ordinal] = record.sourceOrdinal;
      state.usage.add(id, record.container, record.place.recordBytes, record.input.operation === operation.delete);
    }
    const segments = inputs.map((input) => input.id);
    this.#copyMarks(output, segments);
    state.usage.link(id, { segments, sourceSegment, sourceOrdinal });
  }

  /** Brings over what was superseded in the inputs since the records were copied. */
  #copyMarks(output: CompactionOutput, inputs: readonly number[]): void {
    const { usage } = this.#options.state;
    for (const record of output.records) {
      const source = inputs[record.source] as number;
      if (!usage.isSuperseded(source, record.sourceOrdinal)) continue;
      const second = usage.supersededSecond(source, record.sourceOrdinal);
      usage.supersede(record.place, record.container, second === 0 ? undefined : second);
    }
  }

  async #move(output: CompactionOutput): Promise<void> {
    const { state, writer } = this.#options;
    let moved = 0;
    for (const record of output.records) {
      if (record.input.operation === operation.delete || this.#isClosed) continue;
      if (!this.#moveOne(record)) continue;
      moved += 1;
      if (moved % movedRecordsMax === 0) await writer.progress();
      else if (moved % relocationRecordsMax === 0) await state.environment.clock.nextTurn();
    }
    state.usage.touch(output.segment.id);
    if (this.#isClosed) throw new DatabaseError('closed', 'The database is being closed.');
    await writer.drained();
  }

  /** Points the document's entry at the copy, if the copy is of its latest version. */
  #moveOne(record: KeptRecord): boolean {
    const { state, writer } = this.#options;
    const { input, container } = record;
    const key = docKey(container, input.epk, input.partitionKey, input.id);
    const hash = state.index.hashOf(key);
    const version = state.findVisible(key, hash);
    if (version === undefined || version.lsn !== input.lsn || version.ix !== input.ix) return false;
    state.index.put(key, 0, key.length, hash, movedVersion(version, record.label, record.place));
    writer.noteEntered();
    return true;
  }

  async #swap({ output, inputs, spans }: Half): Promise<void> {
    const { state, writer } = this.#options;
    const ids = inputs.map((input) => input.id);
    await writer.exclusively(async (index) => {
      const { id } = output.segment;
      this.#copyMarks(output, ids);
      const swap = swapSlices(index, spans, new Set(ids), output.slices);
      this.#moving.delete(id);
      state.usage.touch(id);
      state.usage.unlink(id);
      for (const input of ids) state.usage.forget(input);
      // Only what belongs to the swap: the sums of other segments may be ahead of what the index is complete up to.
      await state.relayout(() => index.apply([...swap.changes, ...writer.sharedChanges(id)]));
      writer.forgetChunks(swap.ranges);
    });
    await state.segments.retire(ids);
    for (const id of ids) state.usage.release(id);
  }

  /**
   * Finishes what a crash interrupted, before anything is served: whether each copy is of the latest version is told by the
   * index, whose entry has the same position or a newer one.
   */
  async resume(id: number): Promise<void> {
    const { state, files } = this.#options;
    const segment = state.segments.find(id);
    if (segment === undefined) return;
    const inputs = (segment.header.inputs ?? []).map((input) => state.segments.find(input));
    const present = inputs.filter((input): input is Segment => input !== undefined);
    const records: KeptRecord[] = [];
    const slices: CompactionOutput['slices'][number][] = [];
    let entered = 0;
    const scan = await SegmentScan.open(files, segment.header, { offset: segmentHeaderBytes, sequence: 0 });
    try {
      for (let frame = await scan.next(); frame !== undefined; frame = await scan.next()) {
        const { view, offset } = frame;
        if (view.header.kind === frameKind.footer) break;
        slices.push(...slicesOf(view, id, offset));
        for (let record = 0; record < view.header.recordCount; record += 1) {
          const isDelete = view.operation(record) === operation.delete;
          const key = docKey(view.containerOfRun(0), view.epk(record), view.partitionKey(record), view.id(record));
          const place = placeOf(view, record, id, offset);
          if (isDelete) continue;
          if (this.#resumeOne(key, view.containerOfRun(0), view.rangeOfRun(0), view, record, place)) entered += 1;
        }
        if (entered >= movedRecordsMax) {
          entered = 0;
          await this.#options.writer.progress();
        }
      }
      if (scan.end.isInvalid) throw corrupt(segmentPath(id), scan.end.offset, 'a frame is not valid');
    } finally {
      await scan.close();
    }
    await this.#options.writer.drained();
    await this.#swap({ output: { segment, records, slices }, inputs: present, spans: this.#allSpans() });
  }

  /** Who was interrupted does not know any more where the inputs had anything. */
  #allSpans(): Map<number, LsnSpan> {
    const spans = new Map<number, LsnSpan>();
    for (const container of this.#options.state.containers()) {
      for (const range of container.ranges) {
        spans.set(range.number, anyLsn);
        for (const ancestor of range.entry.ancestors) spans.set(ancestor.number, anyLsn);
      }
    }
    return spans;
  }

  /** Whether the index has got anything to write. */
  #resumeOne(
    key: Buffer,
    container: number,
    label: number,
    view: FrameView,
    record: number,
    place: Version['place'],
  ): boolean {
    const { state, writer } = this.#options;
    const hash = state.index.hashOf(key);
    const version = state.findVisible(key, hash);
    const position = { lsn: view.lsn(record), ix: view.ix(record) };
    if (version !== undefined && version.lsn === position.lsn && version.ix === position.ix) {
      state.index.put(key, 0, key.length, hash, movedVersion(version, label, place));
      writer.noteEntered();
      return true;
    }
    if (version !== undefined && !isNewer(version, position)) return false;
    if (state.usage.isSuperseded(place.segment, place.ordinal)) return false;
    // When it was superseded is not known any more: kept as long as if it were now, or the last commit if the clock is back.
    const owner = state.findContainer(container);
    const times = owner?.ranges.map((range) => range.tailTimeMs) ?? [];
    const second = Math.floor(Math.max(state.environment.clock.nowMs(), ...times) / 1000);
    state.usage.supersede(place, container, (owner?.entry.historyMs ?? 0) > 0 ? second : undefined);
    return false;
  }
}
