// Walks the records of a range and of everything it descends from, in LSN order, as one sequence.
//
// Each ancestor contributes what lies in the asked-for keys, up to the LSN at which it ended. After a merge two ancestors may
// share an LSN; `isBoundary` says where a page may end.

import type { KeyRange } from '@tidemark/model';
import { effectiveKeyFromHex } from '@tidemark/model';
import type { DatabaseState } from '../state/database-state.ts';
import type { RangeState } from '../state/range.ts';
import type { LoadedSlice } from './slice-walk.ts';
import { SliceWalk } from './slice-walk.ts';

/** A stretch of records of one slice: [first, end). */
export interface Stretch {
  readonly loaded: LoadedSlice;
  readonly first: number;
  readonly end: number;
  /** Only records with these keys count; undefined when all of them do. */
  readonly filter: KeyFilter | undefined;
}

interface KeyFilter {
  readonly min: Buffer;
  readonly max: Buffer;
}

interface Source {
  readonly walk: SliceWalk;
  readonly filter: KeyFilter | undefined;
  readonly endLsn: number;
  head: LoadedSlice | undefined;
  /** The next record of the head. */
  record: number;
  isDone: boolean;
}

export class LineageWalk {
  readonly #sources: Source[];
  #after: number;
  /** The tail of the range at the moment when nothing was left to read. */
  #drainedTail: number | undefined;
  readonly #range: RangeState;

  constructor(state: DatabaseState, range: RangeState, after: number, keys: KeyRange | undefined) {
    this.#range = range;
    this.#after = after;
    const wanted = narrow(range.entry, keys);
    const lineage = [...range.entry.ancestors, { ...range.entry, endLsn: Number.POSITIVE_INFINITY }];
    this.#sources = lineage
      .filter((source) => source.endLsn > after)
      .map((source) => ({
        walk: new SliceWalk(state, source.number, after),
        filter: covers(wanted, source) ? undefined : filterOf(wanted),
        endLsn: source.endLsn,
        head: undefined,
        record: 0,
        isDone: false,
      }));
  }

  get bytesRead(): number {
    return this.#sources.reduce((sum, source) => sum + source.walk.bytesRead, 0);
  }

  get drainedTail(): number | undefined {
    return this.#drainedTail;
  }

  /**
   * The next stretch; all of its records are after the ones before. Ends where another source has a record with the same or
   * a lower LSN. Undefined when everything has been read.
   */
  async next(): Promise<Stretch | undefined> {
    for (const source of this.#sources) await this.#fill(source);
    let best: Source | undefined;
    let bestLsn = Number.POSITIVE_INFINITY;
    let otherLsn = Number.POSITIVE_INFINITY;
    for (const source of this.#sources) {
      if (source.head === undefined) continue;
      const lsn = source.head.view.lsn(source.record);
      if (lsn < bestLsn) {
        otherLsn = bestLsn;
        bestLsn = lsn;
        best = source;
      } else otherLsn = Math.min(otherLsn, lsn);
    }
    if (best === undefined || best.head === undefined) {
      this.#noteDrained();
      return undefined;
    }
    return this.#stretch(best, best.head, Math.max(otherLsn, bestLsn + 1));
  }

  /** Filling one source may have waited while the live one got more: then it is not the end after all. */
  #noteDrained(): void {
    const live = this.#sources.at(-1);
    if (live?.walk.isAtEnd() ?? true) this.#drainedTail = this.#range.tailLsn;
  }

  #stretch(source: Source, head: LoadedSlice, beforeLsn: number): Stretch {
    const first = source.record;
    const { view } = head;
    const endOfRun = view.firstRecordOfRun(head.slice.run) + head.slice.records;
    let end = endOfRun;
    if (head.slice.lastLsn >= beforeLsn) {
      end = first;
      while (end < endOfRun && view.lsn(end) < beforeLsn) end += 1;
    }
    source.record = end;
    if (end === endOfRun) source.head = undefined;
    return { loaded: head, first, end, filter: source.filter };
  }

  async #fill(source: Source): Promise<void> {
    while (source.head === undefined && !source.isDone) {
      const loaded = await source.walk.next();
      if (loaded === undefined) {
        // An ancestor is complete; the live range may get more, but this page ends here.
        source.isDone = true;
        return;
      }
      if (loaded.slice.firstLsn > source.endLsn) {
        source.isDone = true;
        return;
      }
      const record = firstRecordAfter(loaded, this.#after);
      if (record < loaded.view.firstRecordOfRun(loaded.slice.run) + loaded.slice.records) {
        source.head = loaded;
        source.record = record;
      }
    }
  }
}

function firstRecordAfter(loaded: LoadedSlice, after: number): number {
  const { view, slice } = loaded;
  let low = view.firstRecordOfRun(slice.run);
  let high = low + slice.records;
  if (slice.firstLsn > after) return low;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (view.lsn(middle) > after) high = middle;
    else low = middle + 1;
  }
  return low;
}

function narrow(range: KeyRange, keys: KeyRange | undefined): KeyRange {
  if (keys === undefined) return range;
  return { min: keys.min > range.min ? keys.min : range.min, max: keys.max < range.max ? keys.max : range.max };
}

function covers(wanted: KeyRange, source: KeyRange): boolean {
  return wanted.min <= source.min && wanted.max >= source.max;
}

function filterOf(keys: KeyRange): KeyFilter {
  return { min: Buffer.from(effectiveKeyFromHex(keys.min)), max: Buffer.from(effectiveKeyFromHex(keys.max)) };
}
