// From the path of a request to the database, the container and whatever else it names, by name or by rid.

import type { Container, ContainerInfo, Database, DatabaseInfo, NamedInfo, NamedKind } from '@tidemark/engine';
import type { ResourcePath } from '@tidemark/model';
import { DatabaseError, isDatabaseError, parseResourceId } from '@tidemark/model';

/** A container and whose it is. */
export interface Place {
  readonly database: DatabaseInfo;
  readonly container: Container;
  readonly info: ContainerInfo;
  /** The path names it by its rid, and so does it with what is inside. */
  readonly isByRid: boolean;
}

/** The database that the path is about, or in which it is about something: then its absence has a code of its own. */
export function findDatabase(database: Database, path: ResourcePath): DatabaseInfo {
  const [id] = path.ids;
  const named = id === undefined ? undefined : database.findDatabase(id);
  const found =
    named ?? (path.ridLink === undefined ? undefined : database.databases().find((each) => each.rid === id));
  if (found !== undefined) return found;
  const code = path.kind === 'database' ? 'not-found' : 'database-not-found';
  throw new DatabaseError(code, `Resource Not Found: there is no database "${id}"; create it first.`);
}

export function findContainer(database: Database, path: ResourcePath): Place {
  const owner = findDatabase(database, path);
  const id = path.ids[1];
  const named = id === undefined ? undefined : database.findContainer(owner.id, id);
  const info = named ?? (path.ridLink === undefined ? undefined : containerByRid(database, id ?? ''));
  // A database may be named like the rid of another one: then what is inside that one is not inside this.
  if (info === undefined || info.database !== owner.number) {
    const code = path.kind === 'container' ? 'not-found' : 'container-not-found';
    throw new DatabaseError(
      code,
      `Resource Not Found: there is no container "${id}" in the database "${owner.id}"; create it first.`,
    );
  }
  const container = database.containerOf(info);
  return { database: owner, container, info, isByRid: named === undefined };
}

/** Of a path whose ids are rids, each inside the one before it. */
function containerByRid(database: Database, rid: string): ContainerInfo | undefined {
  const number = parseResourceId(rid)?.parts[1];
  try {
    return number === undefined ? undefined : database.engine.container(number);
  } catch (error) {
    if (isDatabaseError(error) && error.code === 'container-not-found') return undefined;
    throw error;
  }
}

/** The user, permission, key or script at this place of the path. */
export function findNamed(
  database: Database,
  path: ResourcePath,
  wanted: { readonly kind: NamedKind; readonly owner: number; readonly at: number },
): NamedInfo {
  const { kind, owner, at } = wanted;
  const id = path.ids[at] ?? '';
  const found = database.resources.find(kind, owner, id) ?? foundByRid(database, path, kind, id);
  if (found !== undefined && found.owners.at(-1) === owner) return found;
  throw new DatabaseError('not-found', `Resource Not Found: there is no ${kind.replaceAll('-', ' ')} "${id}".`);
}

function foundByRid(database: Database, path: ResourcePath, kind: NamedKind, id: string): NamedInfo | undefined {
  return path.ridLink === undefined ? undefined : database.resources.findByRid(kind, id);
}
