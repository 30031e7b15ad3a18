// A permission: what its user may do with a container or with something in one (wire 14).

import type { Database, DatabaseInfo } from '@tidemark/engine';
import type { ResourceKind, ResourcePath } from '@tidemark/model';
import { DatabaseError, isDatabaseError, parseResourcePath } from '@tidemark/model';
import { tokenSecondsByDefault, tokenSecondsMax, tokenSecondsMin } from './limits.ts';
import { findContainer } from './resources.ts';

/** What the catalog keeps of it. */
export interface PermissionValue {
  /** Wire: the JavaScript client writes `read`, others `Read`; it is given back as it came. */
  readonly permissionMode: string;
  readonly resource: string;
  readonly resourcePartitionKey?: readonly unknown[];
}

/** What a permission is about, found by name and by rid alike. */
export interface PermissionScope {
  /** The number of the container; undefined while there is none of that name. */
  readonly container: number | undefined;
  /** Something in the container; undefined: all of it. */
  readonly child: { readonly kind: ResourceKind; readonly id: string } | undefined;
}

export interface ReadPermission {
  readonly id: string;
  readonly value: PermissionValue;
  /** A user has one permission for each resource, and of a container one for each partition key. */
  readonly unique: string;
}

/** Throws bad-request. */
export function readPermission(body: unknown): ReadPermission {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw invalid('A permission is a JSON object.');
  const { id, permissionMode, resource, resourcePartitionKey } = body as Readonly<Record<string, unknown>>;
  if (typeof permissionMode !== 'string' || !modes.has(permissionMode.toLowerCase())) {
    throw invalid("The permissionMode of a permission is 'Read' or 'All'.");
  }
  if (typeof resource !== 'string') throw invalid('The resource of a permission is a path, such as dbs/db/colls/c.');
  const path = pathOf(resource);
  if (resourcePartitionKey !== undefined && !isPartitionKey(resourcePartitionKey)) {
    throw invalid(
      'The resourcePartitionKey of a permission is an array of 1 to 3 strings, numbers, booleans or nulls.',
    );
  }
  const unique = `${path.link} ${resourcePartitionKey === undefined ? '' : JSON.stringify(resourcePartitionKey)}`;
  const value = { permissionMode, resource, ...(resourcePartitionKey === undefined ? {} : { resourcePartitionKey }) };
  // The engine checks what kind of thing the id is.
  return { id: id as string, value, unique };
}

/** `owner` is the database of its user. What is in another one is not found: a user is one of a database. */
export async function scopeOf(
  database: Database,
  owner: number,
  { resource }: Pick<PermissionValue, 'resource'>,
): Promise<PermissionScope> {
  const path = pathOf(resource);
  const nothing = { container: undefined, child: undefined };
  let place: ReturnType<typeof findContainer>;
  try {
    place = findContainer(database, path);
  } catch (error) {
    // It may come later: whoever reads the permission then gets a token that is good for it.
    if (isDatabaseError(error)) return nothing;
    throw error;
  }
  if (place.info.database !== owner) return nothing;
  const container = place.info.number;
  const id = path.ids[2];
  if (id === undefined) return { container, child: undefined };
  if (!place.isByRid) return { container, child: { kind: path.kind, id } };
  const document = path.kind === 'document' ? await place.container.readByRid(id) : undefined;
  return document === undefined ? nothing : { container, child: { kind: 'document', id: document.value.id } };
}

/** Throws bad-request when the resource is one of another database than this. One that is not there yet may come. */
export function checkOwner(database: Database, owner: DatabaseInfo, { resource }: PermissionValue): void {
  const [id = ''] = pathOf(resource).ids;
  if (id === owner.id || id === owner.rid || database.findDatabase(id) === undefined) return;
  throw invalid(`The resource of a permission is in the database of its user, "${owner.id}", not in "${id}".`);
}

/** Wire: from 10 seconds to 5 hours, an hour if the client does not say (wire 3). */
export function tokenSecondsOf(text: string | undefined): number {
  if (text === undefined) return tokenSecondsByDefault;
  const seconds = Number(text);
  if (/^\d+$/.test(text) && seconds >= tokenSecondsMin && seconds <= tokenSecondsMax) return seconds;
  throw invalid(
    `A token is good for ${tokenSecondsMin} to ${tokenSecondsMax} seconds, not for '${text.slice(0, 40)}'.`,
  );
}

const modes: ReadonlySet<string> = new Set(['read', 'all']);

const kinds: ReadonlySet<ResourceKind> = new Set([
  'container',
  'document',
  'stored-procedure',
  'trigger',
  'user-defined-function',
]);

function pathOf(resource: string): ResourcePath {
  const path = parseResourcePath(resource);
  if (path !== undefined && !path.isFeed && path.operation === undefined && kinds.has(path.kind)) return path;
  throw invalid('The resource of a permission is a container, or a document or script in one: dbs/db/colls/c/docs/id.');
}

function isPartitionKey(value: unknown): value is readonly unknown[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > 3) return false;
  return value.every(
    (each) => each === null || ['string', 'number', 'boolean'].includes(typeof each) || isAbsent(each),
  );
}

/** Wire: `{}` is the value of documents that have none. */
function isAbsent(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0 && !Array.isArray(value);
}

function invalid(message: string): DatabaseError {
  return new DatabaseError('bad-request', message);
}
