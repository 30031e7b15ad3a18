// Check: walks the whole log and proves that the index agrees with it. Findings are named with file and offset where there
// is one. It may run beside writes; what changes under its eyes is not counted as a finding.

import { Buffer } from 'node:buffer';
import { effectiveKeyHex, isDatabaseError, keyRangeContains, keyRangesTile } from '@tidemark/model';
import type { EmbeddedEngine } from './embedded/engine.ts';
import type { FileSystem } from './files/file-system.ts';
import { isNewer } from './index/documents.ts';
import type { IndexEntry } from './index/index-store.ts';
import { docKey, framesKey, treeBounds, uniqueKey } from './index/keys.ts';
import { findIndexedRid, ridsOfBlock } from './index/rid-blocks.ts';
import { decodeSlices } from './index/slices.ts';
import type { FrameView } from './log/frame.ts';
import { frameKind, operation, uniqueDigestBytes } from './log/frame.ts';
import { SegmentScan } from './log/scan.ts';
import { readSegmentHeader, segmentHeaderBytes, segmentPath } from './log/segment.ts';
import type { Segment } from './log/segment-store.ts';
import type { LongWorkOptions } from './long-work.ts';
import { checkNotStopped } from './long-work.ts';
import type { DatabaseState } from './state/database-state.ts';
import { catalogContainer } from './state/group.ts';

export interface CheckReport {
  readonly isClean: boolean;
  /** The first of them; a person acts on the first few anyway. */
  readonly problems: readonly string[];
  readonly segments: number;
  readonly frames: number;
  readonly records: number;
  readonly documents: number;
}

const problemsMax = 100;
const pageEntries = 4_096;

interface Findings {
  readonly problems: string[];
  frames: number;
  records: number;
  documents: number;
  slices: number;
}

export async function checkDatabase(
  engine: EmbeddedEngine,
  files: FileSystem,
  options: LongWorkOptions = {},
): Promise<CheckReport> {
  const found: Findings = { problems: [], frames: 0, records: 0, documents: 0, slices: 0 };
  const { sequence } = engine.figures;
  const pinned = await engine.pin();
  try {
    await engine.settle();
    const { state } = engine;
    // What is written since `sequence`, or was on its way to the disk, the index may have or not.
    const { indexedSequence } = engine.figures;
    const ends = new Map(pinned.segments.map(({ id, usedBytes }) => [id, usedBytes]));
    const segments = state.segments.all.filter((segment) => ends.has(segment.id));
    const total = pinned.segments.reduce((sum, { usedBytes }) => sum + usedBytes, 0);
    let done = 0;
    for (const segment of segments) {
      checkNotStopped(options.signal, 'check');
      const endOffset = ends.get(segment.id) ?? 0;
      await checkSegment(files, state, segment, endOffset, indexedSequence, found);
      done += endOffset;
      options.onProgress?.({ done, total });
    }
    checkSequences(segments, found);
    checkRanges(state, found);
    const surplus = await countedProblems(state, found, options.signal);
    // Beside writes the two were never to be the same.
    const isQuiet = indexedSequence === sequence && engine.figures.sequence === sequence;
    if (isQuiet) for (const problem of surplus) report(found, problem);
    const { problems, frames, records, documents } = found;
    return { isClean: problems.length === 0, problems, segments: segments.length, frames, records, documents };
  } finally {
    await pinned.release();
  }
}

function report(found: Findings, problem: string): void {
  if (found.problems.length < problemsMax) found.problems.push(problem);
}

async function checkSegment(
  files: FileSystem,
  state: DatabaseState,
  segment: Segment,
  endOffset: number,
  sequenceMax: number,
  found: Findings,
): Promise<void> {
  const isCompacted = segment.header.kind === 'compacted';
  const sequence = isCompacted ? 0 : segment.header.firstSequence;
  let scan: SegmentScan;
  try {
    // The index knows the header as well; the next rebuild has only the one in the file.
    await readSegmentHeader(files, segment.id);
  } catch (error) {
    report(found, isDatabaseError(error) ? error.message : `${segmentPath(segment.id)}: ${String(error)}`);
  }
  try {
    scan = await SegmentScan.open(files, segment.header, { offset: segmentHeaderBytes, sequence });
  } catch (error) {
    report(found, `${segmentPath(segment.id)} cannot be opened: ${String(error)}`);
    return;
  }
  try {
    while (scan.end.offset < endOffset && (isCompacted || scan.end.nextSequence <= sequenceMax)) {
      const frame = await scan.next();
      if (frame === undefined) {
        report(found, `${segmentPath(segment.id)}: no valid frame at offset ${scan.end.offset}`);
        return;
      }
      found.frames += 1;
      if (frame.view.header.kind === frameKind.group) checkFrame(state, segment, frame.view, frame.offset, found);
    }
  } catch (error) {
    report(found, isDatabaseError(error) ? error.message : `${segmentPath(segment.id)}: ${String(error)}`);
  } finally {
    await scan.close();
  }
}

function checkFrame(state: DatabaseState, segment: Segment, view: FrameView, offset: number, found: Findings): void {
  const where = `${segmentPath(segment.id)} at offset ${offset}`;
  for (let run = 0; run < view.header.runCount; run += 1) {
    const number = view.containerOfRun(run);
    const container = number === catalogContainer ? undefined : state.findContainer(number);
    if (container === undefined) continue;
    found.slices += 1;
    if (!hasSlice(state, view.rangeOfRun(run), segment.id, offset, view.lsn(view.firstRecordOfRun(run)))) {
      report(found, `${where}: the index has no slice for run ${run}`);
    }
    let last = -1;
    const first = view.firstRecordOfRun(run);
    for (let record = first; record < first + view.recordCountOfRun(run); record += 1) {
      found.records += 1;
      const lsn = view.lsn(record);
      if (lsn < last) report(found, `${where}: LSN ${lsn} follows LSN ${last}`);
      last = lsn;
      const range = container.rangeOf(view.epk(record));
      if (lsn > range.tailLsn)
        report(found, `${where}: LSN ${lsn} is beyond the tail ${range.tailLsn} of range ${range.entry.id}`);
      if (!keyRangeContains(range.entry, effectiveKeyHex(view.epk(record)))) {
        report(found, `${where}: no range holds the key of record ${record}`);
      }
      checkRecord(state, number, segment, view, record, where, found);
    }
  }
}

function checkRecord(
  state: DatabaseState,
  container: number,
  segment: Segment,
  view: FrameView,
  record: number,
  where: string,
  found: Findings,
): void {
  const key = docKey(container, view.epk(record), view.partitionKey(record), view.id(record));
  const version = state.findVisible(key);
  const position = { lsn: view.lsn(record), ix: view.ix(record) };
  const name = `document "${view.id(record).toString('utf8')}" (LSN ${position.lsn})`;
  const ordinal = view.header.firstOrdinal + record;
  if (version !== undefined && isNewer(position, version)) {
    report(found, `${where}: the index has an older version of ${name}`);
    return;
  }
  if (view.operation(record) === operation.delete) {
    if (version !== undefined && !isNewer(version, position)) report(found, `${where}: ${name} is deleted and indexed`);
    return;
  }
  const isLatest = version !== undefined && !isNewer(version, position);
  if (state.usage.isSuperseded(segment.id, ordinal) === isLatest) {
    report(found, `${where}: the bit of ${name} says ${isLatest ? 'superseded' : 'latest'}, the index the opposite`);
  }
  if (!isLatest) return;
  found.documents += 1;
  if (version.place.segment !== segment.id || version.place.ordinal !== ordinal) {
    report(found, `${where}: the index has ${name} at another place`);
  }
  const rid = findIndexedRid(state.index, container, view.ridNumber(record));
  if (rid === undefined || !rid.equals(key)) report(found, `${where}: the rid of ${name} does not lead to it`);
  const digests = view.uniqueDigests(record);
  for (let i = 0; i * uniqueDigestBytes < digests.length; i += 1) {
    const digest = digests.subarray(i * uniqueDigestBytes, (i + 1) * uniqueDigestBytes);
    const holder = state.index.get(uniqueKey(container, view.partitionKey(record), i, digest));
    if (holder?.equals(view.id(record)) !== true) report(found, `${where}: unique key ${i} of ${name} is not indexed`);
  }
}

function hasSlice(state: DatabaseState, range: number, segment: number, offset: number, firstLsn: number): boolean {
  const [chunk] = state.index.range({
    from: framesKey(range, 0),
    to: framesKey(range, firstLsn + 1),
    limit: 1,
    reverse: true,
  });
  const slices = chunk === undefined ? [] : decodeSlices(chunk.value);
  return slices.some((slice) => slice.segment === segment && slice.offset === offset && slice.firstLsn === firstLsn);
}

function checkSequences(segments: readonly Segment[], found: Findings): void {
  for (const [i, segment] of segments.entries()) {
    const next = segments[i + 1];
    const { lastSequence } = segment.header;
    if (next === undefined || lastSequence === undefined) continue;
    if (next.header.firstSequence !== lastSequence + 1) {
      report(found, `${segmentPath(segment.id)}: sequence ${lastSequence + 1} does not follow`);
    }
  }
}

function checkRanges(state: DatabaseState, found: Findings): void {
  for (const container of state.containers()) {
    if (!keyRangesTile(container.entry.ranges)) {
      report(found, `The ranges of container "${container.entry.id}" do not cover the key space exactly.`);
    }
  }
}

/** Nothing in the index that the log does not have. */
async function countedProblems(
  state: DatabaseState,
  found: Readonly<Findings>,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const problems: string[] = [];
  let documents = 0;
  let slices = 0;
  const ridsOf = ({ key, value }: IndexEntry): number => ridsOfBlock(key, value).length;
  for (const container of [...state.containers()]) {
    const own = await countEntries(state, treeBounds('doc', container.number), () => 1, signal);
    const rids = await countEntries(state, treeBounds('rid', container.number), ridsOf, signal);
    documents += own;
    if (rids !== own)
      problems.push(`Container "${container.entry.id}" has ${own} documents and ${rids} rids in the index.`);
    const told = container.ranges.reduce((sum, range) => sum + range.documents, 0);
    if (told !== own)
      problems.push(
        `Container "${container.entry.id}" has ${own} documents in the index, and its ranges count ${told}.`,
      );
    const numbers = new Set<number>();
    for (const range of container.ranges) {
      numbers.add(range.number);
      for (const ancestor of range.entry.ancestors) numbers.add(ancestor.number);
    }
    for (const number of numbers) {
      const slicesOf = ({ value }: IndexEntry): number => decodeSlices(value).length;
      slices += await countEntries(state, treeBounds('frames', number), slicesOf, signal);
    }
  }
  if (documents !== found.documents) problems.push(`The index has ${documents} documents, the log ${found.documents}.`);
  if (slices !== found.slices) problems.push(`The index has ${slices} slices, the log ${found.slices}.`);
  return problems;
}

/** Page by page, with a turn for everybody else between two. */
async function countEntries(
  state: DatabaseState,
  bounds: { readonly from: Buffer; readonly to: Buffer },
  weight: (entry: IndexEntry) => number,
  signal: AbortSignal | undefined,
): Promise<number> {
  let count = 0;
  let { from } = bounds;
  for (;;) {
    checkNotStopped(signal, 'check');
    const page = state.index.range({ from, to: bounds.to, limit: pageEntries });
    for (const entry of page) count += weight(entry);
    const last = page.at(-1);
    if (last === undefined || page.length < pageEntries) return count;
    from = Buffer.concat([last.key, Buffer.from([0])]);
    await state.environment.clock.nextTurn();
  }
}
