// Step 4: what a handler found becomes an answer: status, the headers that clients rely on, bytes.

import type { ContainerInfo, DatabaseInfo } from '@tidemark/engine';
import type { ErrorCode } from '@tidemark/model';
import { DatabaseError, header, isDatabaseError, sessionTokenFor } from '@tidemark/model';
import { QueryError, wireMessage } from '@tidemark/query';
import { chargeMin, metadataWriteCharge, pageCharge, refusalCharge } from './charge.ts';
import type { DocumentPage } from './document-pages.ts';
import type { HeaderList } from './header-list.ts';
import type { BodyPieces, HttpResponse } from './http/http-response.ts';
import { httpDate } from './http-date.ts';
import { PageBody } from './page-body.ts';
import type { RequestHead } from './request.ts';
import { textOfHeader } from './request.ts';
import type { Place } from './resources.ts';
import { statusOf } from './status.ts';

export interface CosmosResponse {
  readonly status: number;
  readonly charge: number;
  /** Beyond those that every answer has. */
  readonly headers: HeaderList;
  /** JSON unless it says otherwise. */
  readonly contentType?: string;
  readonly body: Buffer | BodyPieces | undefined;
  /** What the body keeps in memory until it is sent, where that is more than its length. */
  readonly heldBytes?: number;
  /** Called when nobody reads the body any more: it was sent, or its client is gone. Not called when it was never sent. */
  readonly onSent?: () => void;
  /** An answer without end: takes over once the head is out. Then there is no body. */
  readonly stream?: (outgoing: HttpResponse) => void;
}

/** A database, container or the like, as JSON. */
export interface Resource {
  readonly value: object;
  /** Without quotes. */
  readonly etag: string;
  readonly timeMs: number;
}

/** Wire: a resource that has not changed since the client read it is answered without body (wire 7). */
export function resourceResponse(
  request: RequestHead,
  status: number,
  resource: Resource,
  owner: HeaderList,
): CosmosResponse {
  const headers = [...owner, ...versionHeaders(resource.etag, resource.timeMs)];
  if (request.verb === 'GET' && matchesEtag(textOfHeader(request, header.ifNoneMatch), resource.etag)) {
    return { status: 304, charge: chargeMin, headers, body: undefined };
  }
  const charge = request.verb === 'GET' ? chargeMin : metadataWriteCharge;
  return { status, charge, headers, body: json(resource.value) };
}

/** Wire: clients read the array by its name without looking whether it is there (wire 4). */
export function listResponse(
  ownerRid: string,
  arrayName: string,
  values: readonly object[],
  headers: HeaderList,
): CosmosResponse {
  const body = json({ _rid: ownerRid, [arrayName]: values, _count: values.length });
  return {
    status: 200,
    charge: pageCharge(values.length, body.length),
    headers: [...headers, header.itemCount, String(values.length)],
    body,
  };
}

/** The rows of a query, which are JSON already. */
export function rowsResponse(
  ownerRid: string,
  arrayName: string,
  rows: readonly string[],
  headers: HeaderList,
): CosmosResponse {
  const body = Buffer.from(`{"_rid":"${ownerRid}","${arrayName}":[${rows.join(',')}],"_count":${rows.length}}`);
  return {
    status: 200,
    charge: pageCharge(rows.length, body.length),
    headers: [...headers, header.itemCount, String(rows.length)],
    body,
  };
}

/** A page of a list: the documents as they are stored. */
export function documentPageResponse(request: RequestHead, place: Place, page: DocumentPage): CosmosResponse {
  const { documents, range, continuation } = page;
  const pieces: Buffer[] = [];
  for (const document of documents) {
    if (pieces.length > 0) pieces.push(comma);
    pieces.push(document.bytes);
  }
  const body = new PageBody(place.info.rid, pieces, documents.length);
  const headers = [
    ...containerOwner(place),
    ...sessionHeaders(request, range.id, range.tailLsn),
    header.itemCount,
    String(documents.length),
  ];
  if (continuation !== undefined) headers.push(header.continuation, continuation);
  return pageResponse(body, documents.length, headers);
}

/** Documents are on it. */
export function pageResponse(page: PageBody, count: number, headers: HeaderList): CosmosResponse {
  const { body, heldBytes, onSent } = page;
  return { status: 200, charge: pageCharge(count, body.length), headers, body, heldBytes, onSent };
}

const comma: Buffer = Buffer.from(',');

export function emptyResponse(status: number, headers: HeaderList, charge: number = chargeMin): CosmosResponse {
  return { status, charge, headers, body: undefined };
}

/**
 * Wire: a client that can put the rows of ranges together is told how: it reads the substatus, or that there is `additionalErrorInfo`, and
 * the oldest one the plan in it, which has to be a string (wire 12).
 */
export function planNeeded(plan: string, headers: HeaderList): SmallResponse {
  const message = 'The provided cross partition query can not be directly served by the gateway; run it by its plan.';
  const body = json({ code: 'BadRequest', message, additionalErrorInfo: plan });
  return { status: 400, charge: 0, headers: [...headers, header.substatus, '1004'], body };
}

/** With a body in one piece. */
export interface SmallResponse extends CosmosResponse {
  readonly body: Buffer | undefined;
}

/** Wire: the body is never empty, or the client fails on reading it instead of on the error (wire 5). */
export function errorResponse(error: unknown, headers: HeaderList = []): SmallResponse {
  const known = isDatabaseError(error) ? error : unforeseen(error);
  // Wire: what is wrong with a query is JSON in the message, with codes and places (spec query 6).
  const message = known instanceof QueryError ? `Message: ${wireMessage(known.problems)}` : known.message;
  return rejection(known.code, message, headers, known.retryAfterMs);
}

export function rejection(code: ErrorCode, message: string, headers: HeaderList, retryAfterMs?: number): SmallResponse {
  const { status, substatus, name } = statusOf[code];
  const all = [...headers];
  if (substatus !== undefined) all.push(header.substatus, String(substatus));
  if (retryAfterMs !== undefined) all.push(header.retryAfterMs, String(retryAfterMs));
  const said = code === 'document-too-large' || code === 'batch-too-large' ? `${tooLargeSentence} ${message}` : message;
  return { status, charge: refusalCharge(code), headers: all, body: json({ code: name, message: said }) };
}

/** Wire: clients match on the sentence of the service (wire 5). */
const tooLargeSentence = '{"Errors":["Request size is too large"]}';

/** Wire: of what is inside a container the owner is the container, and its rid has to be eight bytes (wire 13). */
export function containerOwner({ database, info }: Place): HeaderList {
  let owner = ownersOf.get(info);
  if (owner === undefined) {
    owner = [header.ownerRid, info.rid, header.ownerPath, encodeURI(`dbs/${database.id}/colls/${info.id}`)];
    ownersOf.set(info, owner);
  }
  return owner;
}

/** The engine gives the same object as long as nothing about the container changes, and nothing ever changes its names. */
const ownersOf = new WeakMap<ContainerInfo, HeaderList>();

export function databaseOwner(database: DatabaseInfo): HeaderList {
  return [header.ownerRid, database.rid, header.ownerPath, encodeURI(`dbs/${database.id}`)];
}

/**
 * Wire: one range, also by its id, which tests of clients look for after writes; the token in the form that the client's version
 * reads. The LSN of a write is its own, that of a read the tail.
 */
export function sessionHeaders(request: Pick<RequestHead, 'apiVersion'>, range: string, lsn: number): HeaderList {
  const token = sessionTokenFor(range, lsn, request.apiVersion);
  return [header.sessionToken, token, header.lsn, String(lsn), header.rangeId, range];
}

export function versionHeaders(etag: string, timeMs: number): HeaderList {
  return [header.etag, `"${etag}"`, header.lastModified, httpDate(timeMs)];
}

/** Wire: the quotes are a part of the etag, but not every client sends them. */
export function matchesEtag(condition: string | undefined, etag: string): boolean {
  if (condition === undefined) return false;
  return condition === '*' || condition === `"${etag}"` || condition === etag;
}

export function send(outgoing: HttpResponse, response: CosmosResponse, activityId: string, isLast: boolean): void {
  const { status, body, stream } = response;
  const headers = response.headers.slice();
  headers.push(header.activityId, activityId);
  headers.push(header.charge, String(response.charge));
  headers.push(header.schemaVersion, '1.19');
  // Clients find their own requests by it (wire 15).
  const correlated = outgoing.req.headers[header.correlatedActivityId];
  if (typeof correlated === 'string' && isPrintable(correlated)) headers.push(header.correlatedActivityId, correlated);
  const contentType = body === undefined ? response.contentType : (response.contentType ?? 'application/json');
  if (contentType !== undefined) headers.push(header.contentType, contentType);
  // Neither a 204 nor a 304 may say how long its body is.
  const hasLength = status !== 204 && status !== 304 && stream === undefined;
  if (hasLength) headers.push('content-length', String(body?.length ?? 0));
  if (isLast) outgoing.isLast = true;
  // Both the end of what was sent and that of the connection come to this, and not before the socket has let go of the bytes.
  if (response.onSent !== undefined) outgoing.once('close', response.onSent);
  outgoing.writeHead(status, headers);
  if (stream === undefined || outgoing.req.method === 'HEAD') outgoing.end(body);
  else stream(outgoing);
}

function isPrintable(text: string): boolean {
  return /^[\x20-\x7e]{1,256}$/.test(text);
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

/** Its own words stay here: they may hold what is nobody else's business. */
function unforeseen(error: unknown): DatabaseError {
  return new DatabaseError('internal', 'Something went wrong in the database itself; its log says what.', {
    cause: error,
  });
}
