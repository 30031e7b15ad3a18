// Databases: a name around containers.

import type { DatabaseInfo } from '@tidemark/engine';
import { DatabaseError, newOffer } from '@tidemark/model';
import { metadataWriteCharge } from '../charge.ts';
import type { HandlerContext } from '../handler.ts';
import { requestedThroughput } from '../offer.ts';
import type { CosmosRequest } from '../request.ts';
import { ifMatchOf, jsonOf } from '../request.ts';
import { resourcesResponse } from '../resource-page.ts';
import { findDatabase } from '../resources.ts';
import type { CosmosResponse, Resource } from '../response.ts';
import { databaseOwner, emptyResponse, resourceResponse } from '../response.ts';

export async function createDatabase(request: CosmosRequest, { database }: HandlerContext): Promise<CosmosResponse> {
  const body = jsonOf(request);
  if (typeof body !== 'object' || body === null || !('id' in body)) {
    throw new DatabaseError('invalid-definition', 'A database is created from a JSON object with an "id".');
  }
  // The engine checks what kind of thing the id is.
  const throughput = requestedThroughput(request);
  const options = throughput === undefined ? {} : { offer: newOffer(throughput) };
  const created = await database.createDatabase(body.id as string, options);
  return resourceResponse(request, 201, resourceOf(created), databaseOwner(created));
}

export function readDatabase(request: CosmosRequest, { database }: HandlerContext): CosmosResponse {
  const found = findDatabase(database, request.path);
  return resourceResponse(request, 200, resourceOf(found), databaseOwner(found));
}

/** Listed or queried. */
export function listDatabases(request: CosmosRequest, context: HandlerContext): Promise<CosmosResponse> {
  const list = { ownerRid: '', arrayName: 'Databases', headers: [] };
  return resourcesResponse(request, context, list, context.database.databases(), (each) => resourceOf(each).value);
}

export async function deleteDatabase(request: CosmosRequest, { database }: HandlerContext): Promise<CosmosResponse> {
  const found = findDatabase(database, request.path);
  await database.deleteDatabase(found.id, ifMatchOf(request));
  return emptyResponse(204, databaseOwner(found), metadataWriteCharge);
}

function resourceOf({ id, rid, etag, timeMs }: DatabaseInfo): Resource {
  const value = {
    id,
    _rid: rid,
    _self: `dbs/${rid}/`,
    _etag: `"${etag}"`,
    _colls: 'colls/',
    _users: 'users/',
    _ts: Math.floor(timeMs / 1000),
  };
  return { value, etag, timeMs };
}
