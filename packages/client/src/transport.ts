// One request over the network: signed, bounded in time, repeated where that is safe. What it asks for is the business of
// the files above.

import type { HeaderName } from '@tidemark/model';
import { DatabaseError, header, isDatabaseError } from '@tidemark/model';
import type { Authorizer, Credential } from './credential.ts';
import { authorizer } from './credential.ts';
import type { Environment } from './environment.ts';
import { notNeeded } from './environment.ts';
import { requestMsMax, retryMsMax } from './limits.ts';
import { signedPartsOf } from './request-path.ts';
import { codeOfForeign, codeOfStatus, foreignMessage, messageOf, RestError, reasonIn } from './rest-error.ts';
import type { FailureKind } from './retry.ts';
import { brokenMessage, failureOfConnection, failureOfStatus, pauseMs } from './retry.ts';

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Of one try, from sending to the last byte of the answer. */
  readonly timeoutMs?: number | undefined;
  /** Of all tries together; 0 makes it one. */
  readonly retryMsMax?: number | undefined;
}

export interface RestRequest extends CallOptions {
  readonly verb: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Percent-encoded, with its leading slash. */
  readonly path: string;
  readonly headers?: Readonly<Partial<Record<HeaderName, string>>> | undefined;
  readonly body?: Uint8Array | string | undefined;
  /** Doing it twice is as good as doing it once. A GET always is. */
  readonly isIdempotent?: boolean;
  /** Statuses that are answers to this request rather than errors, beside those of 200 to 299. */
  readonly accepts?: readonly number[];
}

export class RestResponse {
  readonly status: number;
  readonly body: Buffer;
  readonly #endpoint: string;
  readonly #headers: Headers;

  constructor(endpoint: string, status: number, headers: Headers, body: Buffer) {
    this.#endpoint = endpoint;
    this.status = status;
    this.#headers = headers;
    this.body = body;
  }

  header(name: HeaderName): string | undefined {
    return this.#headers.get(name) ?? undefined;
  }

  numberHeader(name: HeaderName): number | undefined {
    const text = this.header(name);
    const value = text === undefined || text === '' ? Number.NaN : Number(text);
    return Number.isNaN(value) ? undefined : value;
  }

  /** As sent, with its quotes. */
  get etag(): string | undefined {
    return this.header(header.etag);
  }

  get charge(): number {
    return this.numberHeader(header.charge) ?? 0;
  }

  /** Whoever speaks the protocol shows it in some header, or in the body of an error. Here it is in neither. */
  get isForeign(): boolean {
    if (ownHeaders.some((name) => this.#headers.has(name))) return false;
    return reasonIn(this.body.toString('utf8')).code === undefined;
  }

  json(): unknown {
    try {
      return JSON.parse(this.body.toString('utf8'));
    } catch (error) {
      throw new DatabaseError('bad-request', foreignMessage(this.status, this.#endpoint), { cause: error });
    }
  }
}

/** Every answer of the service has an activity id; an emulator may leave it out, and hardly all of these. */
const ownHeaders: readonly HeaderName[] = [
  header.activityId,
  header.substatus,
  header.charge,
  header.sessionToken,
  header.retryAfterMs,
];

export interface TransportOptions extends Omit<CallOptions, 'signal'> {
  /** `https://host:port`, with or without a slash at its end. */
  readonly endpoint: string;
  readonly credential: Credential;
  readonly environment: Environment;
  readonly userAgent?: string | undefined;
}

/** Wire: what today's clients send (wire 1). */
const apiVersion = '2020-07-15';

type Outcome =
  | { readonly response: RestResponse }
  | { readonly error: DatabaseError; readonly kind: FailureKind; readonly cause?: unknown };

export class Transport {
  readonly endpoint: string;
  readonly #authorizer: Authorizer;
  readonly #environment: Environment;
  readonly #userAgent: string;
  readonly #timeoutMs: number;
  readonly #retryMsMax: number;

  constructor(options: TransportOptions) {
    this.endpoint = readEndpoint(options.endpoint);
    this.#authorizer = authorizer(options.credential);
    this.#environment = options.environment;
    this.#userAgent = options.userAgent ?? 'tidemark';
    this.#timeoutMs = options.timeoutMs ?? requestMsMax;
    this.#retryMsMax = options.retryMsMax ?? retryMsMax;
  }

  /** Throws a DatabaseError, which is a RestError where the server answered, or the reason of the signal. */
  async send(request: RestRequest): Promise<RestResponse> {
    const { clock } = this.#environment;
    const deadlineMs = clock.nowMs() + (request.retryMsMax ?? this.#retryMsMax);
    let isRefused = false;
    for (let attempt = 0; ; attempt += 1) {
      request.signal?.throwIfAborted();
      const outcome = await this.#try(request, isRefused);
      if ('response' in outcome) return outcome.response;
      const { error, kind } = outcome;
      // Keys are rotated and tokens expire: once per call whoever gave the credential is asked for another.
      if (this.#authorizer.isRenewable && !isRefused && isRefusal(error)) {
        isRefused = true;
        continue;
      }
      const pause = pauseMs(attempt, error.retryAfterMs, this.#environment);
      const isRepeatable = kind === 'not-done' || (kind === 'maybe-done' && isIdempotent(request));
      if (!isRepeatable || clock.nowMs() + pause > deadlineMs) throw error;
      await clock.sleep(pause, request.signal);
    }
  }

  async #try(request: RestRequest, isRefused: boolean): Promise<Outcome> {
    const { clock } = this.#environment;
    const isWrite = request.verb !== 'GET';
    const timeoutMs = request.timeoutMs ?? this.#timeoutMs;
    const stop = new AbortController();
    const done = new AbortController();
    const abort = (): void => stop.abort();
    let isLate = false;
    request.signal?.addEventListener('abort', abort, { once: true });
    void clock.sleep(timeoutMs, done.signal).then(() => {
      if (done.signal.aborted) return;
      isLate = true;
      stop.abort();
    });
    try {
      const headers = await this.#headersOf(request, isRefused);
      const answer = await this.#environment.fetch(`${this.endpoint}${request.path}`, {
        method: request.verb,
        headers,
        body: request.body ?? null,
        signal: stop.signal,
        // A signature is for one address: it is not carried to another.
        redirect: 'manual',
      });
      const body = Buffer.from(await answer.arrayBuffer());
      return this.#outcomeOf(request, new RestResponse(this.endpoint, answer.status, answer.headers, body));
    } catch (error) {
      request.signal?.throwIfAborted();
      if (isDatabaseError(error)) throw error;
      if (isLate) {
        const message = `${this.endpoint} has not answered within ${timeoutMs / 1000} seconds.`;
        return {
          error: new DatabaseError(isWrite ? 'outcome-unknown' : 'request-timeout', message),
          kind: 'maybe-done',
        };
      }
      return this.#broken(error, isWrite);
    } finally {
      done.abort(notNeeded);
      request.signal?.removeEventListener('abort', abort);
    }
  }

  async #headersOf(request: RestRequest, isRefused: boolean): Promise<Record<string, string>> {
    const date = new Date(this.#environment.clock.nowMs()).toUTCString();
    const { header: authorization, isDated } = await this.#authorizer.authorize({
      verb: request.verb,
      ...signedPartsOf(request.path),
      date,
      isRefused,
    });
    return {
      [header.authorization]: authorization,
      ...(isDated ? { [header.date]: date } : {}),
      [header.version]: apiVersion,
      'user-agent': this.#userAgent,
      ...request.headers,
    };
  }

  #broken(error: unknown, isWrite: boolean): Outcome {
    // fetch hides what happened to the connection one level down; an error without that level is a mistake in the request.
    const { cause } = Object(error) as { cause?: { code?: unknown; message?: unknown } };
    if (cause === undefined) throw error;
    const code = typeof cause.code === 'string' ? cause.code : undefined;
    const kind = failureOfConnection(code);
    const message = brokenMessage(this.endpoint, code ?? String(cause.message ?? cause));
    const isOpen = isWrite && kind === 'maybe-done';
    return { error: new DatabaseError(isOpen ? 'outcome-unknown' : 'unavailable', message, { cause: error }), kind };
  }

  #outcomeOf(request: RestRequest, response: RestResponse): Outcome {
    const { status } = response;
    const isDone = status >= 200 && status < 300;
    const isForeign = !isDone && status !== 304 && response.isForeign;
    // That a document is not there, another program cannot say.
    if (isDone || (request.accepts?.includes(status) === true && !isForeign)) return { response };
    const isWrite = request.verb !== 'GET';
    const substatus = response.numberHeader(header.substatus);
    const message = isForeign
      ? foreignMessage(status, this.endpoint)
      : messageOf(status, response.body.toString('utf8'));
    const code = isForeign ? codeOfForeign(status, isWrite) : codeOfStatus(status, substatus, isWrite, message);
    const error = new RestError(code, message, {
      status,
      substatus,
      activityId: response.header(header.activityId),
      retryAfterMs: response.numberHeader(header.retryAfterMs),
      isForeign,
    });
    return { error, kind: failureOfStatus(status) };
  }
}

function isRefusal({ code }: DatabaseError): boolean {
  return code === 'unauthorized' || code === 'forbidden';
}

function isIdempotent(request: RestRequest): boolean {
  return request.verb === 'GET' || request.isIdempotent === true;
}

function readEndpoint(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new DatabaseError('bad-request', `An endpoint is a URL such as https://localhost:8081, not '${text}'.`);
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new DatabaseError(
      'bad-request',
      'An endpoint has scheme, host and port and nothing else: no user, no query.',
    );
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}
