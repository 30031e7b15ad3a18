// A keeper has the segments that compaction has retired since somebody began to read: their files are open and have no names any more.

import type { Segment } from './segment-store.ts';

export class SegmentKeeper {
  readonly #segments = new Map<number, Segment>();
  /** The file of one of them could not be opened before its name had to go. */
  isBroken = false;

  keep(segment: Segment): void {
    segment.keepers += 1;
    this.#segments.set(segment.id, segment);
  }

  find(id: number): Segment | undefined {
    return this.#segments.get(id);
  }

  segments(): Iterable<Segment> {
    return this.#segments.values();
  }
}
