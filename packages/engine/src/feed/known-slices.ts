// The slices of ranges, as the index lists them in chunks. Who reads a feed asks for the same chunk with page after page, and a look
// into the index costs as much as sending a third of a page: what was asked for last is known until the index changes.
//
// A page of a range that was split and merged often has many ancestors, of which most begin far behind it. Of those only where they begin
// is known, of far more than there are chunks.

import type { IndexStore } from '../index/index-store.ts';
import { framesKey } from '../index/keys.ts';
import type { Slice } from '../index/slices.ts';
import { decodeSlices } from '../index/slices.ts';
import { knownChunksMax, knownGapsMax } from '../limits.ts';
import { oneFor } from './one-for.ts';

interface Chunk {
  readonly range: number;
  /** The slices are all of the chunk that have anything after this LSN, and nothing lies between. */
  readonly after: number;
  readonly lastLsn: number;
  readonly slices: readonly Slice[];
}

/** A range has nothing after the one LSN and before the other. */
interface Gap {
  readonly after: number;
  /** Infinite: nothing comes. */
  readonly firstLsn: number;
}

export const knownSlicesOf: (index: IndexStore) => KnownSlices = oneFor((index) => new KnownSlices(index));

class KnownSlices {
  readonly #index: IndexStore;
  /** The oldest first. */
  #chunks: Chunk[] = [];
  /** By range. */
  readonly #gaps = new Map<number, Gap>();
  #changes: number | undefined;

  constructor(index: IndexStore) {
    this.#index = index;
  }

  /** Those with anything after an LSN: the rest of one chunk, and the next one when that is used up. */
  after(range: number, after: number): readonly Slice[] {
    if (!this.#isKept()) return slicesAfter(this.#index, range, after);
    for (let i = this.#chunks.length - 1; i >= 0; i -= 1) {
      const chunk = this.#chunks[i] as Chunk;
      if (chunk.range === range && chunk.after <= after && after < chunk.lastLsn) return restOf(chunk.slices, after);
    }
    const slices = slicesAfter(this.#index, range, after);
    this.#noteGap(range, after, slices[0]?.firstLsn ?? Number.POSITIVE_INFINITY);
    const last = slices.at(-1);
    if (last === undefined) return slices;
    if (this.#chunks.length === knownChunksMax) this.#chunks.shift();
    this.#chunks.push({ range, after, lastLsn: last.lastLsn, slices });
    return slices;
  }

  /** Where the first one after an LSN begins, if there is a gap between and it is known; infinite when there is none. */
  firstLsnAfter(range: number, after: number): number | undefined {
    const gap = this.#isKept() ? this.#gaps.get(range) : undefined;
    return gap !== undefined && gap.after <= after && after < gap.firstLsn ? gap.firstLsn : undefined;
  }

  /** Whether anything can be known; what was known before the index has changed is forgotten. */
  #isKept(): boolean {
    const { changes } = this.#index;
    if (changes !== this.#changes) {
      this.#chunks = [];
      this.#gaps.clear();
      this.#changes = changes;
    }
    return changes !== undefined;
  }

  #noteGap(range: number, after: number, firstLsn: number): void {
    // The next one is not behind a gap.
    if (firstLsn <= after + 1) return;
    if (this.#gaps.size >= knownGapsMax && !this.#gaps.has(range)) this.#gaps.clear();
    this.#gaps.set(range, { after, firstLsn });
  }
}

function restOf(slices: readonly Slice[], after: number): readonly Slice[] {
  let first = 0;
  while ((slices[first] as Slice).lastLsn <= after) first += 1;
  return first === 0 ? slices : slices.slice(first);
}

function slicesAfter(index: IndexStore, range: number, after: number): Slice[] {
  const begin = framesKey(range, 0);
  const end = framesKey(range + 1, 0);
  const at = framesKey(range, after + 1);
  const [holding] = index.range({ from: begin, to: framesKey(range, after + 2), limit: 1, reverse: true });
  const slices = holding === undefined ? [] : decodeSlices(holding.value, after);
  if (slices.length > 0) return slices;
  const from = holding !== undefined && holding.key.compare(at) >= 0 ? framesKey(range, after + 2) : at;
  const [following] = index.range({ from, to: end, limit: 1 });
  return following === undefined ? [] : decodeSlices(following.value, after);
}
