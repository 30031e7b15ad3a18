// Feed etags: how far a reader of the change feed has come. Opaque to clients, which send them back verbatim (wire 11.5).
//
// FEED ETAG (text, in double quotes; accepted without)
//   "57"                    LSN 57 of the one range that is read
//   "c1:1FFF…=57,FF=12"     a position in the whole container: parts that tile the key space from "" to "FF". A part starts
//                           where the one before ended and is named by its exclusive end. Being about keys and not about
//                           range ids, it stays valid across splits and merges.
//   *                       now

import { DatabaseError } from './errors.ts';
import type { KeyRange } from './key-range.ts';
import { intersectKeyRanges, keySpaceMax, keySpaceMin } from './key-range.ts';

/** Position `lsn` for the keys from the end of the part before up to `max`, exclusive. */
export interface FeedPart {
  readonly max: string;
  readonly lsn: number;
}

export type FeedEtag =
  | { readonly kind: 'lsn'; readonly lsn: number }
  | { readonly kind: 'composite'; readonly parts: readonly FeedPart[] };

export type FeedPosition = FeedEtag | { readonly kind: 'now' };

/** A part with both of its ends. */
export interface FeedSlice extends KeyRange {
  readonly lsn: number;
}

export function formatFeedEtag(etag: FeedEtag): string {
  if (etag.kind === 'lsn') return `"${etag.lsn}"`;
  return `"${compositeMark}${etag.parts.map((part) => `${part.max}=${part.lsn}`).join(',')}"`;
}

export function parseFeedEtag(text: string): FeedPosition {
  if (text === '*') return { kind: 'now' };
  const isQuoted = text.length >= 2 && text.startsWith('"') && text.endsWith('"');
  const bare = isQuoted ? text.slice(1, -1) : text;
  if (!bare.startsWith(compositeMark)) return { kind: 'lsn', lsn: parseLsn(bare, text) };
  const parts = bare
    .slice(compositeMark.length)
    .split(',')
    .map((part) => parsePart(part, text));
  if (!feedPartsTile(parts)) throw malformed(text);
  return { kind: 'composite', parts };
}

/** The same position for every key. */
export function uniformFeedParts(lsn: number): readonly FeedPart[] {
  return [{ max: keySpaceMax, lsn }];
}

/** Whether each part ends after the one before and the last one ends the key space. */
export function feedPartsTile(parts: readonly FeedPart[]): boolean {
  let end = keySpaceMin;
  for (const part of parts) {
    if (part.max <= end) return false;
    end = part.max;
  }
  return end === keySpaceMax;
}

/** What the parts say about an interval of keys, cut to it, in order and without gap. */
export function narrowFeedParts(parts: readonly FeedPart[], range: KeyRange): FeedSlice[] {
  const slices: FeedSlice[] = [];
  const first = partAfter(parts, range.min);
  let min = parts[first - 1]?.max ?? keySpaceMin;
  for (let i = first; i < parts.length && min < range.max; i += 1) {
    const { max, lsn } = parts[i] as FeedPart;
    const common = intersectKeyRanges({ min, max }, range);
    if (common !== undefined) slices.push({ ...common, lsn });
    min = max;
  }
  return slices;
}

/** The first part that ends after the key: a container has up to ten thousand, and a reader asks for each of its ranges. */
function partAfter(parts: readonly FeedPart[], key: string): number {
  let low = 0;
  let high = parts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((parts[middle] as FeedPart).max > key) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The parts with the position of one interval changed. */
export function setFeedParts(parts: readonly FeedPart[], range: KeyRange, lsn: number): readonly FeedPart[] {
  if (range.min >= range.max) return parts;
  const slices = [
    ...narrowFeedParts(parts, { min: keySpaceMin, max: range.min }),
    { ...range, lsn },
    ...narrowFeedParts(parts, { min: range.max, max: keySpaceMax }),
  ];
  return joinFeedParts(slices);
}

/** Parts that tile the key space, in order. Neighbours with the same position become one. */
export function joinFeedParts(parts: readonly FeedPart[]): readonly FeedPart[] {
  const joined: FeedPart[] = [];
  for (const { max, lsn } of parts) {
    if (joined.at(-1)?.lsn === lsn) joined.pop();
    joined.push({ max, lsn });
  }
  return joined;
}

const compositeMark = 'c1:';

function parsePart(part: string, text: string): FeedPart {
  const equals = part.indexOf('=');
  const max = part.slice(0, Math.max(equals, 0));
  if (!isUpperHex(max)) throw malformed(text);
  return { max, lsn: parseLsn(part.slice(equals + 1), text) };
}

function isUpperHex(text: string): boolean {
  return /^[0-9A-F]+$/.test(text);
}

function parseLsn(digits: string, text: string): number {
  const lsn = Number(digits);
  if (digits === '' || !Number.isSafeInteger(lsn) || lsn < 0 || String(lsn) !== digits) throw malformed(text);
  return lsn;
}

function malformed(text: string): DatabaseError {
  return new DatabaseError(
    'invalid-continuation',
    'The feed position is malformed. Send the etag of an earlier page back exactly as it came, or leave it out.',
    { detail: { text } },
  );
}
