// Permissions, each read of which gives a new token.

import type { Database, NamedInfo } from '@tidemark/engine';
import { databaseRid, header, userRid } from '@tidemark/model';
import { metadataWriteCharge } from '../charge.ts';
import type { HandlerContext } from '../handler.ts';
import type { PermissionValue } from '../permission.ts';
import { checkOwner, readPermission as readBody, scopeOf, tokenSecondsOf } from '../permission.ts';
import type { CosmosRequest } from '../request.ts';
import { ifMatchOf, isHeaderTrue, jsonOf, textOfHeader } from '../request.ts';
import { resourcesResponse } from '../resource-page.ts';
import { findDatabase, findNamed } from '../resources.ts';
import type { CosmosResponse, Resource } from '../response.ts';
import { emptyResponse, resourceResponse } from '../response.ts';

export async function createPermission(request: CosmosRequest, context: HandlerContext): Promise<CosmosResponse> {
  const { resources } = context.database;
  const user = findUser(request, context.database);
  const given = checkedBody(request, context);
  const permission = { kind: 'permission', owner: user.number, ...given } as const;
  if (isHeaderTrue(request, header.isUpsert)) {
    const { info, isCreated } = await resources.upsert(permission, ifMatchOf(request));
    return permissionResponse(request, context, isCreated ? 201 : 200, info);
  }
  return permissionResponse(request, context, 201, await resources.create(permission));
}

/** Listed or queried. */
export async function listPermissions(request: CosmosRequest, context: HandlerContext): Promise<CosmosResponse> {
  const user = findUser(request, context.database);
  const seconds = tokenSecondsOf(textOfHeader(request, header.tokenSeconds));
  const list = { ownerRid: user.rid, arrayName: 'Permissions', headers: [] };
  const permissions = context.database.resources.list('permission', user.number);
  const shown = async (permission: NamedInfo): Promise<object> =>
    (await resourceOf(context, permission, seconds)).value;
  return resourcesResponse(request, context, list, permissions, shown);
}

export function readPermission(request: CosmosRequest, context: HandlerContext): Promise<CosmosResponse> {
  return permissionResponse(request, context, 200, findPermission(request, context.database));
}

/** Tokens that were issued before are good for nothing from now on. */
export async function replacePermission(request: CosmosRequest, context: HandlerContext): Promise<CosmosResponse> {
  const { number } = findPermission(request, context.database);
  const given = checkedBody(request, context);
  const replaced = await context.database.resources.replace(number, given, ifMatchOf(request));
  return permissionResponse(request, context, 200, replaced);
}

export async function deletePermission(request: CosmosRequest, { database }: HandlerContext): Promise<CosmosResponse> {
  const { number } = findPermission(request, database);
  await database.resources.delete(number, ifMatchOf(request));
  return emptyResponse(204, [], metadataWriteCharge);
}

function findUser({ path }: CosmosRequest, database: Database): NamedInfo {
  const { number } = findDatabase(database, path);
  return findNamed(database, path, { kind: 'user', owner: number, at: 1 });
}

function findPermission(request: CosmosRequest, database: Database): NamedInfo {
  const { number } = findUser(request, database);
  return findNamed(database, request.path, { kind: 'permission', owner: number, at: 2 });
}

/** Everything that is wrong with a request shows before anything is written. */
function checkedBody(request: CosmosRequest, { database }: HandlerContext): ReturnType<typeof readBody> {
  tokenSecondsOf(textOfHeader(request, header.tokenSeconds));
  const given = readBody(jsonOf(request));
  checkOwner(database, findDatabase(database, request.path), given.value);
  return given;
}

async function permissionResponse(
  request: CosmosRequest,
  context: HandlerContext,
  status: number,
  permission: NamedInfo,
): Promise<CosmosResponse> {
  const seconds = tokenSecondsOf(textOfHeader(request, header.tokenSeconds));
  return resourceResponse(request, status, await resourceOf(context, permission, seconds), []);
}

async function resourceOf(
  { database, tokens }: HandlerContext,
  permission: NamedInfo,
  seconds: number,
): Promise<Resource> {
  const { id, rid, etag, timeMs, owners } = permission;
  const [owner = 0, user = 0] = owners;
  const stored = permission.value as PermissionValue; // Only this file writes permissions.
  const scope = await scopeOf(database, owner, stored);
  const value = {
    id,
    ...stored,
    _rid: rid,
    _self: `dbs/${databaseRid(owner)}/users/${userRid(owner, user)}/permissions/${rid}/`,
    _etag: `"${etag}"`,
    _ts: Math.floor(timeMs / 1000),
    _token: await tokens.issue(permission, scope, seconds),
  };
  return { value, etag, timeMs };
}
