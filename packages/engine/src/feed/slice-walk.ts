// Walks the slices of one range in LSN order, from the index and then from the overlay, and brings their bytes.
//
// Between two awaits slices may move from the overlay to the index, and compaction may put other slices in their place. So a
// walk keeps no cursor into either, only the LSN it has come to, and asks again from there.

import { Buffer } from 'node:buffer';
import type { Slice } from '../index/slices.ts';
import { readBytesMax, recycledBytesMax } from '../limits.ts';
import { FrameView } from '../log/frame.ts';
import { segmentMissing } from '../log/segment.ts';
import type { DatabaseState } from '../state/database-state.ts';
import type { RecentSlice } from '../state/overlay.ts';
import { keptRunsOf } from './kept-runs.ts';
import { knownSlicesOf } from './known-slices.ts';
import type { Room } from './window.ts';
import { Window } from './window.ts';

const usedWindowsMax: number = recycledBytesMax / readBytesMax;

/** A slice with the bytes of its bodies. */
export interface LoadedSlice {
  readonly slice: Slice;
  /** Undefined when the run can be served whole, for which its bodies are enough; header, table and keys are verified. */
  readonly view: FrameView | undefined;
  /** The bodies of the run with the commas between them. */
  readonly bodies: Buffer;
  /** Read from the disk into a buffer that can be given back. */
  readonly isRead: boolean;
  /** Bodies must be verified before they are served; false once all of them have been. */
  isUnverified: boolean;
  /** Which records of the segment are superseded, as of when the slice was found. */
  readonly superseded: Buffer;
}

export interface SliceWalkOptions {
  /** False: of a run that can be served whole the table is not brought. */
  readonly needsTables: boolean;
  /** Begins where a page may have ended; see kept-runs.ts. */
  readonly goesOn?: boolean;
}

/** What is in memory is given at once: a promise for each slice would cost more than looking at it. */
type Soon<T> = T | Promise<T>;

export class SliceWalk {
  readonly #state: DatabaseState;
  readonly #range: number;
  readonly #options: SliceWalkOptions;
  /** Every slice up to this LSN has been handed out. */
  #position: number;
  #slices: readonly Slice[] = [];
  /** The first of them that is in no window yet. */
  #next = 0;
  #window: Window | undefined;
  /** What is being read while the present window is looked at. */
  #ahead: Window | undefined;
  /** Those before the present one, as many as are worth giving back: a walk that finds little must not hold all it saw. */
  readonly #used: Window[] = [];
  /** The run that the walk began in, where a page that ended in it had left it. */
  #kept: LoadedSlice | undefined;
  #isFirst = true;
  /** What could not be read at the last attempt, because its segment is gone. */
  #gone: Slice | undefined;
  /** Bytes fetched from segments so far. */
  bytesRead = 0;

  constructor(state: DatabaseState, range: number, after: number, options: SliceWalkOptions) {
    this.#state = state;
    this.#range = range;
    this.#position = after;
    this.#options = options;
  }

  /** The next slice with anything after the position; undefined when there is none at this moment. */
  peek(): Slice | undefined {
    const loaded = this.#window?.peek(this.#position) ?? this.#ahead?.peek(this.#position);
    if (loaded !== undefined) return loaded;
    for (; this.#next < this.#slices.length; this.#next += 1) {
      const slice = this.#slices[this.#next] as Slice;
      if (slice.lastLsn > this.#position) return slice;
    }
    const recent = this.#recent();
    // The overlay has every LSN from its first one on: the index need not be asked for what comes after that, even if nothing does.
    const [oldest] = this.#state.overlay.slices(this.#range);
    if (oldest !== undefined && oldest.slice.firstLsn <= this.#position + 1) return recent?.slice;
    const known = knownSlicesOf(this.#state.index);
    if (known.firstLsnAfter(this.#range, this.#position) === Number.POSITIVE_INFINITY) return recent?.slice;
    this.#slices = known.after(this.#range, this.#position);
    this.#next = 0;
    return this.#slices[0] ?? recent?.slice;
  }

  /** Where the slice begins that `peek` shows: of a walk that has not begun, without a look into the index if that is known. */
  firstLsn(): number | undefined {
    if (this.#window !== undefined || this.#ahead !== undefined || this.#next < this.#slices.length) {
      return this.peek()?.firstLsn;
    }
    const known = knownSlicesOf(this.#state.index).firstLsnAfter(this.#range, this.#position);
    return known === undefined || known === Number.POSITIVE_INFINITY ? this.peek()?.firstLsn : known;
  }

  /** Brings the slice that `peek` shows. Undefined at the end, and when compaction has taken the slice away meanwhile. */
  next(room: Room): Soon<LoadedSlice | undefined> {
    const slice = this.peek();
    if (slice === undefined) return undefined;
    const held = this.#window?.take(this.#position);
    if (held !== undefined) return this.#handOut(held);
    if (this.#ahead === undefined && this.#next >= this.#slices.length) {
      const recent = this.#recent();
      return recent === undefined ? undefined : this.#handOut(loadedRecent(this.#state, recent));
    }
    const kept = this.#takeKept(slice);
    if (kept !== undefined) return this.#handOut(kept);
    const filled = this.#fill(room);
    return filled instanceof Promise ? filled.then(() => this.#first()) : this.#first();
  }

  /** Gives back all bytes that were read: nobody has a slice any more. */
  release(): void {
    this.#window?.release();
    this.#ahead?.release();
    for (const window of this.#used) window.release();
    this.#releaseKept();
  }

  /** Gives back what was only looked at: nobody has a slice any more but of these. */
  releaseBut(kept: ReadonlySet<ArrayBufferLike>): void {
    this.#window?.releaseBut(kept);
    this.#ahead?.releaseBut(kept);
    for (const window of this.#used) window.releaseBut(kept);
    if (this.#kept !== undefined && !kept.has(this.#kept.bodies.buffer)) this.#releaseKept();
  }

  #first(): LoadedSlice | undefined {
    const held = this.#window?.take(this.#position);
    return held === undefined ? undefined : this.#handOut(held);
  }

  #handOut(loaded: LoadedSlice): LoadedSlice {
    this.#position = loaded.slice.lastLsn;
    return loaded;
  }

  #takeKept(slice: Slice): LoadedSlice | undefined {
    if (!this.#isFirst || this.#options.goesOn !== true || slice.firstLsn > this.#position) return undefined;
    this.#kept = keptRunsOf(this.#state).take(slice);
    if (this.#kept !== undefined) this.#next += 1;
    return this.#kept;
  }

  #releaseKept(): void {
    if (this.#kept !== undefined) this.#state.segments.buffers.give(Buffer.from(this.#kept.bodies.buffer));
    this.#kept = undefined;
  }

  #recent(): RecentSlice | undefined {
    return this.#state.overlay.firstSliceAfter(this.#range, this.#position);
  }

  /** Has the next window read, and the one after it begun where the page has room for that too. */
  #fill(room: Room): Soon<void> {
    const window = this.#ahead ?? this.#plan(room);
    const left = window.roomBehind(room);
    // Whoever needs the tables chooses: how much will have to be read is known only after the first window.
    const goesOn = left.itemsLeft > 0 && left.bytesLeft > 0 && !(this.#isFirst && this.#options.needsTables);
    this.#ahead = goesOn ? this.#planAhead(left) : undefined;
    this.#isFirst = false;
    if (this.#window !== undefined && this.#used.length < usedWindowsMax) this.#used.push(this.#window);
    this.#window = window;
    const read = window.read();
    return read instanceof Promise ? read.then((isThere) => this.#filled(window, isThere)) : this.#filled(window, read);
  }

  #filled(window: Window, isThere: boolean): void {
    if (isThere) {
      this.bytesRead += window.bytes;
      return;
    }
    // The segment has been replaced; the index names its successor, and did so before it was taken out.
    const gone = window.first;
    if (this.#gone?.segment === gone.segment && this.#gone.firstLsn === gone.firstLsn) throw segmentMissing(gone);
    this.#gone = gone;
    this.#window = undefined;
    this.#ahead = undefined;
    this.#slices = [];
    this.#next = 0;
  }

  #plan(room: Room): Window {
    const options = { after: this.#position, needsTables: this.#options.needsTables, isFirst: this.#isFirst };
    const window = new Window(this.#state, this.#slices, this.#next, room, options);
    this.#next = window.end;
    return window;
  }

  #planAhead(room: Room): Window | undefined {
    if (this.#next >= this.#slices.length) return undefined;
    const before = this.#next;
    const window = this.#plan(room);
    if (!this.#isSoonOver(window, room) && window.begin()) return window;
    this.#next = before;
    return undefined;
  }

  /**
   * A page that one more read fills gains nothing from a thread if that is in memory: there is little to do meanwhile, and to wake a thread
   * takes as long as the read.
   */
  #isSoonOver(window: Window, room: Room): boolean {
    if (!this.#isFirst) return false;
    const { itemsLeft, bytesLeft } = window.roomBehind(room);
    return (itemsLeft <= 0 || bytesLeft <= 0) && window.isRecent;
  }
}

/** A copy, for whoever reads: the frame leaves the overlay when the index has it, and another one is written into its memory. */
function loadedRecent(state: DatabaseState, { slice, view }: RecentSlice): LoadedSlice {
  const { tableBytes, bodyOffset, bodyBytes } = slice;
  const copy = Buffer.allocUnsafeSlow(tableBytes + bodyBytes);
  view.bytes.copy(copy, 0, 0, tableBytes);
  view.bytes.copy(copy, tableBytes, bodyOffset, bodyOffset + bodyBytes);
  const copied = new FrameView(copy, view.header, bodyOffset - tableBytes);
  const superseded = state.usage.supersededBits(slice.segment);
  return { slice, view: copied, bodies: copy.subarray(tableBytes), isRead: false, isUnverified: false, superseded };
}
