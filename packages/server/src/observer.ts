// Watches requests come and go, and tells metrics and log.

import type { Database } from '@tidemark/engine';
import { isDatabaseError } from '@tidemark/model';
import { Exchange } from './exchange.ts';
import type { Log } from './log.ts';
import type { RequestTally } from './request-tally.ts';
import type { CosmosResponse } from './response.ts';

export interface ObserverOptions {
  readonly database: Database;
  readonly requests: RequestTally;
  readonly log: Log;
  readonly onDefect: ((error: unknown, activityId: string) => void) | undefined;
}

export class Observer {
  readonly #options: ObserverOptions;
  #healthSeen = 'ok';

  constructor(options: ObserverOptions) {
    this.#options = options;
  }

  begin(): Exchange {
    this.#options.requests.underWay += 1;
    return new Exchange();
  }

  /** Undefined: there was nobody left to answer. */
  end(exchange: Exchange, response: CosmosResponse | undefined): void {
    const { requests, log } = this.#options;
    const durationMs = performance.now() - exchange.startedMs;
    requests.underWay -= 1;
    if (response === undefined) {
      requests.unanswered += 1;
      log.unanswered(exchange, durationMs);
      return;
    }
    requests.record(exchange.operation, response.status, response.charge, durationMs);
    log.answered(exchange, response, durationMs);
    // Whatever is wrong with the engine shows in an answer first, and that it is right again when somebody asks.
    if (response.status >= 500 || this.#healthSeen !== 'ok') this.#noteHealth();
  }

  /** Of what is thrown only defects are worth telling. */
  failed(error: unknown, activityId: string): void {
    if (isDatabaseError(error) && error.code !== 'internal' && error.code !== 'corrupt') return;
    const { requests, log, onDefect } = this.#options;
    requests.defects += 1;
    log.defect(error, activityId);
    onDefect?.(error, activityId);
  }

  #noteHealth(): void {
    const { database, log } = this.#options;
    const { status, message } = database.health;
    if (status === this.#healthSeen) return;
    this.#healthSeen = status;
    log.health(status, message);
  }
}
