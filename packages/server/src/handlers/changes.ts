// The change feed (wire 11): one endpoint, two modes, four kinds of scope, four kinds of start.
//
// A range that the request names is read as it is, and the client hears of it when the range is gone: clients that work by
// range ids look for the children themselves. Every other scope is routed here and survives splits and merges by its etag.

import type { ChangeFeed, ChangePage, FeedStart } from '@tidemark/engine';
import { header } from '@tidemark/model';
import { pageCharge } from '../charge.ts';
import { checkEtag, readPage } from '../feed-page.ts';
import { feedOf } from '../feed-request.ts';
import type { HandlerContext } from '../handler.ts';
import type { CosmosRequest, RequestHead } from '../request.ts';
import { waitMsOf } from '../request.ts';
import { findContainer } from '../resources.ts';
import type { CosmosResponse } from '../response.ts';
import { containerOwner, pageBody, sessionHeaders } from '../response.ts';

export async function readChanges(
  request: CosmosRequest,
  { database, room, outgoing, grant, recheck }: HandlerContext,
): Promise<CosmosResponse | undefined> {
  const place = findContainer(database, request.path);
  const { feed, start } = feedOf(request, place);
  const waitMs = waitMsOf(request);
  const asked: Asked = { rid: place.info.rid, owner: containerOwner(place), apiVersion: request.apiVersion };
  if (isOnlyTime(request, start)) return pageResponse(asked, feed.emptyPage());
  // Wire: now is shown by its etag alone, and never by what comes while it is being looked up (wire 11.2).
  const page = start === 'now' ? feed.emptyPage() : await readPage(feed);
  if (waitMs === undefined) return pageResponse(asked, page);
  return readOrWait(asked, page, { feed, waitMs, room, outgoing, grant, recheck });
}

/** What an answer needs of its request. Ten thousand that wait are kept in memory, so it is no more than that. */
interface Asked {
  readonly rid: string;
  readonly owner: Readonly<Record<string, string>>;
  readonly apiVersion: string | undefined;
}

/** A 304 waits for its change instead, as long as the client wants it to; `Preference-Applied` says that it would (B1). */
async function readOrWait(
  asked: Asked,
  first: ChangePage,
  {
    feed,
    waitMs,
    room,
    outgoing,
    grant,
    recheck,
  }: Pick<HandlerContext, 'room' | 'outgoing' | 'grant' | 'recheck'> & { feed: ChangeFeed<unknown>; waitMs: number },
): Promise<CosmosResponse | undefined> {
  const endMs = performance.now() + waitMs;
  let page = first;
  while (page.count === 0 && page.isDrained) {
    const leftMs = endMs - performance.now();
    if (leftMs <= 0) break;
    const wait = room.wait(feed, leftMs, outgoing);
    if (wait === undefined) return pageResponse(asked, page);
    const wake = await wait;
    if (wake === 'left') return undefined;
    if (wake !== 'more') {
      feed.moveToEnd();
      page = feed.emptyPage();
      break;
    }
    recheck(grant);
    page = await readPage(feed);
  }
  return pageResponse(asked, page, { [header.preferenceApplied]: `wait=${Math.floor(waitMs / 1000)}` });
}

/**
 * The seeds describe it for clients of API version 2016-07-11: a start time is first answered with an etag alone. Today's
 * clients get the documents at once (M4).
 */
function isOnlyTime(request: RequestHead, start: FeedStart): boolean {
  const isOld = request.apiVersion !== undefined && request.apiVersion <= '2016-07-11';
  return isOld && typeof start === 'object' && 'time' in start;
}

function pageResponse(asked: Asked, page: ChangePage, more: Readonly<Record<string, string>> = {}): CosmosResponse {
  const { pieces, count, etag, isDrained, range } = page;
  checkEtag(etag);
  const headers: Record<string, string> = {
    ...asked.owner,
    ...more,
    [header.etag]: etag,
    [header.itemCount]: String(count),
    ...(range === undefined ? {} : { ...sessionHeaders(asked, range.id, range.tailLsn), [header.rangeId]: range.id }),
  };
  if (count === 0 && isDrained) return { status: 304, charge: pageCharge(0, 0), headers, body: undefined };
  const body = pageBody(asked.rid, pieces, count);
  page.release?.();
  return { status: 200, charge: pageCharge(count, body.length), headers, body };
}
