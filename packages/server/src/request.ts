// Step 1: what came over the socket becomes a typed request. The head is read first and on its own, because a request that
// is not authorized has no claim to have its body kept in memory.

import type { IncomingHttpHeaders } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { HeaderName, ResourcePath } from '@tidemark/model';
import { DatabaseError, header, parseResourcePath } from '@tidemark/model';
import { eventSourceHeaders, isEventStream } from './event-source.ts';
import type { HttpRequest } from './http/http-request.ts';
import type { HttpResponse } from './http/http-response.ts';
import type { BodyKind, IncomingBodies } from './incoming-bodies.ts';
import { bodyTooLarge } from './incoming-bodies.ts';
import { bodyBytesMax, itemsPerPage, itemsPerPageMax, waitMsMax } from './limits.ts';

export interface RequestHead {
  readonly verb: string;
  readonly path: ResourcePath;
  readonly headers: IncomingHttpHeaders;
  /** Of the protocol, a date; undefined is taken for a modern client. */
  readonly apiVersion: string | undefined;
  /** It came by HTTPS. */
  readonly isSecure: boolean;
}

export interface CosmosRequest extends RequestHead {
  readonly body: Buffer;
}

export function readHead(incoming: HttpRequest): RequestHead {
  const path = readPath(incoming.url);
  if (path === undefined) throw noSuchKind(incoming.url);
  const { method: verb } = incoming;
  const headers = headersOf(incoming, path);
  if (headers.host === undefined && incoming.minorVersion > 0) {
    throw new DatabaseError('bad-request', 'A request of HTTP/1.1 has to say in the header Host whom it is for.');
  }
  // A socket of TLS says so of itself; others have no such member.
  const isSecure = (incoming.socket as TLSSocket).encrypted === true;
  return { verb, path, headers, apiVersion: textOf(headers, header.version), isSecure };
}

function headersOf({ headers, url }: HttpRequest, { kind, isFeed }: ResourcePath): IncomingHttpHeaders {
  if (kind !== 'document' || !isFeed || !isEventStream(headers)) return headers;
  const question = url.indexOf('?');
  return eventSourceHeaders(headers, question === -1 ? '' : url.slice(question + 1));
}

/** The whole body. Undefined when the client went away before its end. */
export function readBody(
  incoming: HttpRequest,
  outgoing: HttpResponse,
  bodies: IncomingBodies,
  kind: BodyKind = 'other',
): Buffer | Promise<Buffer | undefined> {
  const { headers } = incoming;
  const declared = Number(headers['content-length'] ?? 0);
  if (declared > bodyBytesMax) throw bodyTooLarge(kind);
  if (declared === 0 && headers['transfer-encoding'] === undefined) return noBytes;
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') throw wrongEncoding(encoding);
  if (headers.expect !== undefined) {
    if (headers.expect.toLowerCase() !== '100-continue') throw unknownExpectation();
    outgoing.writeContinue();
  }
  return incoming.receive((refuse) => bodies.open(refuse, kind));
}

export function textOfHeader(request: Pick<RequestHead, 'headers'>, name: HeaderName): string | undefined {
  return textOf(request.headers, name);
}

/** Wire: clients write booleans as `true` or `True`, and send `false` explicitly (wire 1). */
export function isHeaderTrue(request: RequestHead, name: HeaderName): boolean {
  return textOf(request.headers, name)?.toLowerCase() === 'true';
}

export function ifMatchOf(request: RequestHead): { ifMatch?: string } {
  const ifMatch = textOf(request.headers, header.ifMatch);
  return ifMatch === undefined ? {} : { ifMatch };
}

export function prefersMinimal(request: RequestHead): boolean {
  const text = textOf(request.headers, header.prefer);
  return text !== undefined && /(?:^|[,;\s])return=minimal(?:$|[,;\s])/i.test(text);
}

/** How long the client would like to wait for news, undefined when it does not say (RFC 7240); at most as long as we would. */
export function waitMsOf(request: RequestHead): number | undefined {
  const text = textOf(request.headers, header.prefer);
  const seconds = text === undefined ? undefined : /(?:^|[,;\s])wait\s*=\s*"?(\d{1,9})"?(?:$|[,;\s])/i.exec(text)?.[1];
  return seconds === undefined ? undefined : Math.min(Number(seconds) * 1000, waitMsMax);
}

/** Wire: -1 leaves it to the server (wire 4). */
export function itemsMaxOf(request: RequestHead): number {
  const text = textOf(request.headers, header.itemsMax);
  if (text === undefined) return itemsPerPage;
  const value = Number(text);
  if (value === -1) return itemsPerPageMax;
  if (Number.isInteger(value) && value >= 1) return Math.min(value, itemsPerPageMax);
  throw new DatabaseError('bad-request', `The number of items on a page is -1 or at least 1, not '${text}'.`);
}

/** The first byte of JSON in the service's binary form. Text never begins with it. */
const binaryMark = 0x80;

/**
 * Wire: clients of .NET and others send it where a variable or an option says so; answers are text for everybody, which they tell by the
 * first byte (wire-2026 5).
 */
export function checkTextBody(body: Buffer): void {
  if (body[0] !== binaryMark) return;
  throw new DatabaseError(
    'bad-request',
    'The body is binary JSON, which is not read here: leave AZURE_COSMOS_BINARY_ENCODING_ENABLED unset, or the binary encoding of the client off.',
  );
}

export function jsonOf(request: CosmosRequest): unknown {
  try {
    return JSON.parse(request.body.toString('utf8'));
  } catch (error) {
    throw new DatabaseError('bad-request', 'The body of the request is not valid JSON.', { cause: error });
  }
}

const noBytes: Buffer = Buffer.alloc(0);

/**
 * Wire: the JavaScript client leaves a `?` in a document id as it is, and signs the whole id, so that for a document what
 * looks like a query string is a part of its id (wire 4). Everywhere else it is none of the path.
 */
function readPath(url: string): ResourcePath | undefined {
  if (url !== lastPath.url) {
    lastPath.path = parsePath(url);
    lastPath.url = url;
  }
  return lastPath.path;
}

/** Writes to a container and readers of its feed name the same path again and again. */
const lastPath: { url: string | undefined; path: ResourcePath | undefined } = { url: undefined, path: undefined };

function parsePath(url: string): ResourcePath | undefined {
  const question = url.indexOf('?');
  if (question === -1) return parseResourcePath(url);
  const path = parseResourcePath(url.slice(0, question));
  // Behind a slash it begins an id: clients send no query to a list, and none would put a slash before it.
  const isId = path?.kind === 'document' && (!path.isFeed || url[question - 1] === '/');
  return isId ? parseResourcePath(url) : path;
}

/**
 * Wire: clients repeat what comes without a body, and take what is not found for a wrong address: what is of the protocol and not of this
 * server is answered with 501 and its name (wire-2026 3, 8).
 */
const notBuilt: ReadonlyMap<string, string> = new Map([
  ['/operations/dtc', 'Distributed transactions (/operations/dtc) are'],
  ['/inference/semanticreranking', 'Semantic reranking (/inference/semanticReranking) is'],
]);

function noSuchKind(url: string): DatabaseError {
  // Wire: the link of an offer taken for its id, which comes to /offers/offers/RID, is a bad request there (wire 6).
  if (/^\/+offers\//i.test(url)) return new DatabaseError('bad-request', 'An offer is at /offers/ and its id.');
  const [path = ''] = url.split('?', 1);
  const name = notBuilt.get(path.toLowerCase().replace(/\/$/, ''));
  if (name !== undefined) return new DatabaseError('not-supported', `${name} not supported.`);
  return new DatabaseError(
    'not-found',
    'There is no kind of resource at this path; resources begin with /dbs or /offers, and what is about the server itself with ' +
      '/_tidemark/, as in /_tidemark/health.',
  );
}

function textOf(headers: IncomingHttpHeaders, name: HeaderName): string | undefined {
  const value = headers[name];
  const text = Array.isArray(value) ? value.join(',') : value;
  return text === '' ? undefined : text;
}

function unknownExpectation(): DatabaseError {
  return new DatabaseError('bad-request', 'Of the header Expect only 100-continue is known.');
}

function wrongEncoding(encoding: string): DatabaseError {
  const message = `The body of a request is sent as it is, not with Content-Encoding: ${encoding.slice(0, 40)}.`;
  return new DatabaseError('unsupported-encoding', message);
}
