// The tables by which a late generation finds its changes, outside the JavaScript heap. When it is in the tree they are the next one's.

export interface LateTables {
  /** Change → its place. */
  readonly places: Uint32Array;
  readonly hashes: Int32Array;
  /** Change → the one before it in its bucket. */
  readonly nexts: Int32Array;
  /** Change → whether a later one is of the same key. */
  readonly followed: Uint8Array;
  /**
   * By hash: a change + 1, or 0, and beside it its hash, where the processor has both with one look at its memory. Slots are twice
   * as many as there can be changes.
   */
  readonly slots: Int32Array;
}

export const changesMin = 64;
const slotsPerChange = 2;
export const slotWords = 2;

export function tablesFor(changes: number): LateTables {
  return {
    places: new Uint32Array(changes),
    hashes: new Int32Array(changes),
    nexts: new Int32Array(changes),
    followed: new Uint8Array(changes),
    slots: new Int32Array(changes * slotsPerChange * slotWords),
  };
}
