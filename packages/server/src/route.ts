// Step 3: the table from kind of resource and verb to the handler. What is not in it is answered with an error that names
// what is missing.

import type { ResourceKind } from '@tidemark/model';
import { DatabaseError, header } from '@tidemark/model';
import { isEventStream } from './event-source.ts';
import type { Handler } from './handler.ts';
import type { AbsentKind } from './handlers/absent.ts';
import { findAbsent, listAbsent, refusing } from './handlers/absent.ts';
import { readAccount } from './handlers/account.ts';
import { commitBatch, commitBulk } from './handlers/batch.ts';
import { streamChanges } from './handlers/change-stream.ts';
import { readChanges } from './handlers/changes.ts';
import {
  createClientKey,
  listClientKeys,
  readClientKeyAt,
  replaceClientKey,
} from './handlers/client-encryption-keys.ts';
import {
  createContainer,
  deleteContainer,
  listContainers,
  readContainer,
  replaceContainer,
} from './handlers/containers.ts';
import { createDatabase, deleteDatabase, listDatabases, readDatabase } from './handlers/databases.ts';
import { listDocuments } from './handlers/document-list.ts';
import {
  createDocument,
  deleteDocument,
  deletePartition,
  patchDocument,
  readDocument,
  replaceDocument,
} from './handlers/documents.ts';
import { listOffers, readOffer, replaceOffer } from './handlers/offers.ts';
import { listRanges, readRange } from './handlers/partition-ranges.ts';
import {
  createPermission,
  deletePermission,
  listPermissions,
  readPermission,
  replacePermission,
} from './handlers/permissions.ts';
import { planQuery, queryDocuments } from './handlers/queries.ts';
import { createUser, deleteUser, listUsers, readUser, replaceUser } from './handlers/users.ts';
import type { RequestHead } from './request.ts';
import { isHeaderTrue, textOfHeader } from './request.ts';

interface Route {
  readonly verb: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly kind: ResourceKind;
  readonly isFeed: boolean;
  /** Of several routes for one verb and kind the first whose condition holds is taken. */
  readonly when?: (request: RequestHead) => boolean;
  /** What metrics, logs and faults call it. Left out: made of verb and kind, `read-container`. */
  readonly operation?: string;
  /** Where the partition keys stand that a resource token is checked against, if not in the header. */
  readonly keysIn?: 'body' | 'nowhere';
  /** What is sent, where that has a limit of its own. */
  readonly bodyOf?: 'document' | 'batch';
  /** Its charge is taken from the throughput of the container that it is about. */
  readonly isMetered?: boolean;
  readonly handle: Handler;
}

/** A route with its name, and what else follows from it. */
export type Operation = Route & {
  readonly operation: string;
  /** Changes nothing. */
  readonly isRead: boolean;
};

const item = { isFeed: false } as const;
const feed = { isFeed: true } as const;
const charged = { isMetered: true } as const;
const ofDocument = { bodyOf: 'document' } as const;
const ofBatch = { bodyOf: 'batch' } as const;

/** Queries come by POST as well, so this stands before creating them. Whoever lists also answers queries. */
function query(kind: ResourceKind, handle: Handler): Route {
  return { verb: 'POST', kind, ...feed, when: isQuery, operation: `query-${kind}s`, handle };
}

/** Nobody can make one yet, so there are none. */
function script(kind: AbsentKind): Route[] {
  const refuse = refusing(kind);
  return [
    query(kind, listAbsent),
    { verb: 'POST', kind, ...feed, handle: refuse },
    { verb: 'GET', kind, ...feed, handle: listAbsent },
    { verb: 'GET', kind, ...item, handle: findAbsent },
    { verb: 'PUT', kind, ...item, handle: refuse },
    { verb: 'DELETE', kind, ...item, handle: findAbsent },
  ];
}

const table: readonly Route[] = [
  { verb: 'GET', kind: 'account', ...item, operation: 'account', handle: readAccount },

  query('database', listDatabases),
  { verb: 'POST', kind: 'database', ...feed, handle: createDatabase },
  { verb: 'GET', kind: 'database', ...feed, handle: listDatabases },
  { verb: 'GET', kind: 'database', ...item, handle: readDatabase },
  { verb: 'DELETE', kind: 'database', ...item, handle: deleteDatabase },

  query('container', listContainers),
  { verb: 'POST', kind: 'container', ...feed, handle: createContainer },
  { verb: 'GET', kind: 'container', ...feed, handle: listContainers },
  { verb: 'GET', kind: 'container', ...item, when: isNoOperation, handle: readContainer },
  { verb: 'PUT', kind: 'container', ...item, when: isNoOperation, handle: replaceContainer },
  { verb: 'DELETE', kind: 'container', ...item, when: isNoOperation, handle: deleteContainer },
  {
    verb: 'POST',
    kind: 'container',
    ...item,
    when: isPartitionDelete,
    ...charged,
    operation: 'delete-partition',
    handle: deletePartition,
  },

  query('user', listUsers),
  { verb: 'POST', kind: 'user', ...feed, handle: createUser },
  { verb: 'GET', kind: 'user', ...feed, handle: listUsers },
  { verb: 'GET', kind: 'user', ...item, handle: readUser },
  { verb: 'PUT', kind: 'user', ...item, handle: replaceUser },
  { verb: 'DELETE', kind: 'user', ...item, handle: deleteUser },

  query('permission', listPermissions),
  { verb: 'POST', kind: 'permission', ...feed, handle: createPermission },
  { verb: 'GET', kind: 'permission', ...feed, handle: listPermissions },
  { verb: 'GET', kind: 'permission', ...item, handle: readPermission },
  { verb: 'PUT', kind: 'permission', ...item, handle: replacePermission },
  { verb: 'DELETE', kind: 'permission', ...item, handle: deletePermission },

  query('client-encryption-key', listClientKeys),
  { verb: 'POST', kind: 'client-encryption-key', ...feed, handle: createClientKey },
  { verb: 'GET', kind: 'client-encryption-key', ...feed, handle: listClientKeys },
  { verb: 'GET', kind: 'client-encryption-key', ...item, handle: readClientKeyAt },
  { verb: 'PUT', kind: 'client-encryption-key', ...item, handle: replaceClientKey },

  query('conflict', listAbsent),
  { verb: 'GET', kind: 'conflict', ...feed, handle: listAbsent },
  { verb: 'GET', kind: 'conflict', ...item, handle: findAbsent },
  { verb: 'DELETE', kind: 'conflict', ...item, handle: findAbsent },

  ...script('stored-procedure'),
  {
    verb: 'POST',
    kind: 'stored-procedure',
    ...item,
    operation: 'execute-stored-procedure',
    handle: refusing('stored-procedure'),
  },
  ...script('trigger'),
  ...script('user-defined-function'),

  query('offer', listOffers),
  { verb: 'GET', kind: 'offer', ...feed, handle: listOffers },
  { verb: 'GET', kind: 'offer', ...item, handle: readOffer },
  { verb: 'PUT', kind: 'offer', ...item, handle: replaceOffer },

  { verb: 'GET', kind: 'partition-key-range', ...feed, operation: 'ranges', handle: listRanges },
  { verb: 'GET', kind: 'partition-key-range', ...item, operation: 'range', handle: readRange },

  {
    verb: 'POST',
    kind: 'document',
    ...feed,
    when: isQueryPlan,
    operation: 'query-plan',
    keysIn: 'nowhere',
    handle: planQuery,
  },
  {
    verb: 'POST',
    kind: 'document',
    ...charged,
    ...feed,
    when: isQuery,
    operation: 'query',
    handle: queryDocuments,
  },
  {
    verb: 'POST',
    kind: 'document',
    ...charged,
    ...feed,
    ...ofBatch,
    when: isBatch,
    operation: 'batch',
    handle: commitBatch,
  },
  {
    verb: 'POST',
    kind: 'document',
    ...feed,
    ...ofBatch,
    when: isBulk,
    operation: 'bulk',
    keysIn: 'body',
    handle: commitBulk,
  },
  {
    verb: 'POST',
    kind: 'document',
    ...charged,
    ...feed,
    ...ofDocument,
    when: isUpsert,
    operation: 'upsert',
    handle: createDocument,
  },
  { verb: 'POST', kind: 'document', ...charged, ...feed, ...ofDocument, operation: 'create', handle: createDocument },
  { verb: 'GET', kind: 'document', ...feed, when: isStream, operation: 'stream', handle: streamChanges },
  { verb: 'GET', kind: 'document', ...charged, ...feed, when: isChangeFeed, operation: 'feed', handle: readChanges },
  { verb: 'GET', kind: 'document', ...charged, ...feed, operation: 'list', handle: listDocuments },
  { verb: 'GET', kind: 'document', ...charged, ...item, operation: 'read', handle: readDocument },
  { verb: 'PUT', kind: 'document', ...charged, ...item, ...ofDocument, operation: 'replace', handle: replaceDocument },
  { verb: 'PATCH', kind: 'document', ...charged, ...item, ...ofDocument, operation: 'patch', handle: patchDocument },
  { verb: 'DELETE', kind: 'document', ...charged, ...item, operation: 'delete', handle: deleteDocument },
];

const verbWords: Readonly<Record<Route['verb'], string>> = {
  GET: 'read',
  POST: 'create',
  PUT: 'replace',
  PATCH: 'patch',
  DELETE: 'delete',
};

export const routes: readonly Operation[] = table.map((route) => ({
  ...route,
  operation: operationOf(route),
  isRead: route.verb === 'GET' || route.when === isQuery || route.when === isQueryPlan,
}));

/** Their names, each once. */
export const operations: readonly string[] = [...new Set(routes.map((route) => route.operation))];

/** Throws not-supported where nothing is built for this kind of resource yet, and method-not-allowed for its other verbs. */
export function routeOf(request: RequestHead): Operation {
  const { kind, isFeed, operation } = request.path;
  const ofPath = byPath.get(pathKey(kind, isFeed)) ?? [];
  for (const route of ofPath) {
    if (route.verb === request.verb && (route.when?.(request) ?? true)) return route;
  }
  const what = operation === undefined ? nameOf(kind, isFeed) : `the operation '${operation}' of a container`;
  if (ofPath.length === 0 || operation !== undefined) {
    throw new DatabaseError('not-supported', `${request.verb} of ${what} is not supported yet.`);
  }
  const verbs = [...new Set(ofPath.map((route) => route.verb))].join(', ');
  throw new DatabaseError('method-not-allowed', `${request.verb} is no verb of ${what}; there are ${verbs}.`);
}

const byPath: ReadonlyMap<string, readonly Operation[]> = groupByPath(routes);

function operationOf({ verb, kind, isFeed, operation }: Route): string {
  if (operation !== undefined) return operation;
  return isFeed && verb === 'GET' ? `list-${kind}s` : `${verbWords[verb]}-${kind}`;
}

function groupByPath(all: readonly Operation[]): Map<string, Operation[]> {
  const groups = new Map<string, Operation[]>();
  for (const route of all) {
    const key = pathKey(route.kind, route.isFeed);
    groups.set(key, [...(groups.get(key) ?? []), route]);
  }
  return groups;
}

function pathKey(kind: ResourceKind, isFeed: boolean): string {
  return isFeed ? `${kind} feed` : kind;
}

function nameOf(kind: ResourceKind, isFeed: boolean): string {
  const words = kind.replaceAll('-', ' ');
  return isFeed ? `the list of ${words} resources` : `a ${words}`;
}

function isNoOperation(request: RequestHead): boolean {
  return request.path.operation === undefined;
}

function isPartitionDelete(request: RequestHead): boolean {
  return request.path.operation?.toLowerCase() === 'partitionkeydelete';
}

function isBatch(request: RequestHead): boolean {
  return isHeaderTrue(request, header.isBatch) && isHeaderTrue(request, header.isBatchAtomic);
}

function isUpsert(request: RequestHead): boolean {
  return isHeaderTrue(request, header.isUpsert);
}

/** Wire: a bulk says explicitly that it is not atomic (wire 8). */
function isBulk(request: RequestHead): boolean {
  return isHeaderTrue(request, header.isBatch);
}

function isStream(request: RequestHead): boolean {
  return isEventStream(request.headers);
}

function isChangeFeed(request: RequestHead): boolean {
  return textOfHeader(request, header.changeFeed) !== undefined;
}

function isQueryPlan(request: RequestHead): boolean {
  return isHeaderTrue(request, header.isQueryPlan);
}

function isQuery(request: RequestHead): boolean {
  const type = textOfHeader(request, header.contentType) ?? '';
  if (type.toLowerCase().startsWith('application/query+json')) return true;
  return isHeaderTrue(request, header.isQuery) || isHeaderTrue(request, header.isQueryPlan);
}
