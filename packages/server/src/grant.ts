// What the one who asks may do with what the route is about.
//
//   a key that writes    everything
//   a key that reads     everything that changes nothing, but no permissions: they come with tokens that may write
//   a resource token     the account; the container that its permission is in, and what it is cut into; beyond that what the
//                        permission is for, with everything inside it, by its mode and its partition key

import type { Database } from '@tidemark/engine';
import type { PartitionKeyValues, ResourceKind } from '@tidemark/model';
import {
  DatabaseError,
  effectiveKeyPrefixRange,
  header,
  isDatabaseError,
  kindsInContainers,
  parsePartitionKeyHeader,
  partitionKeyEquals,
} from '@tidemark/model';
import { keysOf } from './feed-scope.ts';
import { partitionKeyOf } from './partition-key.ts';
import type { RequestHead } from './request.ts';
import type { Place } from './resources.ts';
import { findContainer } from './resources.ts';

export type KeyRights = 'write' | 'read';

/** Of the holder of a key. */
export interface KeyGrant {
  readonly kind: 'key';
  readonly rights: KeyRights;
}

/** Of the holder of a resource token. */
export interface TokenGrant {
  readonly kind: 'token';
  readonly rights: KeyRights;
  /** The number of the container that it is for or in; undefined when that is no more. */
  readonly container: number | undefined;
  /** What in the container it is for; undefined: all of it. */
  readonly child: { readonly kind: string; readonly id: string } | undefined;
  /** As the permission has it: the whole partition key, or the first values of a hierarchical one. */
  readonly partitionKey: readonly unknown[] | undefined;
  /** What it was granted by. */
  readonly signature: string;
}

export type Grant = KeyGrant | TokenGrant;

/** What the route says of the request. */
export interface Asked {
  readonly operation: string;
  readonly kind: ResourceKind;
  readonly isFeed: boolean;
  readonly isRead: boolean;
  /** Where the partition keys of what is read or written stand: in the header unless the route says otherwise. */
  readonly keysIn?: 'body' | 'nowhere';
}

/** Throws forbidden. */
export function checkGrant(grant: Grant, asked: Asked, request: RequestHead, database: Database): void | Promise<void> {
  if (grant.kind === 'token') return checkToken(grant, asked, request, database);
  if (grant.rights === 'write') return;
  if (!asked.isRead) {
    throw forbidden(`The key is read-only, and ${asked.operation} is a write. Sign with the primary or secondary key.`);
  }
  if (asked.kind === 'permission') {
    throw forbidden(
      'The key is read-only, and permissions come with tokens that may write. Sign with the primary key.',
    );
  }
}

/** Whether documents of this partition key, or of keys that begin like this, are among what is granted. */
function isKeyGranted(grant: Grant, { info }: Place, values: PartitionKeyValues): boolean {
  if (grant.kind === 'key' || grant.partitionKey === undefined) return true;
  const granted = grantedValues(grant.partitionKey, info.definition.partitionKey);
  return values.length >= granted.length && partitionKeyEquals(values.slice(0, granted.length), granted);
}

/** For operations whose partition keys are in the body. Throws forbidden. */
export function checkKeyGranted(grant: Grant, place: Place, values: PartitionKeyValues): void {
  if (!isKeyGranted(grant, place, values)) throw otherKey();
}

function checkToken(grant: TokenGrant, asked: Asked, request: RequestHead, database: Database): void | Promise<void> {
  if (asked.kind === 'account') return;
  const place = placeOf(grant, request, database);
  if (place === undefined) throw outOfScope(asked);
  if (asked.isRead && isAboutContainer(asked, request)) return;
  if (asked.isRead && asked.kind === 'partition-key-range') return;
  if (!asked.isRead && grant.rights === 'read') {
    throw forbidden(`The permission of this resource token is to read, and ${asked.operation} is a write.`);
  }
  const isOfDocuments = asked.kind === 'document' || asked.operation === 'delete-partition';
  if (grant.partitionKey !== undefined) {
    if (!isOfDocuments) throw outOfScope(asked);
    checkPartitionKey(grant, asked, request, place);
  }
  if (grant.child === undefined) return;
  if (asked.kind !== grant.child.kind || asked.isFeed) throw outOfScope(asked);
  return checkChild(grant.child.id, asked, request, place);
}

/** The container that the token is for, if the request is about it or about something in it. */
function placeOf(grant: TokenGrant, { path }: RequestHead, database: Database): Place | undefined {
  if (grant.container === undefined || !kindsInContainers.has(path.kind) || path.ids.length < 2) return undefined;
  try {
    const place = findContainer(database, path);
    return place.info.number === grant.container ? place : undefined;
  } catch (error) {
    // Whether it is there is nobody's business.
    if (isDatabaseError(error)) return undefined;
    throw error;
  }
}

function isAboutContainer({ kind, isFeed }: Asked, { path }: RequestHead): boolean {
  return kind === 'container' && !isFeed && path.operation === undefined;
}

function checkPartitionKey(grant: TokenGrant, asked: Asked, request: RequestHead, place: Place): void {
  if (asked.keysIn !== undefined) return;
  const values = partitionKeyOf(request, place, { prefix: true });
  if (values !== undefined) {
    checkKeyGranted(grant, place, values);
    return;
  }
  // Wire: clients ask for the keys that begin with some values by their hashes (wire 11.3).
  const { partitionKey } = place.info.definition;
  const granted = grantedValues(grant.partitionKey ?? [], partitionKey);
  const keys = granted.length < partitionKey.paths.length ? keysOf(request) : undefined;
  const within = effectiveKeyPrefixRange(partitionKey, granted);
  if (keys !== undefined && keys.min >= within.min && keys.max <= within.max) return;
  throw forbidden(`This resource token is for one partition key; name it in the header ${header.partitionKey}.`);
}

function grantedValues(
  partitionKey: readonly unknown[],
  definition: Place['info']['definition']['partitionKey'],
): PartitionKeyValues {
  try {
    return parsePartitionKeyHeader(JSON.stringify(partitionKey), definition, { prefix: true });
  } catch (error) {
    if (!isDatabaseError(error)) throw error;
    throw forbidden('The partition key of the permission is not one that this container can have.');
  }
}

async function checkChild(id: string, asked: Asked, { path }: RequestHead, place: Place): Promise<void> {
  const wanted = path.ids[2] ?? '';
  const name = place.isByRid ? (await place.container.readByRid(wanted))?.value.id : wanted;
  if (name !== id) throw outOfScope(asked);
}

function outOfScope({ operation }: Asked): DatabaseError {
  return forbidden(`Insufficient permissions: the permission of this resource token does not cover this ${operation}.`);
}

function otherKey(): DatabaseError {
  return forbidden('Insufficient permissions: the permission of this resource token is for another partition key.');
}

function forbidden(message: string): DatabaseError {
  return new DatabaseError('forbidden', message);
}
