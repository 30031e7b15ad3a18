// From the path of a request to the database and container that it names, by name or by rid.

import type { Container, ContainerInfo, Database, DatabaseInfo } from '@tidemark/engine';
import type { ResourcePath } from '@tidemark/model';
import { DatabaseError } from '@tidemark/model';

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
  throw new DatabaseError(code, `Resource Not Found: there is no database "${id}".`);
}

export function findContainer(database: Database, path: ResourcePath): Place {
  const owner = findDatabase(database, path);
  const id = path.ids[1];
  const named = id === undefined ? undefined : database.findContainer(owner.id, id);
  const isRid = named === undefined && path.ridLink !== undefined;
  const info = isRid ? database.containers(owner.id).find((each) => each.rid === id) : named;
  if (info === undefined) {
    const code = path.kind === 'container' ? 'not-found' : 'container-not-found';
    throw new DatabaseError(code, `Resource Not Found: there is no container "${id}" in the database "${owner.id}".`);
  }
  const container = database.container(owner.id, info.id);
  return { database: owner, container, info, isByRid: named === undefined };
}
