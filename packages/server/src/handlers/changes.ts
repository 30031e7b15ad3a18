// The change feed (wire 11): one endpoint, two modes, four kinds of scope, four kinds of start.
//
// A range that the request names is read as it is, and the client hears of it when the range is gone: clients that work by
// range ids look for the children themselves. Every other scope is routed here and survives splits and merges by its etag.

import type { ChangeFeed, ChangePage, FeedStart } from '@tidemark/engine';
import { DatabaseError, header } from '@tidemark/model';
import { pageCharge } from '../charge.ts';
import { feedOf } from '../feed-request.ts';
import type { HandlerContext } from '../handler.ts';
import { feedEtagBytesMax, scansPerRequestMax } from '../limits.ts';
import type { CosmosRequest, RequestHead } from '../request.ts';
import type { Place } from '../resources.ts';
import { findContainer } from '../resources.ts';
import type { CosmosResponse } from '../response.ts';
import { containerOwner, pageBody, sessionHeaders } from '../response.ts';

export async function readChanges(request: CosmosRequest, { database }: HandlerContext): Promise<CosmosResponse> {
  const place = findContainer(database, request.path);
  const { feed, start } = feedOf(request, place);
  const page = isOnlyPosition(request, start) ? feed.emptyPage() : await readPage(feed);
  return pageResponse(request, place, page);
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

/**
 * Wire: a page without items is a 304 (wire 11.5). One that has only looked at much without finding anything is followed by
 * the next; after a bound the client gets it, with the position to go on from.
 */
async function readPage(feed: ChangeFeed<unknown>): Promise<ChangePage> {
  for (let scans = 1; ; scans += 1) {
    const page = await feed.page();
    if (page.count > 0 || page.isDrained || scans === scansPerRequestMax) return page;
  }
}

function pageResponse(request: RequestHead, place: Place, page: ChangePage): CosmosResponse {
  const { pieces, count, etag, isDrained, range } = page;
  checkEtag(etag);
  const headers: Record<string, string> = {
    ...containerOwner(place),
    [header.etag]: etag,
    [header.itemCount]: String(count),
    ...(range === undefined ? {} : { ...sessionHeaders(request, range.id, range.tailLsn), [header.rangeId]: range.id }),
  };
  if (count === 0 && isDrained) return { status: 304, charge: pageCharge(0, 0), headers, body: undefined };
  const body = pageBody(place.info.rid, pieces, count);
  page.release?.();
  return { status: 200, charge: pageCharge(count, body.length), headers, body };
}

function checkEtag(etag: string): void {
  if (etag.length <= feedEtagBytesMax) return;
  const message = `This container has too many ranges for one position of all of it (${etag.length} bytes, at most ${feedEtagBytesMax}).`;
  throw new DatabaseError('bad-request', `${message} Read it by range, by partition key or by parts of its keys.`);
}
