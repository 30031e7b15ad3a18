// The change feed as server-sent events: the same address, mode, scope and start as a page, without end.

import { DatabaseError, isDatabaseError } from '@tidemark/model';
import { ChangeStream } from '../change-stream.ts';
import { chargeMin } from '../charge.ts';
import { checkEtag } from '../feed-page.ts';
import { feedOf } from '../feed-request.ts';
import type { HandlerContext } from '../handler.ts';
import type { HeaderList } from '../header-list.ts';
import { streamPageBytesMax, streamsMax } from '../limits.ts';
import type { CosmosRequest } from '../request.ts';
import type { Place } from '../resources.ts';
import { findContainer } from '../resources.ts';
import type { CosmosResponse } from '../response.ts';
import { containerOwner, errorResponse } from '../response.ts';

export function streamChanges(request: CosmosRequest, context: HandlerContext): CosmosResponse {
  const { database, room, unsent, grant } = context;
  const place = findContainer(database, request.path);
  const { feed, range } = feedOf(request, place, context, streamPageBytesMax);
  // What is wrong with the start is an ordinary error, as long as there is no stream.
  checkEtag(feed.etag);
  if (room.streams >= streamsMax) {
    throw new DatabaseError('too-many-requests', 'There are as many event streams as there may be.', {
      retryAfterMs: 5_000,
    });
  }
  const { rid } = place.info;
  const admit = context.throttle?.meter(request, place);
  // A token may expire, a key be taken away, while the stream lives.
  const recheck = (): void => context.recheck(grant);
  const farewell = (error: unknown): { event: string; data: object } => farewellOf(error, place, range);
  return {
    status: 200,
    charge: chargeMin,
    headers: [...containerOwner(place), ...streamHeaders],
    contentType: 'text/event-stream',
    body: undefined,
    stream: (outgoing) => {
      void new ChangeStream(outgoing, { feed, rid, room, unsent, admit, recheck, farewell }).run();
    },
  };
}

const streamHeaders: HeaderList = [
  'cache-control',
  'no-cache',
  // A proxy that collects what it passes on would keep a change for itself until the next ones come.
  'x-accel-buffering',
  'no',
];

function farewellOf(error: unknown, { container }: Place, range: string | undefined): { event: string; data: object } {
  // An error's body is JSON that was made here.
  const { code, message } = JSON.parse(errorResponse(error).body?.toString('utf8') ?? '{}') as Record<string, string>;
  const isGone = isDatabaseError(error) && (error.code === 'range-gone' || error.code === 'range-unknown');
  if (!isGone || range === undefined) return { event: 'failed', data: { code, message } };
  const children = container.ranges.filter(({ parents }) => parents.includes(range)).map(({ id }) => id);
  return { event: 'gone', data: { code, message, range, children } };
}
