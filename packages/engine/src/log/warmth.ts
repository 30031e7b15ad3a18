// Which reads are made at once, and which by a thread. A trip through the thread pool costs several times a read of what is in
// the page cache; a read from the disk without one keeps everybody waiting.
//
// What was written last is taken to be in memory. Of anything older nobody says whether it is, so it is tried: such reads are
// made at once for as long as hardly any of them is slow. Then threads make them for a while, so that of the event loop's time
// only a small share is ever spent waiting for the disk. Where the system counts what comes from the disk, a read that others
// have interrupted is not taken for one.

import type { Environment } from '../environment.ts';
import type { FileSystem } from '../files/file-system.ts';
import {
  memoryBytesByDefault,
  slowReadBudgetMs,
  slowReadBytesPerMs,
  slowReadCountedMsMax,
  slowReadMs,
  slowReadShare,
  threadTripMs,
  warmShare,
} from '../limits.ts';
import type { Segment } from './segment-store.ts';

export class Warmth {
  readonly #environment: Environment;
  readonly #files: FileSystem;
  /** Segments from this id on are recent; undefined when they have to be counted anew. */
  #recentFromId: number | undefined;
  #budgetMs: number = slowReadBudgetMs;
  /** Until then, older ones are read by threads. */
  #coldUntilMs = Number.NEGATIVE_INFINITY;
  /** What had been read from the disk when a read was slow the last time. */
  #blocksRead: number | undefined;

  constructor(environment: Environment, files: FileSystem) {
    this.#environment = environment;
    this.#files = files;
  }

  /** Segments have come. */
  recount(): void {
    this.#recentFromId = undefined;
  }

  /** Written last, by the log or by compaction. */
  isRecent(segment: Segment, segments: Iterable<Segment>): boolean {
    this.#recentFromId ??= this.#countRecent(segments);
    return segment.id >= this.#recentFromId;
  }

  /** When a read at once may begin, or undefined when a thread should make it. */
  trial(): number | undefined {
    const nowMs = this.#environment.clock.monotonicMs();
    return nowMs < this.#coldUntilMs ? undefined : nowMs;
  }

  /** How it went. */
  tried(beganMs: number, bytes: number): void {
    const nowMs = this.#environment.clock.monotonicMs();
    const tookMs = nowMs - beganMs;
    if (tookMs <= slowReadMs + bytes / slowReadBytesPerMs) {
      this.#budgetMs = Math.min(slowReadBudgetMs, this.#budgetMs + threadTripMs);
      return;
    }
    if (!this.#isOfDisk()) return;
    this.#budgetMs -= Math.min(tookMs, slowReadCountedMsMax);
    if (this.#budgetMs >= 0) return;
    this.#coldUntilMs = nowMs + slowReadBudgetMs / slowReadShare;
    this.#budgetMs = slowReadBudgetMs;
  }

  /** Whether anything was read from the disk since a read was slow the last time, as far as anybody knows. */
  #isOfDisk(): boolean {
    const before = this.#blocksRead;
    this.#blocksRead = this.#files.blocksRead?.();
    return this.#blocksRead === undefined || this.#blocksRead !== before;
  }

  #countRecent(segments: Iterable<Segment>): number {
    const recentBytes = (this.#environment.memoryBytes ?? memoryBytesByDefault) * warmShare;
    let bytes = 0;
    for (const { id, usedBytes } of [...segments].sort((a, b) => b.id - a.id)) {
      bytes += usedBytes;
      if (bytes > recentBytes) return id + 1;
    }
    return 0;
  }
}
