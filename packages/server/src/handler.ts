// What every handler is: from a request to an answer.

import type { Database } from '@tidemark/engine';
import type { Grant } from './grant.ts';
import type { CosmosRequest } from './request.ts';
import type { ResourceTokens } from './resource-token.ts';
import type { CosmosResponse } from './response.ts';
import type { Throttle } from './throttle.ts';

export interface HandlerContext {
  readonly database: Database;
  /** Where clients reach the server, if that is not where they say they do: behind a proxy. With a slash at its end. */
  readonly publicUrl: string | undefined;
  /**
   * For a request that waits: aborted when the client has gone or the server closes. It then has to be answered at once. Ask
   * for it only when there is something to wait for.
   */
  stopSignal(): AbortSignal;
  /** Undefined: nothing is throttled. A handler uses it only where its route is not metered as a whole. */
  readonly throttle: Throttle | undefined;
  /** What the one who asks may do; the route has been checked against it. */
  readonly grant: Grant;
  readonly tokens: ResourceTokens;
}

export type Handler = (request: CosmosRequest, context: HandlerContext) => CosmosResponse | Promise<CosmosResponse>;
