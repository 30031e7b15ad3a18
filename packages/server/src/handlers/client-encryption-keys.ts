// Client encryption keys: what clients encrypt members of documents with, itself encrypted by a key that only they have. The
// server keeps it and cannot use it.

import type { Database, DatabaseInfo, NamedInfo } from '@tidemark/engine';
import { DatabaseError, databaseRid } from '@tidemark/model';
import type { HandlerContext } from '../handler.ts';
import type { CosmosRequest } from '../request.ts';
import { ifMatchOf, jsonOf } from '../request.ts';
import { resourcesResponse } from '../resource-page.ts';
import { findDatabase, findNamed } from '../resources.ts';
import type { CosmosResponse, Resource } from '../response.ts';
import { databaseOwner, resourceResponse } from '../response.ts';

export async function createClientKey(request: CosmosRequest, { database }: HandlerContext): Promise<CosmosResponse> {
  const owner = findDatabase(database, request.path);
  const { id, value } = readClientKey(jsonOf(request));
  const resource = { kind: 'client-encryption-key', owner: owner.number, id, value } as const;
  return keyResponse(request, 201, owner, await database.resources.create(resource));
}

/** Listed or queried. */
export function listClientKeys(request: CosmosRequest, context: HandlerContext): Promise<CosmosResponse> {
  const owner = findDatabase(context.database, request.path);
  const list = { ownerRid: owner.rid, arrayName: 'ClientEncryptionKeys', headers: databaseOwner(owner) };
  const keys = context.database.resources.list('client-encryption-key', owner.number);
  return resourcesResponse(request, context, list, keys, (key) => resourceOf(key).value);
}

export function readClientKeyAt(request: CosmosRequest, { database }: HandlerContext): CosmosResponse {
  const { owner, key } = findClientKey(request, database);
  return keyResponse(request, 200, owner, key);
}

/** Wire: the same key, wrapped by another one (wire 14). */
export async function replaceClientKey(request: CosmosRequest, { database }: HandlerContext): Promise<CosmosResponse> {
  const { owner, key } = findClientKey(request, database);
  const { id, value } = readClientKey(jsonOf(request));
  if (id !== key.id) throw invalid(`The id in the body must be "${key.id}": it cannot change.`);
  const replaced = await database.resources.replace(key.number, { value }, ifMatchOf(request));
  return keyResponse(request, 200, owner, replaced);
}

function findClientKey(
  { path }: CosmosRequest,
  database: Database,
): { readonly owner: DatabaseInfo; readonly key: NamedInfo } {
  const owner = findDatabase(database, path);
  return { owner, key: findNamed(database, path, { kind: 'client-encryption-key', owner: owner.number, at: 1 }) };
}

interface ClientKey {
  readonly encryptionAlgorithm: string;
  readonly keyWrapMetadata: object;
  readonly wrappedDataEncryptionKey: string;
}

function readClientKey(body: unknown): { readonly id: string; readonly value: ClientKey } {
  const { id, encryptionAlgorithm, keyWrapMetadata, wrappedDataEncryptionKey }: Readonly<Record<string, unknown>> =
    Object(body);
  if (typeof encryptionAlgorithm !== 'string') throw invalid('A client encryption key needs an encryptionAlgorithm.');
  if (typeof keyWrapMetadata !== 'object' || keyWrapMetadata === null || Array.isArray(keyWrapMetadata)) {
    throw invalid('A client encryption key needs a keyWrapMetadata, which is an object.');
  }
  if (typeof wrappedDataEncryptionKey !== 'string' || wrappedDataEncryptionKey === '') {
    throw invalid('A client encryption key needs a wrappedDataEncryptionKey, in base64.');
  }
  // The engine checks what kind of thing the id is.
  return { id: id as string, value: { encryptionAlgorithm, keyWrapMetadata, wrappedDataEncryptionKey } };
}

function invalid(message: string): DatabaseError {
  return new DatabaseError('bad-request', message);
}

function keyResponse(request: CosmosRequest, status: number, owner: DatabaseInfo, key: NamedInfo): CosmosResponse {
  return resourceResponse(request, status, resourceOf(key), databaseOwner(owner));
}

function resourceOf({ id, rid, etag, timeMs, owners, value: stored }: NamedInfo): Resource {
  const value = {
    id,
    ...(stored as ClientKey), // Only this file writes them.
    _rid: rid,
    _self: `dbs/${databaseRid(owners[0] ?? 0)}/clientencryptionkeys/${rid}/`,
    _etag: `"${etag}"`,
    _ts: Math.floor(timeMs / 1000),
  };
  return { value, etag, timeMs };
}
