// The admin API: what an operator asks of a running server, under /_tidemark/.

import type { Database } from '@tidemark/engine';
import { DatabaseError } from '@tidemark/model';
import type { Authority } from '../authorize.ts';
import type { Faults } from '../faults.ts';
import type { HttpRequest } from '../http/http-request.ts';
import type { HttpResponse } from '../http/http-response.ts';
import type { IncomingBodies } from '../incoming-bodies.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { readBody } from '../request.ts';
import type { CosmosResponse } from '../response.ts';
import { authorizeAdmin } from './admin-authorize.ts';
import type { AdminContext } from './admin-handler.ts';
import type { AdminHead } from './admin-request.ts';
import { readAdminHead } from './admin-request.ts';
import { matchAdmin } from './admin-route.ts';
import type { Job } from './jobs.ts';
import { Jobs } from './jobs.ts';

export interface AdminOptions extends Authority {
  readonly database: Database;
  readonly backupFolder: string | undefined;
  readonly faults: Faults | undefined;
  readonly metrics: Metrics;
  readonly operations: readonly string[];
  readonly log: Log;
  readonly bodies: IncomingBodies;
  /** When the server began, of `performance.now`. */
  readonly startedMs: number;
  /** Told of whatever ends a job early. */
  readonly onJobFailure: (error: unknown, job: Job) => void;
}

export class Admin {
  readonly #authority: Authority;
  readonly #context: AdminContext;
  readonly #log: Log;
  readonly #bodies: IncomingBodies;

  constructor({ keys, nowMs, log, bodies, onJobFailure, ...rest }: AdminOptions) {
    this.#log = log;
    this.#bodies = bodies;
    this.#authority = { keys, nowMs };
    this.#context = { ...rest, jobs: new Jobs(onJobFailure) };
  }

  /** Undefined when the client went away before the end of its request. */
  async answer(incoming: HttpRequest, outgoing: HttpResponse): Promise<CosmosResponse | undefined> {
    const signed = readAdminHead(incoming);
    // The answer leaves out its body by itself.
    const head = signed.verb === 'HEAD' ? { ...signed, verb: 'GET' } : signed;
    const isAuthorized = this.#authorize(signed, matchOpen(head));
    const match = matchAdmin(head);
    if (match === undefined) {
      throw new DatabaseError('not-found', `There is nothing at /${head.segments.join('/')} in the admin API.`);
    }
    // Who shows no key has no claim to have a body kept in memory.
    const body = isAuthorized ? await readBody(incoming, outgoing, this.#bodies) : noBytes;
    if (body === undefined) return undefined;
    const { route, parameters } = match;
    const response = await route.handle({ ...head, isAuthorized, parameters, body }, this.#context);
    // Who looks into what happened wants to know what was asked for.
    if (route.verb !== 'GET')
      this.#log.info('asked by admin API', { what: `${route.verb} ${route.path}`, ...placeOf(parameters) });
    return response;
  }

  /** Stops the jobs that are running. */
  close(): Promise<void> {
    return this.#context.jobs.close();
  }

  /** Throws what is wrong with a key that was shown, and where one is needed that none was. */
  #authorize(head: AdminHead, isOpen: boolean): boolean {
    if (isOpen && head.headers.authorization === undefined) return false;
    authorizeAdmin(head, this.#authority);
    return true;
  }
}

const noBytes: Buffer = Buffer.alloc(0);

function placeOf({ db, container }: Readonly<Record<string, string>>): Record<string, string> {
  return db === undefined || container === undefined ? {} : { database: db, container };
}

/** Which paths there are is nobody's business without a key, nor which verbs they have. */
function matchOpen(head: AdminHead): boolean {
  try {
    return matchAdmin(head)?.route.isOpen === true;
  } catch {
    return false;
  }
}
