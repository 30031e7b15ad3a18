// Which segments to compact next: neighbours in the log, sealed and fully indexed, with the least of use in them.
//
// The longer a segment waits, the less of it is left to copy. So as long as the log as a whole is in its bounds only segments
// of hardly any use are rewritten: under updates spread evenly over a database that comes to 0.4 records copied for each one
// written, where rewriting whatever is half useless comes to more than one.

import { segmentHeaderBytes } from '../log/segment.ts';
import type { Segment } from '../log/segment-store.ts';
import type { DatabaseState } from '../state/database-state.ts';

/** A segment is rewritten when less than this share of it is of use; it bounds the log at 1 / share of what must be kept. */
const usefulShareMin = 0.55;
/** The same while the log takes no more than this, beside what must be kept. */
const lazyShareMin = 0.15;
const lazyUntil = 1.75;
const inputsMax = 16;
/** Small neighbours are joined once there are this many of them, so that the number of files stays in proportion. */
const smallNeighboursMin = 6;

export interface CompactionChoice {
  readonly inputs: readonly Segment[];
  readonly lastSequence: number;
  /** No older segment holds a version that a dropped tombstone could bring back. */
  readonly dropsTombstones: boolean;
}

interface Candidate {
  readonly segment: Segment;
  readonly lastSequence: number;
  /** Bytes of records that a compaction would keep. */
  readonly keptBytes: number;
  readonly usefulShare: number;
  readonly hasSuperseded: boolean;
}

/** `isLazy`: only what must be done now. */
export function chooseInputs(
  state: DatabaseState,
  indexedSequence: number,
  segmentBytesMax: number,
  isLazy = false,
): CompactionChoice | undefined {
  const candidates = candidatesOf(state, indexedSequence);
  const shareMin = isLazy && !isOverfull(state, candidates) ? lazyShareMin : usefulShareMin;
  const window = leastUseful(candidates, segmentBytesMax, shareMin) ?? smallNeighbours(candidates, segmentBytesMax);
  if (window === undefined) return undefined;
  const inputs = candidates.slice(window.first, window.end);
  return {
    inputs: inputs.map((candidate) => candidate.segment),
    lastSequence: (inputs.at(-1) as Candidate).lastSequence,
    dropsTombstones: !candidates.slice(0, window.first).some((candidate) => candidate.hasSuperseded),
  };
}

function candidatesOf(state: DatabaseState, indexedSequence: number): Candidate[] {
  const all = state.segments.all;
  const candidates: Candidate[] = [];
  let isOldestClean = true;
  for (const [i, segment] of all.entries()) {
    const next = all[i + 1];
    if (segment === state.segments.active || next === undefined) break;
    const lastSequence = segment.header.lastSequence ?? next.header.firstSequence - 1;
    if (lastSequence > indexedSequence) break;
    const candidate = measure(state, segment, lastSequence, isOldestClean);
    if (candidate.hasSuperseded) isOldestClean = false;
    candidates.push(candidate);
  }
  return candidates;
}

/** `dropsTombstones`: everything older is clean, so that this segment's tombstones need not be kept. */
function measure(state: DatabaseState, segment: Segment, lastSequence: number, dropsTombstones: boolean): Candidate {
  let kept = 0;
  let useless = 0;
  let hasSuperseded = false;
  const retained = retainedShare(state, segment);
  for (const [number, sums] of state.usage.sums(segment.id)) {
    const entry = state.findContainer(number)?.entry;
    const all = sums.liveBytes + sums.supersededBytes + sums.tombstoneBytes;
    if (entry === undefined) {
      useless += all;
      continue;
    }
    if (sums.supersededRecords > 0) hasSuperseded = true;
    const keepsHistory = entry.historyMs > 0;
    const keepsTombstones = keepsHistory || !dropsTombstones;
    const versions = sums.liveBytes + (keepsHistory ? sums.supersededBytes * retained : 0);
    const own = versions + (keepsTombstones ? sums.tombstoneBytes : 0);
    kept += own;
    useless += all - own;
  }
  // What compaction has written holds nothing but records; rewriting it gains only what has become useless since.
  const isCompact = segment.header.kind === 'compacted' && useless === 0;
  const used = Math.max(1, segment.usedBytes - segmentHeaderBytes);
  return { segment, lastSequence, keptBytes: kept, usefulShare: isCompact ? 1 : kept / used, hasSuperseded };
}

/**
 * How much of what is superseded in a segment history still needs, by its seconds. Whose record it is they do not
 * tell, so the container that was trimmed least counts: a guess too low would have the segment rewritten for nothing, and again.
 */
function retainedShare(state: DatabaseState, segment: Segment): number {
  let floorSecond = Number.POSITIVE_INFINITY;
  let superseded = 0;
  let ofHistory = 0;
  for (const [number, sums] of state.usage.sums(segment.id)) {
    superseded += sums.supersededRecords;
    const entry = state.findContainer(number)?.entry;
    if (entry === undefined || entry.historyMs === 0 || sums.supersededRecords === 0) continue;
    floorSecond = Math.min(floorSecond, entry.floorSecond);
    ofHistory += sums.supersededRecords;
  }
  if (floorSecond === Number.POSITIVE_INFINITY) return 0;
  if (superseded === 0) return 0;
  let count = counts.get(segment);
  if (count?.floorSecond !== floorSecond || count.ofHistory > ofHistory) {
    count = { floorSecond, ofHistory, retained: countRetained(state, segment, floorSecond) };
    counts.set(segment, count);
  }
  // What was superseded since the count is above the floor.
  return Math.min(1, (count.retained + ofHistory - count.ofHistory) / superseded);
}

/** Each round asks for every segment there is; only a trim has their seconds looked at again. */
const counts = new WeakMap<Segment, { floorSecond: number; ofHistory: number; retained: number }>();

function countRetained(state: DatabaseState, segment: Segment, floorSecond: number): number {
  let retained = 0;
  for (let ordinal = 0; ordinal < segment.recordCount; ordinal += 1) {
    if (!state.usage.isSuperseded(segment.id, ordinal)) continue;
    if (state.usage.supersededSecond(segment.id, ordinal) > floorSecond) retained += 1;
  }
  return retained;
}

/** Whether the log, the part that is still written included, takes more than it should beside what must be kept. */
function isOverfull(state: DatabaseState, candidates: readonly Candidate[]): boolean {
  let used = 0;
  let kept = 0;
  for (const [i, segment] of state.segments.all.entries()) {
    // The candidates are the oldest of them, in the same order.
    const { keptBytes } = candidates[i] ?? measure(state, segment, 0, false);
    used += segment.usedBytes - segmentHeaderBytes;
    kept += keptBytes;
  }
  return used > kept * lazyUntil;
}

function leastUseful(
  candidates: readonly Candidate[],
  bytesMax: number,
  shareMin: number,
): { first: number; end: number } | undefined {
  let best = -1;
  for (const [i, candidate] of candidates.entries()) {
    if (candidate.usefulShare >= shareMin) continue;
    if (best === -1 || candidate.usefulShare < (candidates[best] as Candidate).usefulShare) best = i;
  }
  if (best === -1) return undefined;
  return grow(candidates, best, bytesMax, (candidate) => candidate.usefulShare < shareMin);
}

function smallNeighbours(
  candidates: readonly Candidate[],
  bytesMax: number,
): { first: number; end: number } | undefined {
  const isSmall = (candidate: Candidate) => candidate.keptBytes < bytesMax / 8;
  for (const [i, candidate] of candidates.entries()) {
    if (!isSmall(candidate)) continue;
    const window = grow(candidates, i, bytesMax, isSmall);
    if (window.end - window.first >= smallNeighboursMin) return window;
  }
  return undefined;
}

/** Neighbours on both sides join as long as they fit together and are worth it. */
function grow(
  candidates: readonly Candidate[],
  start: number,
  bytesMax: number,
  isWorthIt: (candidate: Candidate) => boolean,
): { first: number; end: number } {
  let first = start;
  let end = start + 1;
  let bytes = (candidates[start] as Candidate).keptBytes;
  const takes = (candidate: Candidate | undefined): candidate is Candidate =>
    candidate !== undefined && isWorthIt(candidate) && bytes + candidate.keptBytes <= bytesMax;
  while (end - first < inputsMax) {
    const before = candidates[first - 1];
    const after = candidates[end];
    if (takes(after)) {
      bytes += after.keptBytes;
      end += 1;
    } else if (takes(before)) {
      bytes += before.keptBytes;
      first -= 1;
    } else break;
  }
  return { first, end };
}
