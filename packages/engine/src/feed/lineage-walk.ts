// Walks the records of a range and of everything it descends from, in LSN order, as one sequence.
//
// Each ancestor contributes what lies in the asked-for keys, up to the LSN at which it ended. After a merge two ancestors may
// share an LSN; `isBoundary` says where a page may end.

import { Buffer } from 'node:buffer';
import type { KeyRange } from '@tidemark/model';
import { effectiveKeyFromHex } from '@tidemark/model';
import type { Slice } from '../index/slices.ts';
import type { FrameView } from '../log/frame.ts';
import type { DatabaseState } from '../state/database-state.ts';
import type { RangeState } from '../state/range.ts';
import type { LoadedSlice, SliceWalkOptions } from './slice-walk.ts';
import { SliceWalk } from './slice-walk.ts';
import type { Room } from './window.ts';

/** A slice whose run is all after what was read before, all of it of use, and fits: nobody has to look inside. */
export interface WholeRun {
  readonly kind: 'run';
  readonly loaded: LoadedSlice;
}

/** Records of one slice: [first, end). */
export interface Stretch {
  readonly kind: 'records';
  readonly loaded: LoadedSlice;
  readonly view: FrameView;
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
  /** The next record of the head, where it has a table. */
  record: number;
  /** The LSN of the next record; as long as there is no head, none is below it. */
  lsn: number;
  /** An ancestor with nothing left: it gets nothing more, and is not asked again for every stretch of the others. */
  isOver: boolean;
}

export class LineageWalk {
  readonly #sources: Source[];
  readonly #after: number;
  readonly #range: RangeState;
  readonly #room = { itemsLeft: 0, bytesLeft: 0, beforeLsn: 0 };
  /** The tail of the range at the moment when nothing was left to read. */
  #drainedTail: number | undefined;

  constructor(
    state: DatabaseState,
    range: RangeState,
    after: number,
    keys: KeyRange | undefined,
    options: SliceWalkOptions,
  ) {
    this.#range = range;
    this.#after = after;
    const wanted = narrow(range.entry, keys);
    const lineage = [...range.entry.ancestors, { ...range.entry, endLsn: Number.POSITIVE_INFINITY }];
    this.#sources = lineage
      .filter((source) => source.endLsn > after)
      .map((source) => {
        const filter = covers(wanted, source) ? undefined : filterOf(wanted);
        const needsTables = options.needsTables || filter !== undefined;
        const walk = new SliceWalk(state, source.number, after, { ...options, needsTables });
        return { walk, filter, endLsn: source.endLsn, head: undefined, record: 0, lsn: 0, isOver: false };
      });
  }

  get bytesRead(): number {
    let bytes = 0;
    for (const source of this.#sources) bytes += source.walk.bytesRead;
    return bytes;
  }

  get drainedTail(): number | undefined {
    return this.#drainedTail;
  }

  /** Gives back what was only looked at: nobody has any bytes of it any more but of these. */
  releaseBut(kept: ReadonlySet<ArrayBufferLike>): void {
    for (const source of this.#sources) source.walk.releaseBut(kept);
  }

  /** Gives back what was read: nobody has any bytes of it any more. */
  release(): void {
    for (const source of this.#sources) source.walk.release();
  }

  /** An LSN that no coming record is below, and the run to be begun with it, if any; undefined when nothing comes. */
  peek(): { readonly lsn: number; readonly run: Slice | undefined } | undefined {
    let best: Source | undefined;
    for (const source of this.#sources) {
      if (this.#look(source) && (best === undefined || source.lsn < best.lsn)) best = source;
    }
    if (best === undefined) return undefined;
    return { lsn: best.lsn, run: best.head === undefined ? best.walk.peek() : undefined };
  }

  /**
   * What comes next; all of its records are after the ones before. Ends where another source has a record with the same or
   * a lower LSN. Undefined when everything has been read.
   */
  next(
    room: Pick<Room, 'itemsLeft' | 'bytesLeft'>,
  ): WholeRun | Stretch | Promise<WholeRun | Stretch | undefined> | undefined {
    for (;;) {
      let best: Source | undefined;
      let otherLsn = Number.POSITIVE_INFINITY;
      for (const source of this.#sources) {
        if (!this.#look(source)) continue;
        if (best === undefined || source.lsn < best.lsn) {
          if (best !== undefined) otherLsn = Math.min(otherLsn, best.lsn);
          best = source;
        } else otherLsn = Math.min(otherLsn, source.lsn);
      }
      if (best === undefined) {
        this.#drainedTail = this.#range.tailLsn;
        return undefined;
      }
      if (best.head !== undefined) return this.#take(best, best.head, Math.max(otherLsn, best.lsn + 1));
      this.#room.itemsLeft = room.itemsLeft;
      this.#room.bytesLeft = room.bytesLeft;
      this.#room.beforeLsn = otherLsn;
      const loaded = best.walk.next(this.#room);
      if (loaded instanceof Promise) {
        const source = best;
        return loaded.then((late) => {
          this.#begin(source, late);
          return this.next(room);
        });
      }
      this.#begin(best, loaded);
    }
  }

  /** Whether the source has anything; if so, its `lsn` is set. */
  #look(source: Source): boolean {
    if (source.head !== undefined) return true;
    if (source.isOver) return false;
    const firstLsn = source.walk.firstLsn();
    if (firstLsn === undefined || firstLsn > source.endLsn) {
      // An ancestor is complete. The live range may get more at any time; it is looked at anew for every stretch.
      source.isOver = source.endLsn !== Number.POSITIVE_INFINITY;
      return false;
    }
    source.lsn = Math.max(firstLsn, this.#after + 1);
    return true;
  }

  #begin(source: Source, loaded: LoadedSlice | undefined): void {
    if (loaded === undefined) return;
    const { slice, view } = loaded;
    if (view === undefined) {
      source.head = loaded;
      source.lsn = slice.firstLsn;
      return;
    }
    const record = firstRecordAfter(loaded, view, this.#after);
    if (record === view.firstRecordOfRun(slice.run) + slice.records) return;
    source.head = loaded;
    source.record = record;
    source.lsn = view.lsn(record);
  }

  #take(source: Source, head: LoadedSlice, beforeLsn: number): WholeRun | Stretch {
    const { slice, view } = head;
    if (view === undefined) {
      source.head = undefined;
      return { kind: 'run', loaded: head };
    }
    const first = source.record;
    const endOfRun = view.firstRecordOfRun(slice.run) + slice.records;
    let end = endOfRun;
    if (slice.lastLsn >= beforeLsn) {
      end = first;
      while (end < endOfRun && view.lsn(end) < beforeLsn) end += 1;
    }
    source.record = end;
    if (end === endOfRun) source.head = undefined;
    else source.lsn = view.lsn(end);
    return { kind: 'records', loaded: head, view, first, end, filter: source.filter };
  }
}

function firstRecordAfter({ slice }: LoadedSlice, view: FrameView, after: number): number {
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
