// Who waits for a commit: of a range or of a whole container, and there of everything, of an interval of keys or of one key.
// Each waiter is one entry, however many ranges its container has, and a commit to other keys does not call it.

import { Buffer } from 'node:buffer';
import type { KeyRange } from '@tidemark/model';
import { DatabaseError, effectiveKeyFromHex } from '@tidemark/model';
import { waitersMax } from '../limits.ts';
import type { FrameView } from '../log/frame.ts';
import type { CommitListener } from '../state/database-state.ts';
import { tell } from '../state/tell.ts';

/** What a waiter wants to hear of, within its range or container; all of it when neither is given. */
export interface WaiterKeys {
  readonly epk?: Uint8Array;
  readonly keys?: KeyRange;
}

export class Waiters implements CommitListener {
  readonly #byRange = new Map<number, Listeners>();
  readonly #byContainer = new Map<number, Listeners>();
  #count = 0;
  #isClosed = false;

  get count(): number {
    return this.#count;
  }

  /** Calls back at every commit to these keys of the range, until the returned function is called. */
  ofRange(range: number, wanted: WaiterKeys, callback: () => void): () => void {
    return this.#add(this.#byRange, range, wanted, callback);
  }

  ofContainer(container: number, wanted: WaiterKeys, callback: () => void): () => void {
    return this.#add(this.#byContainer, container, wanted, callback);
  }

  checkOpen(): void {
    if (this.#isClosed) throw new DatabaseError('closed', 'The database has been closed.');
  }

  onCommit(view: FrameView, run: number): void {
    this.#byRange.get(view.rangeOfRun(run))?.wake(view, run);
    this.#byContainer.get(view.containerOfRun(run))?.wake(view, run);
  }

  /** Whoever waits for a range that is no more has to look for its children. */
  onRangeGone(range: number): void {
    this.#byRange.get(range)?.wakeAll();
  }

  onContainerGone(container: number): void {
    this.#byContainer.get(container)?.wakeAll();
  }

  /** Wakes everybody: whoever goes on to wait hears that nothing more comes. */
  close(): void {
    this.#isClosed = true;
    for (const listeners of [...this.#byRange.values(), ...this.#byContainer.values()]) listeners.wakeAll();
  }

  #add(groups: Map<number, Listeners>, group: number, wanted: WaiterKeys, callback: () => void): () => void {
    this.checkOpen();
    if (this.#count >= waitersMax) {
      throw new DatabaseError('too-many-requests', `At most ${waitersMax} readers can wait for changes at a time.`, {
        retryAfterMs: 1_000,
      });
    }
    const listeners = groups.get(group) ?? new Listeners();
    groups.set(group, listeners);
    const waiter = waiterOf(wanted, callback);
    listeners.add(waiter);
    this.#count += 1;
    return () => {
      if (!listeners.remove(waiter)) return;
      this.#count -= 1;
      if (listeners.isEmpty && groups.get(group) === listeners) groups.delete(group);
    };
  }
}

/** Thousands of them are kept: one object each, and one function to stop it. */
interface Waiter {
  readonly callback: () => void;
  /** The effective partition key it waits for, as Latin-1 text. */
  readonly key: string | undefined;
  readonly interval: { readonly min: Buffer; readonly max: Buffer } | undefined;
}

function waiterOf({ epk, keys }: WaiterKeys, callback: () => void): Waiter {
  if (epk !== undefined) return { callback, key: latin1(epk), interval: undefined };
  if (keys === undefined) return { callback, key: undefined, interval: undefined };
  const min = Buffer.from(effectiveKeyFromHex(keys.min));
  return { callback, key: undefined, interval: { min, max: Buffer.from(effectiveKeyFromHex(keys.max)) } };
}

class Listeners {
  readonly #all = new Set<Waiter>();
  readonly #byKey = new Map<string, Set<Waiter>>();
  readonly #byInterval = new Set<Waiter>();

  get isEmpty(): boolean {
    return this.#all.size === 0 && this.#byKey.size === 0 && this.#byInterval.size === 0;
  }

  add(waiter: Waiter): void {
    const { key } = waiter;
    if (key === undefined) {
      (waiter.interval === undefined ? this.#all : this.#byInterval).add(waiter);
      return;
    }
    const waiting = this.#byKey.get(key);
    if (waiting === undefined) this.#byKey.set(key, new Set([waiter]));
    else waiting.add(waiter);
  }

  /** False when it was not there any more. */
  remove(waiter: Waiter): boolean {
    const { key } = waiter;
    if (key === undefined) return (waiter.interval === undefined ? this.#all : this.#byInterval).delete(waiter);
    const waiting = this.#byKey.get(key);
    const wasThere = waiting?.delete(waiter) ?? false;
    if (waiting?.size === 0) this.#byKey.delete(key);
    return wasThere;
  }

  wake(view: FrameView, run: number): void {
    call(this.#all);
    if (this.#byKey.size > 0) this.#wakeKeys(view, run);
    if (this.#byInterval.size > 0) this.#wakeIntervals(view, run);
  }

  wakeAll(): void {
    call(this.#all);
    for (const waiting of [...this.#byKey.values()]) call(waiting);
    call(this.#byInterval);
  }

  #wakeKeys(view: FrameView, run: number): void {
    const first = view.firstRecordOfRun(run);
    const end = first + view.recordCountOfRun(run);
    for (let record = first; record < end; record += 1) {
      const waiting = this.#byKey.get(view.epk(record).toString('latin1'));
      if (waiting !== undefined) call(waiting);
    }
  }

  /** Sorted, the keys of a large group cost each interval a few comparisons. */
  #wakeIntervals(view: FrameView, run: number): void {
    const first = view.firstRecordOfRun(run);
    const end = first + view.recordCountOfRun(run);
    const keys: Buffer[] = [];
    for (let record = first; record < end; record += 1) keys.push(view.epk(record));
    keys.sort(Buffer.compare);
    for (const { interval, callback } of [...this.#byInterval]) {
      if (interval !== undefined && hasKeyIn(keys, interval.min, interval.max)) tell(callback);
    }
  }
}

function hasKeyIn(sorted: readonly Buffer[], min: Buffer, max: Buffer): boolean {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (Buffer.compare(sorted[middle] as Buffer, min) < 0) low = middle + 1;
    else high = middle;
  }
  const key = sorted[low];
  return key !== undefined && Buffer.compare(key, max) < 0;
}

/** A callback may stop waiting, or begin anew, while it runs. */
function call(waiting: ReadonlySet<Waiter>): void {
  if (waiting.size === 0) return;
  for (const { callback } of [...waiting]) tell(callback);
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}
