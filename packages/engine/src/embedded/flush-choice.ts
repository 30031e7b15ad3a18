// Who flushes a group: a thread, or the event loop itself, which stands still meanwhile.
//
// A trip through the thread pool costs two wake-ups: on a quick disk up to half of what a lone writer waits for, and on a busy
// machine many times the flush. It gains nothing where the event loop has nothing to do until the flush is over, and little where
// that would be deciding the other half of a crowd (group-pace.ts). So the event loop flushes what is small, on a disk that is
// quick, with everybody who writes in one group:
//
//   - while threads flushed such groups, the event loop was idle. Now and then a thread flushes one more, to see that it still is;
//   - a flush that takes long is followed by those of threads for ten times as long.

import type { Clock } from '../environment.ts';
import {
  atOnceFlushBytesMax,
  atOnceFlushMsMax,
  atOnceFlushSlowShare,
  crowdFlushBytesMax,
  crowdFlushMsMax,
} from '../limits.ts';

/** So often a thread flushes all the same. */
const probeEvery = 32;
/** Of the time of a flush the event loop is idle; starting it and hearing of its end takes some too. */
const idleShareMin = 0.6;
/** What one flush says of the next ones: in that of a few the event loop had something to do that is over. */
const newestShare = 0.25;
/** A flush that is seen late looks too long: the shortest counts, and is forgotten slowly. */
const flushGrowth = 1.05;

export class FlushChoice {
  readonly #clock: Clock;
  /** Of the last groups with everybody in them that threads have flushed. */
  #idleShare = 0;
  #isSmall = false;
  #isLone = false;
  #threadMs = Number.POSITIVE_INFINITY;
  #groups = 0;
  #beganMs = 0;
  #beganIdleMs = 0;
  #threadsUntilMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether it is likely that the next group is flushed at once: then it waits until the end of the turn for others. */
  get isLikely(): boolean {
    const isQuick = this.#threadMs <= (this.#isLone ? atOnceFlushMsMax : crowdFlushMsMax);
    return this.#idleShare >= idleShareMin && this.#isSmall && isQuick && !this.#isPutOff;
  }

  /** A flush of so many units and bytes begins, of everybody who writes or of some. Gives whether it is waited for at once. */
  begins(units: number, bytes: number, isOfAll: boolean): boolean {
    this.#beganMs = this.#clock.monotonicMs();
    const isSmall = bytes <= (units === 1 ? atOnceFlushBytesMax : crowdFlushBytesMax);
    if (isOfAll) {
      this.#isSmall = isSmall;
      this.#isLone = units === 1;
    }
    if (isSmall && this.isLikely) {
      this.#groups += 1;
      if (this.#groups % probeEvery !== 0) return true;
    }
    this.#beganIdleMs = this.#idleMs();
    return false;
  }

  endedAtOnce(): void {
    const nowMs = this.#clock.monotonicMs();
    const tookMs = nowMs - this.#beganMs;
    if (tookMs > atOnceFlushMsMax) this.#threadsUntilMs = nowMs + tookMs / atOnceFlushSlowShare;
  }

  endedByThread(isOfAll: boolean): void {
    const tookMs = this.#clock.monotonicMs() - this.#beganMs;
    this.#threadMs = Math.min(this.#threadMs * flushGrowth, tookMs);
    if (!isOfAll || this.#clock.idleMs === undefined) return;
    const idleShare = tookMs > 0 ? (this.#idleMs() - this.#beganIdleMs) / tookMs : 1;
    this.#idleShare += (idleShare - this.#idleShare) * newestShare;
  }

  get #isPutOff(): boolean {
    return this.#clock.monotonicMs() < this.#threadsUntilMs;
  }

  #idleMs(): number {
    return this.#clock.idleMs?.() ?? 0;
  }
}
