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
import type { HeaderList } from '../header-list.ts';
import { PageBody } from '../page-body.ts';
import type { CosmosRequest, RequestHead } from '../request.ts';
import { waitMsOf } from '../request.ts';
import type { Place } from '../resources.ts';
import { findContainer } from '../resources.ts';
import type { CosmosResponse } from '../response.ts';
import { containerOwner, pageResponse, sessionHeaders } from '../response.ts';

export async function readChanges(
  request: CosmosRequest,
  context: HandlerContext,
): Promise<CosmosResponse | undefined> {
  const place = findContainer(context.database, request.path);
  const { feed, start } = feedOf(request, place, context);
  const waitMs = waitMsOf(request);
  if (isOnlyTime(request, start)) return changesResponse(request, place, feed.emptyPage());
  // Wire: now is shown by its etag alone, and never by what comes while it is being looked up (wire 11.2).
  const page = start === 'now' ? feed.emptyPage() : await readPage(feed);
  if (waitMs === undefined) return changesResponse(request, place, page);
  if (isNews(page) || waitMs === 0) return changesResponse(request, place, page, appliedOf(waitMs));
  return waitForNews({ path: request.path, apiVersion: request.apiVersion }, feed, waitMs, context);
}

/** What an answer needs of its request. Ten thousand that wait are kept in memory, so it is no more than that. */
type Asked = Pick<RequestHead, 'path' | 'apiVersion'>;

/** A 304 waits for its change instead, as long as the client wants it to; `Preference-Applied` says that it would (B1). */
async function waitForNews(
  asked: Asked,
  feed: ChangeFeed<unknown>,
  waitMs: number,
  context: HandlerContext,
): Promise<CosmosResponse | undefined> {
  const endMs = performance.now() + waitMs;
  for (;;) {
    const leftMs = Math.max(0, endMs - performance.now());
    const wait = context.room.wait(feed, leftMs, context.outgoing);
    if (wait === undefined) return answerOf(asked, context, feed.emptyPage());
    const wake = await wait;
    if (wake === 'left') return undefined;
    if (wake !== 'more') {
      // A server that is closing parks nobody: what came since the page was read has not been watched for, and is not passed.
      if (wake === 'time') feed.moveToEnd();
      return answerOf(asked, context, feed.emptyPage(), appliedOf(waitMs));
    }
    context.recheck(context.grant);
    const page = await readPage(feed);
    if (isNews(page)) return answerOf(asked, context, page, appliedOf(waitMs));
  }
}

function answerOf(asked: Asked, { database }: HandlerContext, page: ChangePage, more?: HeaderList): CosmosResponse {
  return changesResponse(asked, findContainer(database, asked.path), page, more);
}

/** Something to show, or much that was looked at and must not be looked at again. */
function isNews({ count, isDrained }: ChangePage): boolean {
  return count > 0 || !isDrained;
}

function appliedOf(waitMs: number): HeaderList {
  return [header.preferenceApplied, `wait=${Math.floor(waitMs / 1000)}`];
}

/**
 * The seeds describe it for clients of API version 2016-07-11: a start time is first answered with an etag alone. Today's
 * clients get the documents at once (M4).
 */
function isOnlyTime(request: RequestHead, start: FeedStart): boolean {
  const isOld = request.apiVersion !== undefined && request.apiVersion <= '2016-07-11';
  return isOld && typeof start === 'object' && 'time' in start;
}

function changesResponse(asked: Asked, place: Place, page: ChangePage, more: HeaderList = []): CosmosResponse {
  const { pieces, count, etag, isDrained, range } = page;
  checkEtag(etag);
  const headers = [...containerOwner(place), ...more, header.etag, etag, header.itemCount, String(count)];
  if (range !== undefined) {
    headers.push(...sessionHeaders(asked, range.id, range.tailLsn));
  }
  if (count === 0 && isDrained) return { status: 304, charge: pageCharge(0, 0), headers, body: undefined };
  const body = new PageBody(place.info.rid, pieces, count, page.release);
  return pageResponse(body, count, headers);
}
