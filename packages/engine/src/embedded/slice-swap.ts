// Puts the slices of a new segment in the place of those of the segments it stands for, range by range, in LSN order.

import type { IndexChange, IndexStore } from '../index/index-store.ts';
import { framesKey } from '../index/keys.ts';
import type { Slice } from '../index/slices.ts';
import { decodeSlices, encodeSlices } from '../index/slices.ts';
import { slicesPerChunk } from '../limits.ts';

export interface SliceSwap {
  readonly changes: readonly IndexChange[];
  readonly ranges: ReadonlySet<number>;
}

/** `ranges` are all whose slices may lie in the retired segments. */
export function swapSlices(
  index: Pick<IndexStore, 'range'>,
  ranges: Iterable<number>,
  retired: ReadonlySet<number>,
  added: readonly { readonly range: number; readonly slice: Slice }[],
): SliceSwap {
  const touched = new Set([...ranges, ...added.map(({ range }) => range)]);
  const changes: IndexChange[] = [];
  for (const range of touched) {
    const own = added.filter((entry) => entry.range === range).map((entry) => entry.slice);
    changes.push(...swapRange(index, range, retired, own));
  }
  return { changes, ranges: touched };
}

function swapRange(
  index: Pick<IndexStore, 'range'>,
  range: number,
  retired: ReadonlySet<number>,
  added: readonly Slice[],
): IndexChange[] {
  const bounds = { from: framesKey(range, 0), to: framesKey(range + 1, 0) };
  const chunks = index
    .range({ ...bounds, limit: Number.MAX_SAFE_INTEGER })
    .map(({ key, value }) => ({ key, slices: decodeSlices(value) }));
  // Chunks that lose or could take slices, and everything between them: only that part is written anew.
  const low = Math.min(...added.map((slice) => slice.firstLsn));
  const high = Math.max(...added.map((slice) => slice.lastLsn));
  let first = -1;
  let last = -1;
  for (const [i, { slices }] of chunks.entries()) {
    const loses = slices.some((slice) => retired.has(slice.segment));
    const spans = slices.some((slice) => slice.lastLsn >= low) && slices.some((slice) => slice.firstLsn <= high);
    if (!loses && !spans) continue;
    if (first === -1) first = i;
    last = i;
  }
  const affected = first === -1 ? [] : chunks.slice(first, last + 1);
  const kept = affected.flatMap(({ slices }) => slices.filter((slice) => !retired.has(slice.segment)));
  const merged = [...kept, ...added].sort((a, b) => a.firstLsn - b.firstLsn);
  const changes: IndexChange[] = affected.map(({ key }) => ({ key, value: undefined }));
  for (let i = 0; i < merged.length; i += slicesPerChunk) {
    const part = merged.slice(i, i + slicesPerChunk);
    changes.push({ key: framesKey(range, (part[0] as Slice).firstLsn), value: encodeSlices(part) });
  }
  return changes;
}
