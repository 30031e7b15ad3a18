// The way of a request: readHead → authorize → routeOf → readBody → handler → send. Whatever is thrown on the way becomes an
// error with a body. What concerns every request hooks in here; what concerns connections is the listener's.

import type { TLSSocket } from 'node:tls';
import type { Database } from '@tidemark/engine';
import type { ConsistencyLevel } from '@tidemark/model';
import { DatabaseError } from '@tidemark/model';
import type { Admin } from './admin/admin.ts';
import { isAdminUrl } from './admin/admin-request.ts';
import { authorize, recheck } from './authorize.ts';
import { checkConsistency } from './consistency.ts';
import type { Cors } from './cors.ts';
import type { Exchange } from './exchange.ts';
import { adminOperation } from './exchange.ts';
import type { Strike } from './faults.ts';
import { Faults } from './faults.ts';
import type { Grant } from './grant.ts';
import { checkGrant } from './grant.ts';
import type { HandlerContext } from './handler.ts';
import { checkHints } from './hints.ts';
import type { HttpRequest } from './http/http-request.ts';
import type { HttpResponse } from './http/http-response.ts';
import type { IncomingBodies } from './incoming-bodies.ts';
import { checkIntendedContainer, checkNoDocumentMeant } from './intended-container.ts';
import type { Keys } from './keys.ts';
import { unsentMsMin } from './limits.ts';
import type { ListenerFigures } from './listener.ts';
import type { Log } from './log.ts';
import { Metrics } from './metrics.ts';
import { Observer } from './observer.ts';
import { Outbox } from './outbox.ts';
import { OwnNames } from './own-names.ts';
import type { CosmosRequest, RequestHead } from './request.ts';
import { checkTextBody, readBody, readHead } from './request.ts';
import type { ResourceTokens } from './resource-token.ts';
import type { CosmosResponse } from './response.ts';
import { emptyResponse, errorResponse, send } from './response.ts';
import type { Operation } from './route.ts';
import { operations, routeOf } from './route.ts';
import { Throttle } from './throttle.ts';
import type { UnsentAnswers } from './unsent.ts';
import type { WaitingRoom } from './waiting-room.ts';
import { withRange, writeOf } from './written-range.ts';

export interface PipelineOptions {
  readonly database: Database;
  readonly keys: Keys;
  readonly tokens: ResourceTokens;
  nowMs(): number;
  readonly backupFolder: string | undefined;
  readonly chaos: boolean;
  /** The clock by which throughput is enforced; undefined: it is not. */
  readonly throttleClock: (() => number) | undefined;
  readonly log: Log;
  readonly connections: () => ListenerFigures;
  readonly onDefect: ((error: unknown, activityId: string) => void) | undefined;
  readonly publicUrl: string | undefined;
  /** Of the account. */
  readonly consistency: ConsistencyLevel;
  /** Cross-partition queries that clients can put together are answered with their plan. */
  readonly plansFirst: boolean;
  /** The well-known key was allowed in so many words. */
  readonly insecureDefaultKey: boolean;
  /** Undefined: pages of other origins may not use it. */
  readonly cors: Cors | undefined;
  readonly room: WaitingRoom;
  readonly unsent: UnsentAnswers;
  readonly bodies: IncomingBodies;
}

export class Pipeline {
  readonly #options: PipelineOptions;
  readonly #startedMs: number = performance.now();
  #admin: Promise<Admin> | undefined;
  readonly #faults: Faults | undefined;
  readonly #throttle: Throttle | undefined;
  readonly #metrics: Metrics;
  readonly #observer: Observer;
  readonly #outbox = new Outbox();
  readonly #names: OwnNames;
  readonly #recheck = (grant: Grant): void => recheck(grant, this.#options);

  constructor(options: PipelineOptions) {
    const { database, room, chaos, throttleClock, log, connections, onDefect } = options;
    this.#options = options;
    const { keys, publicUrl, insecureDefaultKey: isOpen } = options;
    this.#names = new OwnNames({ keys, publicUrl, isOpen });
    this.#throttle = throttleClock === undefined ? undefined : new Throttle(database, throttleClock);
    const faults = chaos ? new Faults(() => performance.now()) : undefined;
    this.#faults = faults;
    this.#metrics = new Metrics({ database, room, connections, faultHits: () => faults?.hits ?? 0 });
    this.#observer = new Observer({ database, requests: this.#metrics.requests, log, onDefect });
  }

  /** Stops what goes on without a request. */
  async close(): Promise<void> {
    this.#faults?.close();
    this.#metrics.close();
    await (await this.#admin)?.close();
  }

  /** What went wrong outside of any request. */
  failed(error: unknown, where: string): void {
    this.#observer.failed(error, where);
  }

  /** Never throws. What has its answer at hand makes no promise: one for each step would cost more than most steps. */
  answer(incoming: HttpRequest, outgoing: HttpResponse): void {
    const exchange = this.#observer.begin();
    let response: Soon;
    try {
      response = this.#respond(incoming, outgoing, exchange);
    } catch (error) {
      response = this.#failure(error, exchange);
    }
    if (!(response instanceof Promise)) {
      this.#post(outgoing, exchange, response, false);
      return;
    }
    response.then(
      (late) => this.#post(outgoing, exchange, late, true),
      (error: unknown) => this.#post(outgoing, exchange, this.#failure(error, exchange), true),
    );
  }

  #failure(error: unknown, exchange: Exchange): CosmosResponse {
    this.#observer.failed(error, exchange.activityId);
    return errorResponse(error);
  }

  #post(outgoing: HttpResponse, exchange: Exchange, found: CosmosResponse | undefined, hasWaited: boolean): void {
    const response = found === undefined ? undefined : this.#withRange(exchange, found);
    this.#outbox.put(response?.body?.length ?? 0, () => this.#send(outgoing, exchange, response), hasWaited);
  }

  #withRange({ write, activityId }: Exchange, response: CosmosResponse): CosmosResponse {
    if (write === undefined) return response;
    try {
      return withRange(response, write, this.#options.database);
    } catch (error) {
      // What names no container, or no partition key of it, names no range.
      this.#observer.failed(error, activityId);
      return response;
    }
  }

  #send(outgoing: HttpResponse, exchange: Exchange, found: CosmosResponse | undefined): void {
    let response = found;
    const { unsent, room } = this.#options;
    if (response === undefined || outgoing.destroyed || outgoing.headersSent) {
      room.forget(outgoing);
      this.#observer.end(exchange, undefined);
      return;
    }
    const hasRoom = unsent.admit(heldBytesOf(response));
    // What has been written has been written, and has to be said.
    if (!hasRoom && isRead(outgoing, exchange)) {
      response.onSent?.();
      response = errorResponse(tooMuchUnsent());
    }
    try {
      send(outgoing, response, exchange.activityId, room.isClosing);
    } catch (error) {
      // There is no answer to be given about an answer.
      this.#observer.failed(error, exchange.activityId);
      outgoing.destroy();
    }
    // A stream says itself when it is not taken.
    if (response.stream === undefined) unsent.note(outgoing, heldBytesOf(response));
    room.answered(outgoing);
    this.#observer.end(exchange, response);
  }

  #respond(incoming: HttpRequest, outgoing: HttpResponse, exchange: Exchange): Soon {
    this.#names.check(incoming.headers.host);
    if (isAdminUrl(incoming.url)) {
      exchange.operation = adminOperation;
      return this.#openAdmin().then((admin) => admin.answer(incoming, outgoing));
    }
    const { cors } = this.#options;
    cors?.apply(incoming, outgoing);
    if (cors?.isPreflight(incoming) === true) return emptyResponse(204, cors.preflightHeaders(incoming), 0);
    const signed = readHead(incoming);
    exchange.path = signed.path;
    const grant = authorize(signed, this.#options);
    // The answer leaves out its body by itself.
    const head = signed.verb === 'HEAD' ? { ...signed, verb: 'GET' } : signed;
    const route = routeOf(head);
    exchange.operation = route.operation;
    const context = new RequestContext(this.#options, this.#throttle, outgoing, { grant, recheck: this.#recheck });
    const checking = checkGrant(grant, route, head, this.#options.database);
    if (checking === undefined) return this.#respondGranted(incoming, head, route, context, exchange);
    return checking.then(() => this.#respondGranted(incoming, head, route, context, exchange));
  }

  /** Loaded when it is asked for first: no client needs it, and every start would have to wait for it. */
  #openAdmin(): Promise<Admin> {
    const { database, keys, nowMs, backupFolder, log, bodies } = this.#options;
    this.#admin ??= import('./admin/admin.ts').then(
      (module) =>
        new module.Admin({
          database,
          keys,
          nowMs,
          backupFolder,
          bodies,
          faults: this.#faults,
          metrics: this.#metrics,
          operations,
          log,
          startedMs: this.#startedMs,
          onJobFailure: (error, job) => this.#observer.failed(error, `job ${job.id}`),
        }),
    );
    return this.#admin;
  }

  #respondGranted(
    incoming: HttpRequest,
    head: RequestHead,
    route: Operation,
    context: RequestContext,
    exchange: Exchange,
  ): Soon {
    exchange.write = writeOf(head, route, context.grant);
    checkNoDocumentMeant(head);
    checkIntendedContainer(head, this.#options.database);
    checkConsistency(head, this.#options.consistency);
    checkHints(head);
    if (this.#faults !== undefined) return this.#respondWithFaults(this.#faults, incoming, head, route, context);
    return this.#handle(incoming, head, route, context);
  }

  #handle(incoming: HttpRequest, head: RequestHead, route: Operation, context: RequestContext): Soon {
    const body = readBody(incoming, context.outgoing, this.#options.bodies, route.bodyOf);
    if (!(body instanceof Promise)) return this.#handleWhole(head, body, route, context);
    return body.then((whole) => this.#handleReceived(head, whole, route, context));
  }

  /** While the body came in, a token may have ended, and another container have taken the name of the one it is for. */
  #handleReceived(head: RequestHead, body: Buffer | undefined, route: Operation, context: RequestContext): Soon {
    if (body === undefined) return undefined;
    context.recheck(context.grant);
    const checking = checkGrant(context.grant, route, head, context.database);
    if (checking === undefined) return this.#handleWhole(head, body, route, context);
    return checking.then(() => this.#handleWhole(head, body, route, context));
  }

  #handleWhole(head: RequestHead, body: Buffer, route: Operation, context: RequestContext): Soon {
    checkTextBody(body);
    const { verb, path, headers, apiVersion, isSecure } = head;
    const request: CosmosRequest = { verb, path, headers, apiVersion, isSecure, body };
    const { throttle } = context;
    if (throttle === undefined || route.isMetered !== true) return route.handle(request, context);
    return throttle.run(request, () => route.handle(request, context));
  }

  async #respondWithFaults(
    faults: Faults,
    incoming: HttpRequest,
    head: RequestHead,
    route: Operation,
    context: RequestContext,
  ): Promise<CosmosResponse | undefined> {
    const { database } = context;
    const before = await faults.strike('before', route.operation, head.path, database);
    if (before !== undefined) return replaced(before, incoming);
    let response: CosmosResponse | undefined;
    try {
      response = await this.#handle(incoming, head, route, context);
    } catch (error) {
      const after = await faults.strike('after', route.operation, head.path, database);
      if (after === undefined) throw error;
      return replaced(after, incoming);
    }
    const after = await faults.strike('after', route.operation, head.path, database);
    return after === undefined ? response : replaced(after, incoming);
  }
}

type Soon = CosmosResponse | undefined | Promise<CosmosResponse | undefined>;

/** Made for every request, so it is small. */
class RequestContext implements HandlerContext {
  readonly database: Database;
  readonly publicUrl: string | undefined;
  readonly consistency: ConsistencyLevel;
  readonly plansFirst: boolean;
  readonly throttle: Throttle | undefined;
  readonly outgoing: HttpResponse;
  readonly grant: Grant;
  readonly recheck: (grant: Grant) => void;
  readonly tokens: ResourceTokens;
  readonly room: WaitingRoom;
  readonly unsent: UnsentAnswers;

  constructor(
    { database, tokens, publicUrl, consistency, plansFirst, room, unsent }: PipelineOptions,
    throttle: Throttle | undefined,
    outgoing: HttpResponse,
    granted: { readonly grant: Grant; readonly recheck: (grant: Grant) => void },
  ) {
    this.database = database;
    this.tokens = tokens;
    this.grant = granted.grant;
    this.recheck = granted.recheck;
    this.publicUrl = publicUrl;
    this.consistency = consistency;
    this.plansFirst = plansFirst;
    this.throttle = throttle;
    this.room = room;
    this.unsent = unsent;
    this.outgoing = outgoing;
  }
}

/** Queries are read with POST, their pages are as large as others. */
function isRead({ req }: HttpResponse, { operation }: Exchange): boolean {
  return req.method === 'GET' || operation === 'query';
}

function heldBytesOf({ heldBytes, body }: CosmosResponse): number {
  return heldBytes ?? body?.length ?? 0;
}

function tooMuchUnsent(): DatabaseError {
  return new DatabaseError('unavailable', 'Other clients have to take their answers first; try again in a moment.', {
    retryAfterMs: unsentMsMin,
  });
}

/** Undefined when there is nobody left to answer. */
function replaced(strike: Strike, { socket }: HttpRequest): CosmosResponse | undefined {
  if (strike !== 'reset') return strike;
  // Below TLS there is no socket of TCP that could be reset.
  if ((socket as TLSSocket).encrypted === true) socket.destroy();
  else socket.resetAndDestroy();
  return undefined;
}
