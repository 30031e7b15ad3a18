// The way of a request: readHead → authorize → routeOf → readBody → handler → send. Whatever is thrown on the way becomes an
// error with a body. What concerns every request hooks in here; what concerns connections is the server's.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Database } from '@tidemark/engine';
import { isDatabaseError } from '@tidemark/model';
import { Admin } from './admin/admin.ts';
import { isAdminUrl } from './admin/admin-request.ts';
import { authorize } from './authorize.ts';
import { readBody, readHead } from './request.ts';
import type { CosmosResponse } from './response.ts';
import { errorResponse, send } from './response.ts';
import { routeOf } from './route.ts';

export interface PipelineOptions {
  readonly database: Database;
  readonly masterKey: Buffer;
  readonly backupFolder: string | undefined;
  readonly onDefect: ((error: unknown, activityId: string) => void) | undefined;
  /** Whether connections take no further request, which every answer then says. */
  readonly isClosing: () => boolean;
}

export class Pipeline {
  readonly #options: PipelineOptions;
  readonly #admin: Admin;

  constructor(options: PipelineOptions) {
    const { database, masterKey, backupFolder } = options;
    this.#options = options;
    this.#admin = new Admin({
      database,
      masterKey,
      backupFolder,
      onJobFailure: (error, job) => this.#noteDefect(error, `job ${job.id}`),
    });
  }

  /** Stops what goes on without a request. */
  close(): Promise<void> {
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
    const { database, masterKey } = this.#options;
    if (isAdminUrl(incoming.url ?? '')) return this.#admin.answer(incoming);
    const head = readHead(incoming);
    authorize(head, masterKey, Date.now());
    const { handle } = routeOf(head);
    const body = await readBody(incoming);
    return body === undefined ? undefined : handle({ ...head, body }, { database });
  }

  #noteDefect(error: unknown, activityId: string): void {
    if (isDatabaseError(error) && error.code !== 'internal' && error.code !== 'corrupt') return;
    this.#options.onDefect?.(error, activityId);
  }
}
