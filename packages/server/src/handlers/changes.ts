// The change feed (wire 11): one endpoint, two modes, four kinds of scope, four kinds of start.
//
// A range that the request names is read as it is, and the client hears of it when the range is gone: clients that work by
// range ids look for the children themselves. Every other scope is routed here and survives splits and merges by its etag.

import type { ChangeFeedOptions, Database, FeedOf, FeedStart, RangeInfo } from '@tidemark/engine';
import { DatabaseError, header, intersectKeyRanges, narrowFeedParts, parseFeedEtag } from '@tidemark/model';
import { pageCharge } from '../charge.ts';
import { keysOf } from '../feed-scope.ts';
import type { HandlerContext } from '../handler.ts';
import { partitionKeyOf } from '../partition-key.ts';
import type { CosmosRequest, RequestHead } from '../request.ts';
import { itemsMaxOf, textOfHeader } from '../request.ts';
import type { Place } from '../resources.ts';
import { findContainer } from '../resources.ts';
import type { CosmosResponse } from '../response.ts';
import { containerOwner, pageBody, sessionHeaders } from '../response.ts';

export async function readChanges(request: CosmosRequest, { database }: HandlerContext): Promise<CosmosResponse> {
  const place = findContainer(database, request.path);
  const mode = modeOf(request);
  const start = startOf(request);
  const itemsMax = itemsMaxOf(request);
  if (mode === 'all') checkHistory(place, start);
  const values = partitionKeyOf(request, place, { prefix: true });
  const range = textOfHeader(request, header.rangeId);
  // Wire: of a partition key and a range id the partition key counts (wire 11.3).
  if (values === undefined && range !== undefined) {
    return pageResponse(request, place, await readRange(request, database, place, { mode, start, itemsMax, range }));
  }
  const keys = keysOf(request);
  const scope: FeedOf = values !== undefined ? { partitionKey: values } : keys !== undefined ? { keys } : {};
  return pageResponse(
    request,
    place,
    await readRouted(request, database, place, scope, { mode, from: start, itemsMax }),
  );
}

type Mode = 'latest' | 'all';

/** A page as an answer needs it, whatever scope it came from. */
interface Page {
  readonly pieces: readonly Buffer[];
  readonly count: number;
  readonly etag: string;
  /** Nothing was left. An empty page that is not drained has looked at much and found nothing yet. */
  readonly isDrained: boolean;
  /** The range that served it, where it was one. */
  readonly range: RangeInfo | undefined;
}

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

/** Wire: an etag counts before a time: clients keep sending the time they began with (wire 11.2). */
function startOf(request: RequestHead): FeedStart {
  const etag = textOfHeader(request, header.ifNoneMatch)?.trim();
  if (etag !== undefined) return etag === '*' ? 'now' : { etag };
  const since = textOfHeader(request, header.ifModifiedSince);
  if (since === undefined) return 'beginning';
  const time = new Date(since);
  if (!Number.isNaN(time.getTime())) return { time };
  throw new DatabaseError('bad-request', 'The header If-Modified-Since must be a time in the form of RFC 1123.');
}

/** Wire: all versions have no beginning, because nobody can know what went before the retention (wire 11.2). */
function checkHistory({ info }: Place, start: FeedStart): void {
  if (info.historyMs === 0) {
    const message = `The container "${info.id}" keeps no history: set changeFeedPolicy.retentionDuration (in minutes).`;
    throw new DatabaseError('history-off', message);
  }
  if (start !== 'beginning') return;
  throw new DatabaseError('retention-passed', 'You must read the change feed from within the retention period.');
}

/**
 * The seeds describe it for clients of API version 2016-07-11: a start time is first answered with an etag alone. Today's
 * clients get the documents at once (M4).
 */
function isOnlyPosition(request: RequestHead, start: FeedStart): boolean {
  if (start === 'now') return true;
  const isOld = request.apiVersion !== undefined && request.apiVersion <= '2016-07-11';
  return isOld && typeof start === 'object' && 'time' in start;
}

async function readRange(
  request: RequestHead,
  { engine }: Database,
  { container, info }: Place,
  wanted: { readonly mode: Mode; readonly start: FeedStart; readonly itemsMax: number; readonly range: string },
): Promise<Page> {
  const { mode, start, itemsMax } = wanted;
  const range = container.ranges.find((each) => each.id === wanted.range);
  if (range === undefined) {
    throw new DatabaseError('range-gone', `The range ${wanted.range} has been split or merged; read the ranges again.`);
  }
  const lsnAt = (time: Date): number => engine.lsnAt(info.number, range.id, time.getTime());
  const after = lsnOf(start, range, lsnAt);
  const given = keysOf(request);
  const keys = given === undefined ? undefined : intersectKeyRanges(range, given);
  const isElsewhere = given !== undefined && keys === undefined;
  if (isElsewhere || isOnlyPosition(request, start)) {
    const lsn = isElsewhere ? Math.max(after, range.tailLsn) : after;
    return { pieces: [], count: 0, etag: `"${lsn}"`, isDrained: true, range };
  }
  const scope = { container: info.number, range: range.id, ...(keys === undefined ? {} : { keys }) };
  const page = await engine.feed(scope, { mode, after, itemsMax, bytesMax: pageBytesMax });
  const { pieces, count, last, tail, isDrained } = page;
  return { pieces, count, etag: `"${last}"`, isDrained, range: { ...range, tailLsn: tail } };
}

const pageBytesMax: number = 4 * 1024 * 1024;

function lsnOf(start: FeedStart, range: RangeInfo, lsnAt: (time: Date) => number): number {
  if (start === 'beginning') return 0;
  if (start === 'now') return range.tailLsn;
  if ('time' in start) return lsnAt(start.time);
  const etag = parseFeedEtag(start.etag);
  if (etag.kind === 'lsn') return etag.lsn;
  const slices = etag.kind === 'composite' ? narrowFeedParts(etag.parts, range) : [];
  const [first] = slices;
  if (first !== undefined && slices.every((slice) => slice.lsn === first.lsn)) return first.lsn;
  const message = `The etag is one of the whole container and does not say one position for the range ${range.id}.`;
  throw new DatabaseError('invalid-continuation', message);
}

async function readRouted(
  request: RequestHead,
  { engine }: Database,
  { container, info }: Place,
  scope: FeedOf,
  options: ChangeFeedOptions & { readonly from: FeedStart },
): Promise<Page> {
  const feed =
    options.mode === 'all' ? container.versions({ ...scope, ...options }) : container.changes({ ...scope, ...options });
  const page = isOnlyPosition(request, options.from)
    ? { pieces: [], count: 0, etag: feed.etag, isDrained: true }
    : await feed.page();
  const ranges = container.ranges;
  const key = scope.partitionKey;
  const isFullKey = Array.isArray(key) && key.length === info.definition.partitionKey.paths.length;
  if (!isFullKey) return { ...page, range: ranges.length === 1 ? ranges[0] : undefined };
  const id = engine.rangeOf(info.number, container.partitionKey(key).epk);
  return { ...page, range: ranges.find((each) => each.id === id) };
}

function pageResponse(request: RequestHead, place: Place, page: Page): CosmosResponse {
  const { pieces, count, etag, isDrained, range } = page;
  const headers: Record<string, string> = {
    ...containerOwner(place),
    [header.etag]: etag,
    [header.itemCount]: String(count),
    ...(range === undefined ? {} : { ...sessionHeaders(request, range.id, range.tailLsn), [header.rangeId]: range.id }),
  };
  if (count === 0 && isDrained) return { status: 304, charge: pageCharge(0, 0), headers, body: undefined };
  const body = pageBody(place.info.rid, pieces, count);
  return { status: 200, charge: pageCharge(count, body.length), headers, body };
}
