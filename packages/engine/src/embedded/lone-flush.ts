// Who flushes the group of a lone writer: a thread, or the event loop itself, which stands still meanwhile.
//
// A trip through the thread pool costs two wake-ups: on a quick disk up to half of what a lone writer waits for. So the event
// loop flushes what is small and nobody's but one writer's, on a disk that is quick, while it would have nothing else to do:
//
//   - the last groups were of one unit each, and nobody came while they were flushed;
//   - while threads flushed them, the event loop was idle. Now and then a thread flushes one more, to see that it still is;
//   - a flush that takes long is followed by those of threads for ten times as long.

import type { Clock } from '../environment.ts';
import { loneFlushBytesMax, loneFlushMsMax, loneFlushSlowShare } from '../limits.ts';

/** So many groups in a row show that a writer is alone. */
const seriesMin = 8;
/** So often a thread flushes all the same. */
const probeEvery = 32;
/** Of the time of a flush the event loop is idle; starting it and hearing of its end takes some too. */
const idleShareMin = 0.6;

export class LoneFlush {
  readonly #clock: Clock;
  /** Groups that threads have flushed for a lone writer, one after the other. */
  #series = 0;
  #groups = 0;
  #beganMs = 0;
  #beganIdleMs = 0;
  #threadsUntilMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether it is likely that the next group is flushed at once: then it waits until the end of the turn for others. */
  get isLikely(): boolean {
    return this.#series >= seriesMin;
  }

  /** A flush of so many units and bytes begins. Gives whether it is waited for at once. */
  begins(units: number, bytes: number): boolean {
    this.#beganMs = this.#clock.monotonicMs();
    if (units === 1 && bytes <= loneFlushBytesMax && this.isLikely && this.#beganMs >= this.#threadsUntilMs) {
      this.#groups += 1;
      if (this.#groups % probeEvery !== 0) return true;
    }
    this.#beganIdleMs = this.#idleMs();
    return false;
  }

  endedAtOnce(): void {
    const nowMs = this.#clock.monotonicMs();
    const tookMs = nowMs - this.#beganMs;
    if (tookMs > loneFlushMsMax) this.#threadsUntilMs = nowMs + tookMs / loneFlushSlowShare;
  }

  /** `isLone`: it had one unit, and nobody came meanwhile. */
  endedByThread(isLone: boolean): void {
    const tookMs = this.#clock.monotonicMs() - this.#beganMs;
    const isQuick = isLone && tookMs <= loneFlushMsMax && this.#clock.idleMs !== undefined;
    this.#series = isQuick && this.#idleMs() - this.#beganIdleMs >= tookMs * idleShareMin ? this.#series + 1 : 0;
  }

  #idleMs(): number {
    return this.#clock.idleMs?.() ?? 0;
  }
}
