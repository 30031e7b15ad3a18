// One page of the change feed, as an answer or an event needs it.

import type { ChangeFeed, ChangePage } from '@tidemark/engine';
import { DatabaseError } from '@tidemark/model';
import { feedEtagBytesMax, scansPerRequestMax } from './limits.ts';
import { inTurn } from './page-turn.ts';

/**
 * Wire: a page without items is a 304 (wire 11.5). One that has only looked at much without finding anything is followed by
 * the next; after a bound the client gets it, with the position to go on from.
 */
export async function readPage(feed: ChangeFeed<unknown>): Promise<ChangePage> {
  for (let scans = 1; ; scans += 1) {
    const page = await inTurn(() => feed.page());
    if (page.count > 0 || page.isDrained || scans === scansPerRequestMax) return page;
  }
}

/** It has to fit a header when it comes back. */
export function checkEtag(etag: string): void {
  if (etag.length <= feedEtagBytesMax) return;
  const message = `This container has too many ranges for one position of all of it (${etag.length} bytes, at most ${feedEtagBytesMax}).`;
  throw new DatabaseError('bad-request', `${message} Read it by range, by partition key or by parts of its keys.`);
}
