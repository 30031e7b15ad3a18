// Documents, one at a time: create, upsert, read, replace, patch, delete; and all of a partition key at once.

import type { Database, Document } from '@tidemark/engine';
import type { UnitPartitionKey, WriteCommand } from '@tidemark/engine/internal';
import { parsePatchBody } from '@tidemark/engine/internal';
import { DatabaseError, header, partitionKeyEquals } from '@tidemark/model';
import { deleteCharge, readCharge } from '../charge.ts';
import { clientDocument, factsOf } from '../document-command.ts';
import type { HandlerContext } from '../handler.ts';
import type { HeaderList } from '../header-list.ts';
import { partitionKeyOf, requiredPartitionKey } from '../partition-key.ts';
import type { CosmosRequest } from '../request.ts';
import { ifMatchOf, isHeaderTrue, jsonOf, prefersMinimal, textOfHeader } from '../request.ts';
import type { Place } from '../resources.ts';
import { findContainer } from '../resources.ts';
import type { CosmosResponse } from '../response.ts';
import { containerOwner, emptyResponse, matchesEtag, rejection, sessionHeaders, versionHeaders } from '../response.ts';
import { checkSession } from '../session.ts';

export function createDocument(request: CosmosRequest, { database }: HandlerContext): Promise<CosmosResponse> {
  refuseTriggers(request);
  const place = findContainer(database, request.path);
  const key = place.container.partitionKey(requiredPartitionKey(request, place));
  const document = clientDocument(place, request.body, key);
  if (!isHeaderTrue(request, header.isUpsert)) return write(request, place, key, { kind: 'create', document });
  const ifMatch = textOfHeader(request, header.ifMatch);
  const ifNoneMatch = textOfHeader(request, header.ifNoneMatch);
  return write(request, place, key, { kind: 'upsert', document, ifMatch, ifNoneMatch });
}

export async function replaceDocument(request: CosmosRequest, { database }: HandlerContext): Promise<CosmosResponse> {
  refuseTriggers(request);
  const place = findContainer(database, request.path);
  const { id, key } = await addressed(request, place);
  const document = clientDocument(place, request.body, key);
  return write(request, place, key, { kind: 'replace', id, document, ...ifMatchOf(request) });
}

export async function patchDocument(request: CosmosRequest, { database }: HandlerContext): Promise<CosmosResponse> {
  refuseTriggers(request);
  const place = findContainer(database, request.path);
  const { id, key } = await addressed(request, place);
  const patch = { ...parsePatchBody(jsonOf(request)), ...ifMatchOf(request) };
  return write(request, place, key, place.container.patchCommand(id, patch));
}

export async function deleteDocument(request: CosmosRequest, { database }: HandlerContext): Promise<CosmosResponse> {
  refuseTriggers(request);
  const place = findContainer(database, request.path);
  const { id, key } = await addressed(request, place);
  return write(request, place, key, { kind: 'delete', id, ...ifMatchOf(request) });
}

/** The way of most requests: where the document is at hand no promise is made. */
export function readDocument(
  request: CosmosRequest,
  { database, consistency }: HandlerContext,
): CosmosResponse | Promise<CosmosResponse> {
  const place = findContainer(database, request.path);
  checkSession(request, place, consistency);
  if (place.isByRid) return addressed(request, place).then((address) => readAt(request, database, place, address));
  return readAt(request, database, place, addressedByName(request, place));
}

function readAt(
  request: CosmosRequest,
  database: Database,
  place: Place,
  { id, key }: Address,
): CosmosResponse | Promise<CosmosResponse> {
  const found = place.container.find(id, key);
  if (!(found instanceof Promise)) return readResponse(request, database, place, key, found);
  return found.then((document) => readResponse(request, database, place, key, document));
}

function readResponse(
  request: CosmosRequest,
  database: Database,
  place: Place,
  key: UnitPartitionKey,
  document: Document | undefined,
): CosmosResponse {
  const headers = [...containerOwner(place), ...tailHeaders(request, database, place, key)];
  if (document === undefined) return rejection('not-found', notFoundMessage, headers);
  const { etag } = document;
  headers.push(...versionHeaders(etag, document.timeMs));
  if (matchesEtag(textOfHeader(request, header.ifNoneMatch), etag)) return emptyResponse(304, headers);
  const { bytes } = document;
  return { status: 200, charge: readCharge(bytes.length), headers, body: bytes };
}

/** Wire: asynchronous in the service, here nobody sees the documents any more once it is answered (wire 7). */
export async function deletePartition(request: CosmosRequest, { database }: HandlerContext): Promise<CosmosResponse> {
  const place = findContainer(database, request.path);
  const values = requiredPartitionKey(request, place);
  await place.container.deletePartition(values);
  const key = place.container.partitionKey(values);
  const headers = [...containerOwner(place), ...tailHeaders(request, database, place, key)];
  return emptyResponse(200, headers, deleteCharge);
}

const notFoundMessage = 'Entity with the specified id does not exist in the system.';

async function write(
  request: CosmosRequest,
  place: Place,
  key: UnitPartitionKey,
  command: WriteCommand,
): Promise<CosmosResponse> {
  const { range, lsn, outcomes } = await place.container.commit(key, [command]);
  const headers = [...containerOwner(place), ...sessionHeaders(request, range, lsn)];
  const [outcome] = outcomes;
  if (outcome === undefined) throw new DatabaseError('internal', 'A command came back without an outcome.');
  if (outcome.kind === 'rejected') return rejection(outcome.code, outcome.message, headers);
  const { status, charge, etag, timeMs, document } = factsOf(outcome);
  if (etag === undefined || timeMs === undefined) return emptyResponse(status, headers, charge);
  headers.push(...versionHeaders(etag, timeMs));
  return { status, charge, headers, body: prefersMinimal(request) ? undefined : document?.bytes };
}

interface Address {
  readonly id: string;
  readonly key: UnitPartitionKey;
}

function addressedByName(request: CosmosRequest, place: Place): Address {
  const key = place.container.partitionKey(requiredPartitionKey(request, place));
  return { id: request.path.ids[2] ?? '', key };
}

/** Which document the path means. By rid, its id and partition key are those that the stored document has. */
async function addressed(request: CosmosRequest, place: Place): Promise<Address> {
  if (!place.isByRid) return addressedByName(request, place);
  const document = await place.container.readByRid(request.path.ids[2] ?? '');
  if (document === undefined) throw new DatabaseError('not-found', notFoundMessage);
  const key = place.container.partitionKeyOf(place.container.readClient(document.bytes));
  const given = partitionKeyOf(request, place);
  if (given !== undefined && !partitionKeyEquals(given, key.values)) {
    throw new DatabaseError('not-found', notFoundMessage);
  }
  return { id: document.value.id, key };
}

function tailHeaders(request: CosmosRequest, database: Database, { info }: Place, key: UnitPartitionKey): HeaderList {
  const { engine } = database;
  const range = engine.range(info.number, engine.rangeOf(info.number, key.epk));
  return sessionHeaders(request, range.id, range.tailLsn);
}

/** Leaving out what a trigger would do is no way to serve the request. */
function refuseTriggers(request: CosmosRequest): void {
  const names = textOfHeader(request, header.preTriggers) ?? textOfHeader(request, header.postTriggers);
  if (names === undefined) return;
  throw new DatabaseError('not-supported', `Triggers are not supported yet; this request names '${names}'.`);
}
