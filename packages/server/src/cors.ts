// Which web pages of other origins may use the server from a browser. None, unless its owner says so.

import { DatabaseError, header } from '@tidemark/model';
import type { HeaderList } from './header-list.ts';
import type { HttpRequest } from './http/http-request.ts';
import type { HttpResponse } from './http/http-response.ts';
import { preflightSeconds } from './limits.ts';

export class Cors {
  readonly #origins: ReadonlySet<string>;
  readonly #isOpen: boolean;

  /** Origins such as `https://app.example:8443`, or `*` for all. Throws bad-request. */
  constructor(origins: readonly string[]) {
    for (const origin of origins) checkOrigin(origin);
    this.#origins = new Set(origins);
    this.#isOpen = this.#origins.has('*');
  }

  /** Says on the answer, whatever it will be, whether the page that asked may see it. */
  apply({ headers }: HttpRequest, outgoing: HttpResponse): void {
    if (!this.#isOpen) outgoing.setHeader('vary', 'Origin');
    const allowed = this.#allowed(headers.origin);
    if (allowed === undefined) return;
    outgoing.setHeader('access-control-allow-origin', allowed);
    outgoing.setHeader('access-control-expose-headers', exposedHeaders);
  }

  /** A browser asks before it sends what a form could not; that is answered without a signature. */
  isPreflight({ method, headers }: HttpRequest): boolean {
    return method === 'OPTIONS' && headers.origin !== undefined && headers[requestedMethod] !== undefined;
  }

  /** What the answer to it says. Throws forbidden. */
  preflightHeaders({ headers }: HttpRequest): HeaderList {
    if (this.#allowed(headers.origin) === undefined) {
      throw new DatabaseError(
        'forbidden',
        'Pages of this origin may not use the server; --cors-origin says which may.',
      );
    }
    const asked = headers[requestedHeaders];
    return [
      'access-control-allow-methods',
      'GET, HEAD, POST, PUT, PATCH, DELETE',
      // Clients add headers of their own all the time, and none is a danger by itself.
      ...(asked === undefined ? [] : ['access-control-allow-headers', String(asked)]),
      // A page of the internet may only reach into a private network, such as this machine, if that is said as well.
      ...(headers[requestedNetwork] === 'true' ? ['access-control-allow-private-network', 'true'] : []),
      'access-control-max-age',
      String(preflightSeconds),
    ];
  }

  #allowed(origin: string | undefined): string | undefined {
    if (origin === undefined) return undefined;
    if (this.#isOpen) return '*';
    return this.#origins.has(origin) ? origin : undefined;
  }
}

const requestedMethod = 'access-control-request-method';
const requestedHeaders = 'access-control-request-headers';
const requestedNetwork = 'access-control-request-private-network';

/** What clients read of an answer, beyond the few that a browser shows anyway. */
const exposedHeaders: string = [
  header.etag,
  header.activityId,
  header.charge,
  header.continuation,
  header.itemCount,
  header.substatus,
  header.retryAfterMs,
  header.sessionToken,
  header.lsn,
  header.rangeId,
  header.ownerRid,
  header.ownerPath,
  header.schemaVersion,
  header.preferenceApplied,
  header.resourceQuota,
  header.resourceUsage,
  header.indexProgress,
  header.offerReplacePending,
  header.throughputLeast,
].join(', ');

function checkOrigin(origin: string): void {
  if (origin === '*') return;
  if (URL.canParse(origin) && new URL(origin).origin === origin) return;
  const message = 'An origin is a scheme, a host and perhaps a port, such as https://app.example:8443, or * for all.';
  throw new DatabaseError('bad-request', `${message} ${JSON.stringify(origin)} is none.`);
}
