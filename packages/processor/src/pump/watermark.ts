// Pages finish in any order; the position moves over what is finished without a gap. Pure.

export interface WatermarkMove {
  /** Everything up to here is finished. */
  readonly position: string;
  readonly sequence: number;
  /** Finished since the last move. 0: the feed moved on without changes. */
  readonly items: number;
}

export class Watermark {
  /** Not passed yet, by their sequence numbers, which follow each other without gap. */
  readonly #entries: Map<number, Entry> = new Map();
  #lowest = 0;
  #next = 0;

  /** Pages that are not passed yet. */
  get size(): number {
    return this.#entries.size;
  }

  /** The page that holds the watermark back. */
  get lowest(): number {
    return this.#lowest;
  }

  /** The next page of the feed, of which `items` are still to be finished. Returns its sequence number. */
  open(position: string, items: number): number {
    const last = this.#entries.get(this.#next - 1);
    // A feed that is looked through without finding anything takes no room, however long a page before it takes.
    if (items === 0 && last !== undefined && last.items === 0) {
      last.position = position;
      return this.#next - 1;
    }
    this.#entries.set(this.#next, { position, items, pending: items });
    this.#next += 1;
    return this.#next - 1;
  }

  finish(sequence: number, items: number): void {
    const entry = this.#entries.get(sequence);
    if (entry === undefined) return;
    entry.pending = Math.max(0, entry.pending - items);
  }

  /** Passes over everything that is finished; undefined when nothing new is. */
  advance(): WatermarkMove | undefined {
    let move: WatermarkMove | undefined;
    for (;;) {
      const entry = this.#entries.get(this.#lowest);
      if (entry === undefined || entry.pending > 0) return move;
      this.#entries.delete(this.#lowest);
      move = { position: entry.position, sequence: this.#lowest, items: (move?.items ?? 0) + entry.items };
      this.#lowest += 1;
    }
  }
}

interface Entry {
  position: string;
  readonly items: number;
  pending: number;
}
