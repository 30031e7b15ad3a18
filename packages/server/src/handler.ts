// What every handler is: from a request to an answer.

import type { Database } from '@tidemark/engine';
import type { CosmosRequest } from './request.ts';
import type { CosmosResponse } from './response.ts';

export interface HandlerContext {
  readonly database: Database;
}

export type Handler = (request: CosmosRequest, context: HandlerContext) => CosmosResponse | Promise<CosmosResponse>;
