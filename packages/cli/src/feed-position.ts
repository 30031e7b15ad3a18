// Positions in a feed as people write them: where `tail` begins and where it says that it has stopped.

import type { ChangesStart } from '@tidemark/client';
import type { FeedPart, KeyRange } from '@tidemark/model';
import { formatFeedEtag, isDatabaseError, joinFeedParts, keySpaceMax, parseFeedEtag } from '@tidemark/model';
import { UsageError } from './usage-error.ts';

export type Position =
  | { readonly kind: 'start'; readonly start: ChangesStart }
  /** Of a whole container: where each part of its keys goes on. */
  | { readonly kind: 'parts'; readonly parts: readonly FeedPart[] };

export function readPosition(text: string): Position {
  if (text === 'beginning' || text === 'now') return { kind: 'start', start: text };
  if (/^"?(?:c1:|\d+"?$)/.test(text)) return readEtag(text);
  const timeMs = readTime(text);
  if (!Number.isNaN(timeMs)) return { kind: 'start', start: { timeMs } };
  throw new UsageError(
    `--from must be beginning, now, a time such as 2026-01-31T12:00:00Z, or a position, not '${text}'.`,
  );
}

/** NaN when it is none. Without a zone it is UTC, as what a tail prints, wherever the machine is. */
function readTime(text: string): number {
  // The parser takes almost anything for a time; -1 is not meant to be one.
  if (!/^\d{4}-\d{2}-\d{2}(?:[T ].*)?$/.test(text)) return Number.NaN;
  const isWithoutZone = /[T ][\d:.]+$/.test(text);
  return Date.parse(isWithoutZone ? `${text}Z` : text);
}

function readEtag(text: string): Position {
  try {
    const etag = parseFeedEtag(text);
    if (etag.kind === 'composite') return { kind: 'parts', parts: etag.parts };
    if (etag.kind === 'lsn') return { kind: 'start', start: { etag: `"${etag.lsn}"` } };
  } catch (error) {
    if (!isDatabaseError(error)) throw error;
  }
  throw new UsageError(`--from is not a position that a tail has printed: '${text}'.`);
}

/** As it stands in a sentence, after `from`. */
export function wordsOf(position: Position): string {
  const start = position.kind === 'start' ? position.start : undefined;
  if (start === 'beginning') return 'the beginning';
  if (start === 'now') return 'now on';
  if (start !== undefined && 'timeMs' in start) return new Date(start.timeMs).toISOString();
  return 'the position given';
}

/** The LSN that a start stands for, where it is one. */
export function lsnOf(start: ChangesStart): number | undefined {
  if (start === 'beginning') return 0;
  if (start === 'now' || 'timeMs' in start) return undefined;
  try {
    const etag = parseFeedEtag(start.etag);
    return etag.kind === 'lsn' ? etag.lsn : undefined;
  } catch {
    // Another endpoint's etags may be anything.
    return undefined;
  }
}

/** The position of a whole container; undefined while a part has none yet. */
export function positionOf(
  parts: readonly { readonly keys: KeyRange; readonly start: ChangesStart }[],
): string | undefined {
  const feedParts: FeedPart[] = [];
  for (const { keys, start } of parts) {
    const lsn = lsnOf(start);
    if (lsn === undefined) return undefined;
    feedParts.push({ max: keys.max, lsn });
  }
  if (feedParts.at(-1)?.max !== keySpaceMax) return undefined;
  return formatFeedEtag({ kind: 'composite', parts: joinFeedParts(feedParts) }).slice(1, -1);
}
