// Who waits for a commit, by range. Being woken is a hint: whoever is woken reads the feed to see.

import { DatabaseError } from '@tidemark/model';
import { waitersMax } from '../limits.ts';

export class Waiters {
  readonly #byRange = new Map<number, Set<() => void>>();
  #count = 0;
  #isClosed = false;

  get count(): number {
    return this.#count;
  }

  /** Calls back at every commit to one of the ranges until the returned function is called. */
  add(ranges: readonly number[], callback: () => void): () => void {
    this.checkOpen();
    if (this.#count >= waitersMax) {
      throw new DatabaseError('too-many-requests', `At most ${waitersMax} readers can wait for changes at a time.`, {
        retryAfterMs: 1_000,
      });
    }
    this.#count += 1;
    for (const range of ranges) {
      const waiting = this.#byRange.get(range);
      if (waiting === undefined) this.#byRange.set(range, new Set([callback]));
      else waiting.add(callback);
    }
    let isActive = true;
    return () => {
      if (!isActive) return;
      isActive = false;
      this.#count -= 1;
      for (const range of ranges) {
        const waiting = this.#byRange.get(range);
        waiting?.delete(callback);
        if (waiting?.size === 0) this.#byRange.delete(range);
      }
    };
  }

  checkOpen(): void {
    if (this.#isClosed) throw new DatabaseError('closed', 'The database has been closed.');
  }

  /** Wakes everybody: whoever goes on to wait hears that nothing more comes. */
  close(): void {
    this.#isClosed = true;
    for (const range of [...this.#byRange.keys()]) this.wake(range);
  }

  wake(range: number): void {
    const waiting = this.#byRange.get(range);
    if (waiting === undefined) return;
    // A callback may stop waiting while it runs.
    for (const callback of [...waiting]) callback();
  }
}
