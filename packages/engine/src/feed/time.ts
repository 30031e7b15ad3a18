// From a time to a position: through the `time` tree, which has the first LSN of every second in which a range was written.

import { keyRangesIntersect } from '@tidemark/model';
import { readUint48BE, timeKey } from '../index/keys.ts';
import type { DatabaseState } from '../state/database-state.ts';
import type { RangeState } from '../state/range.ts';

/**
 * The greatest LSN such that every change with a later `_ts` than the given time's second comes after it. `_ts` has seconds,
 * so times are compared by second. After a merge two sequences share the LSNs; the earlier of their positions is taken.
 */
export function lsnAtTime(state: DatabaseState, range: RangeState, timeMs: number): number {
  const second = Math.floor(timeMs / 1000);
  if (second >= Math.floor(range.tailTimeMs / 1000)) return range.tailLsn;
  const sources = [...range.entry.ancestors.map((a) => ({ number: a.number, endLsn: a.endLsn })), liveSource(range)];
  let first = Number.POSITIVE_INFINITY;
  for (const source of sources) {
    const lsn = firstLsnAfterSecond(state, source.number, second);
    if (lsn !== undefined && lsn <= source.endLsn) first = Math.min(first, lsn);
  }
  return first === Number.POSITIVE_INFINITY ? range.tailLsn : first - 1;
}

/**
 * An LSN above which no change is as old as the given second: the floor of a history that goes back to it. Sources that
 * share keys are one sequence, in which LSNs and times grow together: the first young change in any of them bounds them all.
 * Sources that do not came together by a merge, and the greater of their floors counts.
 */
export function lsnFloorAt(state: DatabaseState, range: RangeState, second: number): number {
  const sources = [...range.entry.ancestors, { ...range.entry, ...liveSource(range) }].map((source) => ({
    source,
    young: firstLsnAfterSecond(state, source.number, second) ?? Number.POSITIVE_INFINITY,
  }));
  let floor = range.entry.floorLsn;
  for (const { source } of sources) {
    // A range that was split off a moment ago has an end but nothing of its own below it.
    if (!hasRecordsUpTo(state, source.number, second)) continue;
    const sequence = sources.filter((other) => keyRangesIntersect(other.source, source));
    const young = Math.min(...sequence.map((other) => other.young));
    floor = Math.max(floor, Math.min(source.endLsn, young - 1));
  }
  return floor;
}

function liveSource(range: RangeState): { number: number; endLsn: number } {
  return { number: range.number, endLsn: range.tailLsn };
}

function hasRecordsUpTo(state: DatabaseState, range: number, second: number): boolean {
  const to = timeKey(range, Math.max(0, second + 1));
  if (state.index.range({ from: timeKey(range, 0), to, limit: 1 }).length > 0) return true;
  const [recent] = state.overlay.slices(range);
  if (recent === undefined) return false;
  const { view, slice } = recent;
  return Math.floor(view.timeMs(view.firstRecordOfRun(slice.run)) / 1000) <= second;
}

function firstLsnAfterSecond(state: DatabaseState, range: number, second: number): number | undefined {
  const from = timeKey(range, Math.max(0, second + 1));
  const [entry] = state.index.range({ from, to: timeKey(range + 1, 0), limit: 1 });
  if (entry !== undefined) return readUint48BE(entry.value, 0);
  for (const { slice, view } of state.overlay.slices(range)) {
    const first = view.firstRecordOfRun(slice.run);
    for (let record = first; record < first + slice.records; record += 1) {
      if (Math.floor(view.timeMs(record) / 1000) > second) return view.lsn(record);
    }
  }
  return undefined;
}
