// The way of a request: readHead → authorize → routeOf → readBody → handler → send. Whatever is thrown on the way becomes an
// error with a body. What concerns every request hooks in here; what concerns connections is the server's.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { Database } from '@tidemark/engine';
import { isDatabaseError } from '@tidemark/model';
import { Admin } from './admin/admin.ts';
import { isAdminUrl } from './admin/admin-request.ts';
import { authorize } from './authorize.ts';
import type { Strike } from './faults.ts';
import { Faults } from './faults.ts';
import { checkGrant } from './grant.ts';
import type { Keys } from './keys.ts';
import type { RequestHead } from './request.ts';
import { readBody, readHead } from './request.ts';
import type { CosmosResponse } from './response.ts';
import { errorResponse, send } from './response.ts';
import type { Operation } from './route.ts';
import { operations, routeOf } from './route.ts';

export interface PipelineOptions {
  readonly database: Database;
  readonly keys: Keys;
  nowMs(): number;
  readonly backupFolder: string | undefined;
  readonly chaos: boolean;
  readonly onDefect: ((error: unknown, activityId: string) => void) | undefined;
  /** Whether connections take no further request, which every answer then says. */
  readonly isClosing: () => boolean;
}

export class Pipeline {
  readonly #options: PipelineOptions;
  readonly #admin: Admin;
  readonly #faults: Faults | undefined;

  constructor(options: PipelineOptions) {
    const { database, keys, nowMs, backupFolder, chaos } = options;
    this.#options = options;
    this.#faults = chaos ? new Faults(() => performance.now()) : undefined;
    this.#admin = new Admin({
      database,
      keys,
      nowMs,
      backupFolder,
      faults: this.#faults,
      operations,
      onJobFailure: (error, job) => this.#noteDefect(error, `job ${job.id}`),
    });
  }

  /** Stops what goes on without a request. */
  close(): Promise<void> {
    this.#faults?.close();
    return this.#admin.close();
  }

  /** Never rejects. */
  async answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { isClosing } = this.#options;
    const activityId = randomUUID();
    try {
      const response = await this.#respond(incoming);
      if (response === undefined || outgoing.destroyed) return;
      send(outgoing, response, activityId, isClosing());
    } catch (error) {
      this.#noteDefect(error, activityId);
      if (!outgoing.headersSent) send(outgoing, errorResponse(error), activityId, isClosing());
    }
  }

  async #respond(incoming: IncomingMessage): Promise<CosmosResponse | undefined> {
    if (isAdminUrl(incoming.url ?? '')) return this.#admin.answer(incoming);
    const head = readHead(incoming);
    const grant = authorize(head, this.#options);
    const route = routeOf(head);
    checkGrant(grant, route);
    if (this.#faults !== undefined) return this.#respondWithFaults(this.#faults, incoming, head, route);
    return this.#handle(incoming, head, route);
  }

  async #handle(incoming: IncomingMessage, head: RequestHead, route: Operation): Promise<CosmosResponse | undefined> {
    const { database } = this.#options;
    const body = await readBody(incoming);
    return body === undefined ? undefined : route.handle({ ...head, body }, { database });
  }

  async #respondWithFaults(
    faults: Faults,
    incoming: IncomingMessage,
    head: RequestHead,
    route: Operation,
  ): Promise<CosmosResponse | undefined> {
    const { database } = this.#options;
    const before = await faults.strike('before', route.operation, head.path, database);
    if (before !== undefined) return replaced(before, incoming);
    let response: CosmosResponse | undefined;
    try {
      response = await this.#handle(incoming, head, route);
    } catch (error) {
      const after = await faults.strike('after', route.operation, head.path, database);
      if (after === undefined) throw error;
      return replaced(after, incoming);
    }
    const after = await faults.strike('after', route.operation, head.path, database);
    return after === undefined ? response : replaced(after, incoming);
  }

  #noteDefect(error: unknown, activityId: string): void {
    if (isDatabaseError(error) && error.code !== 'internal' && error.code !== 'corrupt') return;
    this.#options.onDefect?.(error, activityId);
  }
}

/** Undefined when there is nobody left to answer. */
function replaced(strike: Strike, { socket }: IncomingMessage): CosmosResponse | undefined {
  if (strike !== 'reset') return strike;
  // Below TLS there is no socket of TCP that could be reset.
  if ((socket as TLSSocket).encrypted === true) socket.destroy();
  else socket.resetAndDestroy();
  return undefined;
}
