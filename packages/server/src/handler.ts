// What every handler is: from a request to an answer.

import type { Database } from '@tidemark/engine';
import type { ConsistencyLevel } from '@tidemark/model';
import type { Grant } from './grant.ts';
import type { CosmosRequest } from './request.ts';
import type { ResourceTokens } from './resource-token.ts';
import type { CosmosResponse } from './response.ts';
import type { Throttle } from './throttle.ts';
import type { UnsentAnswers } from './unsent.ts';
import type { Client, WaitingRoom } from './waiting-room.ts';

export interface HandlerContext {
  readonly database: Database;
  /** Where clients reach the server, if that is not where they say they do: behind a proxy. With a slash at its end. */
  readonly publicUrl: string | undefined;
  /** Of the account. */
  readonly consistency: ConsistencyLevel;
  /** Cross-partition queries that clients can put together are answered with their plan, as the service does. */
  readonly plansFirst: boolean;
  /** Where a request waits for something to happen, and the answer it owes. */
  readonly room: WaitingRoom;
  readonly outgoing: Client;
  /** What clients have not taken yet. */
  readonly unsent: UnsentAnswers;
  /** Undefined: nothing is throttled. A handler uses it only where its route is not metered as a whole. */
  readonly throttle: Throttle | undefined;
  /** What the one who asks may do; the route has been checked against it. */
  readonly grant: Grant;
  /** Throws when a grant that was good when the request came is no more: for answers that come much later. */
  readonly recheck: (grant: Grant) => void;
  readonly tokens: ResourceTokens;
}

type Answer = CosmosResponse | undefined;

/** Undefined when the client went away and nobody is left to answer. */
export type Handler = (request: CosmosRequest, context: HandlerContext) => Answer | Promise<Answer>;
