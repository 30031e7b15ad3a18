// The continuation of the SDK's iterator, and what is wrong with it now and then.
//
// @azure/cosmos 4.9.3 reads a range that was split by the list of ranges that it knows: it goes on with the first child and
// puts the second at the end of its queue. When that first child is gone too by then (410) it asks for the children of the
// whole of the old range, and the second one is in the queue twice. From there on, and in every continuation, its changes are
// given twice. (ChangeFeedForEpkRange: `shouldRetryOnFailure` takes the range as it was before `getPartitionRangeId`.)

import type { KeyRange } from '@tidemark/model';

interface Part {
  readonly minInclusive: string;
  readonly maxExclusive: string;
  readonly continuationToken: string;
}

interface Continuation {
  readonly rid: string;
  readonly Continuation: readonly Part[];
}

/** The same without parts that are there twice, each as far as any of its twins has come; undefined where there are none. */
export function withoutTwins(text: string): string | undefined {
  const continuation = JSON.parse(text) as Continuation; // As the SDK writes it.
  const parts = continuation.Continuation;
  if (!hasTwins(parts)) return undefined;
  const bounds = [...new Set(parts.flatMap((part) => [part.minInclusive, part.maxExclusive]))].sort();
  const single: Part[] = [];
  for (let i = 0; i + 1 < bounds.length; i += 1) {
    const [minInclusive, maxExclusive] = [bounds[i] as string, bounds[i + 1] as string];
    const holders = parts.filter((part) => part.minInclusive <= minInclusive && maxExclusive <= part.maxExclusive);
    const furthest = holders.sort((a, b) => positionOf(b) - positionOf(a))[0];
    if (furthest !== undefined) single.push({ ...furthest, minInclusive, maxExclusive });
  }
  return JSON.stringify({ ...continuation, Continuation: single });
}

/** Whether ranges cover every key once. */
export function isTiled(ranges: readonly KeyRange[]): boolean {
  const sorted = [...ranges].sort((a, b) => (a.min < b.min ? -1 : 1));
  const ends = ['', ...sorted.map(({ max }) => max)];
  return ends.at(-1) === 'FF' && sorted.every(({ min }, i) => min === ends[i]);
}

function hasTwins(parts: readonly Part[]): boolean {
  const sorted = [...parts].sort((a, b) => (a.minInclusive < b.minInclusive ? -1 : 1));
  return sorted.some((part, i) => i > 0 && part.minInclusive < (sorted[i - 1] as Part).maxExclusive);
}

/** Of the same keys a later position is a larger number (wire 11.2). */
function positionOf({ continuationToken }: Part): number {
  const position = Number(continuationToken.replaceAll('"', ''));
  if (!Number.isSafeInteger(position)) throw new Error(`a continuation with the etag ${continuationToken}`);
  return position;
}
