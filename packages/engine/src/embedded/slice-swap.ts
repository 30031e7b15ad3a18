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

/** The LSNs of one range between which something lies. */
export interface LsnSpan {
  readonly firstLsn: number;
  readonly lastLsn: number;
}

/** Where everything lies. */
export const anyLsn: LsnSpan = { firstLsn: 0, lastLsn: 2 ** 48 - 2 };

export function joinSpans(a: LsnSpan | undefined, b: LsnSpan): LsnSpan {
  if (a === undefined) return { firstLsn: b.firstLsn, lastLsn: b.lastLsn };
  return { firstLsn: Math.min(a.firstLsn, b.firstLsn), lastLsn: Math.max(a.lastLsn, b.lastLsn) };
}

/**
 * `spans` has every range with slices in the retired segments, and where in it they are. Only there the index is read: what a
 * swap costs depends on what is swapped, and not on how much there is beside it.
 */
export function swapSlices(
  index: Pick<IndexStore, 'range'>,
  spans: ReadonlyMap<number, LsnSpan>,
  retired: ReadonlySet<number>,
  added: readonly { readonly range: number; readonly slice: Slice }[],
): SliceSwap {
  const addedTo = new Map<number, Slice[]>([...spans.keys()].map((range) => [range, []]));
  for (const { range, slice } of added) {
    const own = addedTo.get(range);
    if (own === undefined) addedTo.set(range, [slice]);
    else own.push(slice);
  }
  const changes: IndexChange[] = [];
  for (const [range, own] of addedTo) {
    for (const change of swapRange(index, range, spans.get(range), retired, own)) changes.push(change);
  }
  return { changes, ranges: new Set(addedTo.keys()) };
}

function swapRange(
  index: Pick<IndexStore, 'range'>,
  range: number,
  lost: LsnSpan | undefined,
  retired: ReadonlySet<number>,
  added: readonly Slice[],
): IndexChange[] {
  const gained = added.reduce<LsnSpan | undefined>(joinSpans, undefined);
  const span = lost === undefined ? gained : joinSpans(gained, lost);
  if (span === undefined) return [];
  const chunks = chunksIn(index, range, span);
  // Chunks that lose or could take slices, and everything between them: only that part is written anew.
  const low = gained?.firstLsn ?? Number.POSITIVE_INFINITY;
  const high = gained?.lastLsn ?? Number.NEGATIVE_INFINITY;
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

/** From the chunk that holds the first LSN, which may begin before it, to the last one that begins within the span. */
function chunksIn(
  index: Pick<IndexStore, 'range'>,
  range: number,
  span: LsnSpan,
): { readonly key: Buffer; readonly slices: readonly Slice[] }[] {
  const begin = { from: framesKey(range, 0), to: framesKey(range, span.firstLsn + 1) };
  const [holding] = index.range({ ...begin, limit: 1, reverse: true });
  const bounds = { from: holding?.key ?? begin.from, to: framesKey(range, span.lastLsn + 1) };
  const entries = index.range({ ...bounds, limit: Number.MAX_SAFE_INTEGER });
  return entries.map(({ key, value }) => ({ key, slices: decodeSlices(value) }));
}
