// A request to the admin API: its path in pieces, its body as JSON. What is not asked for is refused, so that a misspelt
// member is not one that is silently left out.

import type { IncomingHttpHeaders } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { DatabaseError } from '@tidemark/model';
import type { HttpRequest } from '../http/http-request.ts';

export interface AdminHead {
  readonly verb: string;
  /** Decoded, without empty ones: `['_tidemark', 'health']`. */
  readonly segments: readonly string[];
  readonly headers: IncomingHttpHeaders;
  /** Nobody on the way can read along: it came over TLS, or from this machine. */
  readonly isPrivate: boolean;
}

export interface AdminRequest extends AdminHead {
  /** What stands for the `{names}` of the route's path. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Of the endpoints that anybody may ask, whether this one showed a key. */
  readonly isAuthorized: boolean;
  readonly body: Buffer;
}

export function isAdminUrl(url: string): boolean {
  if (!url.startsWith('/_tidemark')) return false;
  const next = url.charAt('/_tidemark'.length);
  return next === '' || next === '/' || next === '?';
}

export function readAdminHead(incoming: HttpRequest): AdminHead {
  const [path = ''] = incoming.url.split('?', 1);
  const segments = path.split('/').filter((segment) => segment !== '');
  const isPrivate = (incoming.socket as TLSSocket).encrypted === true || isLoopback(incoming.socket.remoteAddress);
  return { verb: incoming.method, segments: segments.map(decoded), headers: incoming.headers, isPrivate };
}

/** The members of the body, none of which may be one that is not in `names`. No body is an empty object. */
export function membersOf<T extends string>(
  request: AdminRequest,
  names: readonly T[],
): Readonly<Partial<Record<T, unknown>>> {
  let value: unknown = {};
  try {
    if (request.body.length > 0) value = JSON.parse(request.body.toString('utf8'));
  } catch (error) {
    throw new DatabaseError('bad-request', 'The body of the request is not valid JSON.', { cause: error });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new DatabaseError('bad-request', 'The body of the request must be a JSON object.');
  }
  for (const name of Object.keys(value)) {
    if (!names.some((known) => known === name)) {
      const known = names.length === 0 ? 'none' : names.join(', ');
      throw new DatabaseError(
        'bad-request',
        `The body may have these members: ${known}; '${name}' is not one of them.`,
      );
    }
  }
  return value as Partial<Record<T, unknown>>; // Its names have just been checked.
}

export function textMember(name: string, value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  throw new DatabaseError('bad-request', `'${name}' must be a string.`);
}

function isLoopback(address: string | undefined): boolean {
  if (address === undefined) return false;
  return address === '::1' || address.startsWith('127.') || address.startsWith('::ffff:127.');
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new DatabaseError('bad-request', 'The path has a percent sign that is no escape.');
  }
}
