// Users: names around permissions.

import type { Database, DatabaseInfo, NamedInfo } from '@tidemark/engine';
import { DatabaseError, databaseRid, header } from '@tidemark/model';
import { metadataWriteCharge } from '../charge.ts';
import type { HandlerContext } from '../handler.ts';
import type { CosmosRequest } from '../request.ts';
import { ifMatchOf, isHeaderTrue, jsonOf } from '../request.ts';
import { resourcesResponse } from '../resource-page.ts';
import { findDatabase, findNamed } from '../resources.ts';
import type { CosmosResponse, Resource } from '../response.ts';
import { databaseOwner, emptyResponse, resourceResponse } from '../response.ts';

export async function createUser(request: CosmosRequest, { database }: HandlerContext): Promise<CosmosResponse> {
  const owner = findDatabase(database, request.path);
  const user = { kind: 'user', owner: owner.number, id: idOf(request), value: {} } as const;
  if (isHeaderTrue(request, header.isUpsert)) {
    const { info, isCreated } = await database.resources.upsert(user, ifMatchOf(request));
    return userResponse(request, isCreated ? 201 : 200, owner, info);
  }
  return userResponse(request, 201, owner, await database.resources.create(user));
}

/** Listed or queried. */
export function listUsers(request: CosmosRequest, context: HandlerContext): Promise<CosmosResponse> {
  const owner = findDatabase(context.database, request.path);
  const list = { ownerRid: owner.rid, arrayName: 'Users', headers: databaseOwner(owner) };
  const users = context.database.resources.list('user', owner.number);
  return resourcesResponse(request, context, list, users, (user) => resourceOf(user).value);
}

export function readUser(request: CosmosRequest, { database }: HandlerContext): CosmosResponse {
  const { owner, user } = findUser(request, database);
  return userResponse(request, 200, owner, user);
}

/** Wire: a user may be given another name. */
export async function replaceUser(request: CosmosRequest, { database }: HandlerContext): Promise<CosmosResponse> {
  const { owner, user } = findUser(request, database);
  const change = { id: idOf(request), value: {} };
  const replaced = await database.resources.replace(user.number, change, ifMatchOf(request));
  return userResponse(request, 200, owner, replaced);
}

export async function deleteUser(request: CosmosRequest, { database }: HandlerContext): Promise<CosmosResponse> {
  const { owner, user } = findUser(request, database);
  await database.resources.delete(user.number, ifMatchOf(request));
  return emptyResponse(204, databaseOwner(owner), metadataWriteCharge);
}

function findUser(
  { path }: CosmosRequest,
  database: Database,
): { readonly owner: DatabaseInfo; readonly user: NamedInfo } {
  const owner = findDatabase(database, path);
  return { owner, user: findNamed(database, path, { kind: 'user', owner: owner.number, at: 1 }) };
}

function idOf(request: CosmosRequest): string {
  const body = jsonOf(request);
  // The engine checks what kind of thing the id is.
  if (typeof body === 'object' && body !== null && 'id' in body) return body.id as string;
  throw new DatabaseError('bad-request', 'A user is a JSON object with an "id".');
}

function userResponse(request: CosmosRequest, status: number, owner: DatabaseInfo, user: NamedInfo): CosmosResponse {
  return resourceResponse(request, status, resourceOf(user), databaseOwner(owner));
}

function resourceOf({ id, rid, etag, timeMs, owners }: NamedInfo): Resource {
  const value = {
    id,
    _rid: rid,
    _self: `dbs/${databaseRid(owners[0] ?? 0)}/users/${rid}/`,
    _etag: `"${etag}"`,
    _permissions: 'permissions/',
    _ts: Math.floor(timeMs / 1000),
  };
  return { value, etag, timeMs };
}
