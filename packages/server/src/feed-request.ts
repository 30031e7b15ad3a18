// What a request asks of the change feed (wire 11): the mode, where to start, which part of the container, how much at once.

import type { ChangeFeed, ChangeFeedOptions, Container, Database, FeedOf, FeedStart } from '@tidemark/engine';
import type { ConsistencyLevel } from '@tidemark/model';
import { DatabaseError, header } from '@tidemark/model';
import { keysOf, rangeIdOf } from './feed-scope.ts';
import { parseHttpDate } from './http-date.ts';
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

/** Whose container it is. */
export interface FeedAccount {
  readonly database: Database;
  readonly consistency: ConsistencyLevel;
}

export function feedOf(
  request: RequestHead,
  place: Place,
  { database, consistency }: FeedAccount,
  bytesMax: number = pageBytesMax,
): FeedRequest {
  checkSession(request, place, consistency);
  const { container } = place;
  const mode = modeOf(request);
  const isWrapped = isWrappedOf(request);
  const scope = scopeOf(request, place);
  // Wire: a client with an old list of ranges has to hear of that first, whatever else is wrong: every 410 says 1002 (wire 11).
  if (scope.range !== undefined) database.engine.range(place.info.number, scope.range);
  if (mode === 'all') checkHistory(place);
  const start = startOf(request, mode, { nowMs: database.nowMs(), historyMs: place.info.historyMs });
  const options = { ...scope, from: start, itemsMax: itemsMaxOf(request), bytesMax };
  return { feed: openFeed(container, mode, isWrapped, options), range: scope.range, start };
}

function openFeed(
  container: Container,
  mode: Mode,
  isWrapped: boolean,
  options: ChangeFeedOptions & FeedOf,
): ChangeFeed<unknown> {
  if (mode === 'all') return container.versions(options);
  return isWrapped ? container.wrappedChanges(options) : container.changes(options);
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

/** The only form of items that there is a name for. */
const wrappedFormat = '2021-09-15';

/**
 * Wire: all versions always come in their envelope; latest versions where the client asks for it, as processors of Java do, and
 * clients of Rust and Go. A form that is not known must not be answered in another: fields would be missing without a word (wire 11).
 */
function isWrappedOf(request: RequestHead): boolean {
  const format = textOfHeader(request, header.feedFormat)?.trim();
  if (format === undefined || format === wrappedFormat) return format !== undefined;
  throw new DatabaseError('bad-request', `The header ${header.feedFormat} must be ${wrappedFormat}, not '${format}'.`);
}

/** Wire: of a partition key and a range id the partition key counts (wire 11.3). */
function scopeOf(request: RequestHead, place: Place): FeedOf {
  const partitionKey = partitionKeyOf(request, place, { prefix: true });
  if (partitionKey !== undefined) return { partitionKey };
  const range = rangeIdOf(request, place);
  const keys = keysOf(request);
  return { ...(range === undefined ? {} : { range }), ...(keys === undefined ? {} : { keys }) };
}

interface Times {
  readonly nowMs: number;
  readonly historyMs: number;
}

/**
 * Wire: an etag counts before a time: clients keep sending the time they began with. All versions have no beginning, because
 * nobody can know what went before the retention (wire 11.2); whoever knows that and wants what is there says so in our own
 * header (B2). A time in that is refused only where something of what came after it is gone.
 */
function startOf(request: RequestHead, mode: Mode, times: Times): FeedStart {
  const etag = textOfHeader(request, header.ifNoneMatch)?.trim();
  if (etag !== undefined) return etag === '*' ? 'now' : { etag };
  const own = textOfHeader(request, header.feedStart)?.trim();
  if (own !== undefined) return ownStartOf(own, times.nowMs);
  const since = textOfHeader(request, header.ifModifiedSince)?.trim();
  if (since === undefined) {
    if (mode === 'latest') return 'beginning';
    throw retentionPassed();
  }
  const time = timeOf(since, times.nowMs, header.ifModifiedSince);
  if (mode === 'all' && isBeforeHistory(time, times)) throw retentionPassed();
  return { time };
}

/** Wire: a time before the retention is refused as the beginning is, and not taken for a later one (wire 11.7). It has whole seconds. */
function isBeforeHistory(time: Date, { nowMs, historyMs }: Times): boolean {
  return time.getTime() < Math.floor((nowMs - historyMs) / 1000) * 1000;
}

function retentionPassed(): DatabaseError {
  return new DatabaseError('retention-passed', 'You must read the change feed from within the retention period.');
}

function ownStartOf(text: string, nowMs: number): FeedStart {
  const word = text.toLowerCase();
  if (word === 'beginning' || word === 'now') return word;
  return { time: timeOf(text, nowMs, header.feedStart, `'beginning', 'now' or `) };
}

/** RFC 3339. `new Date` would also take a lone number and much else for a time. */
const internetTime: RegExp = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/i;

function timeOf(text: string, nowMs: number, name: string, others: string = ''): Date {
  const time = internetTime.test(text) ? internetTimeOf(text) : parseHttpDate(text, nowMs);
  if (time !== undefined && !Number.isNaN(time.getTime())) return time;
  throw new DatabaseError(
    'bad-request',
    `The header ${name} must be ${others}a time as in RFC 1123, RFC 850, asctime or RFC 3339.`,
  );
}

/** `new Date` takes a day that the month does not have for one of the next month: what came before that would be passed over. */
function internetTimeOf(text: string): Date | undefined {
  const day = text.slice(0, 'YYYY-MM-DD'.length);
  const midnight = new Date(`${day}T00:00:00Z`);
  const isDay = !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
  return isDay ? new Date(text) : undefined;
}

function checkHistory({ info }: Place): void {
  if (info.historyMs > 0) return;
  throw new DatabaseError(
    'history-off',
    `The container "${info.id}" keeps no history: set changeFeedPolicy.retentionDuration (in minutes) on it, or start ` +
      'the server with --history.',
  );
}
