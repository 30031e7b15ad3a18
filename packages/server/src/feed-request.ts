// What a request asks of the change feed (wire 11): the mode, where to start, which part of the container, how much at once.

import type { ChangeFeed, FeedOf, FeedStart } from '@tidemark/engine';
import { DatabaseError, header } from '@tidemark/model';
import { keysOf, rangeIdOf } from './feed-scope.ts';
import { pageBytesMax } from './limits.ts';
import { partitionKeyOf } from './partition-key.ts';
import type { RequestHead } from './request.ts';
import { itemsMaxOf, textOfHeader } from './request.ts';
import type { Place } from './resources.ts';
import { checkSession } from './session.ts';

export interface FeedRequest {
  readonly feed: ChangeFeed<unknown>;
  /** The range that the request names, where it does. */
  readonly range: string | undefined;
  readonly start: FeedStart;
}

export function feedOf(request: RequestHead, place: Place, bytesMax: number = pageBytesMax): FeedRequest {
  checkSession(request, place);
  const { container } = place;
  const mode = modeOf(request);
  if (mode === 'all') checkHistory(place);
  const start = startOf(request, mode);
  const itemsMax = itemsMaxOf(request);
  const scope = scopeOf(request, place);
  const options = { ...scope, from: start, itemsMax, bytesMax };
  const feed = mode === 'all' ? container.versions(options) : container.changes(options);
  return { feed, range: scope.range, start };
}

type Mode = 'latest' | 'all';

/** Wire: the clients differ in the case of "feed" (wire 11.1). */
function modeOf(request: RequestHead): Mode {
  const text = textOfHeader(request, header.changeFeed) ?? '';
  switch (text.trim().toLowerCase()) {
    case 'incremental feed':
      return 'latest';
    case 'full-fidelity feed':
      return 'all';
    default:
      throw new DatabaseError('bad-request', `The header A-IM must be 'Incremental Feed' or 'Full-Fidelity Feed'.`);
  }
}

/** Wire: of a partition key and a range id the partition key counts (wire 11.3). */
function scopeOf(request: RequestHead, place: Place): FeedOf {
  const partitionKey = partitionKeyOf(request, place, { prefix: true });
  if (partitionKey !== undefined) return { partitionKey };
  const range = rangeIdOf(request, place);
  const keys = keysOf(request);
  return { ...(range === undefined ? {} : { range }), ...(keys === undefined ? {} : { keys }) };
}

/**
 * Wire: an etag counts before a time: clients keep sending the time they began with. All versions have no beginning, because
 * nobody can know what went before the retention (wire 11.2); whoever knows that and wants what is there says so in our own
 * header (B2).
 */
function startOf(request: RequestHead, mode: Mode): FeedStart {
  const etag = textOfHeader(request, header.ifNoneMatch)?.trim();
  if (etag !== undefined) return etag === '*' ? 'now' : { etag };
  const own = textOfHeader(request, header.feedStart)?.trim();
  if (own !== undefined) return ownStartOf(own);
  const since = textOfHeader(request, header.ifModifiedSince);
  if (since !== undefined) return timeOf(since, 'If-Modified-Since');
  if (mode === 'latest') return 'beginning';
  throw new DatabaseError('retention-passed', 'You must read the change feed from within the retention period.');
}

function ownStartOf(text: string): FeedStart {
  const word = text.toLowerCase();
  return word === 'beginning' || word === 'now' ? word : timeOf(text, header.feedStart, `'beginning', 'now' or `);
}

/** `new Date` takes a lone number and much else for a time. */
const timeForms: RegExp =
  /^(?:[a-z]{3}, \d\d [a-z]{3} \d{4} \d\d:\d\d:\d\d GMT|\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))$/i;

function timeOf(text: string, name: string, others: string = ''): FeedStart {
  const time = new Date(text);
  if (timeForms.test(text.trim()) && !Number.isNaN(time.getTime())) return { time };
  throw new DatabaseError('bad-request', `The header ${name} must be ${others}a time as in RFC 1123 or RFC 3339.`);
}

function checkHistory({ info }: Place): void {
  if (info.historyMs > 0) return;
  throw new DatabaseError(
    'history-off',
    `The container "${info.id}" keeps no history: set changeFeedPolicy.retentionDuration (in minutes) on it, or start ` +
      'the server with --history.',
  );
}
