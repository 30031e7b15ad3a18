// Resource paths: `/dbs/x/colls/y/docs/z`, by name or by `_rid`, as the typed thing that a request is about, together with
// the two strings that a signature is made over (wire 3).
//
// Wire: leading `//` and a trailing `/` occur (`_self` links); each segment is percent-decoded exactly once and `+` is never
// a space (wire 1, 4). Whether a path is by name or by rid cannot be told from its text alone: a database may be named like
// a rid. Names are tried first; `ridLink` is there when every id of the path could be a rid.

import { DatabaseError } from './errors.ts';
import type { ResourceIdKind } from './resource-id.ts';
import { parseResourceId } from './resource-id.ts';

export type ResourceKind =
  | 'account'
  | 'database'
  | 'container'
  | 'document'
  | 'attachment'
  | 'stored-procedure'
  | 'trigger'
  | 'user-defined-function'
  | 'conflict'
  | 'partition-key-range'
  | 'schema'
  | 'user'
  | 'permission'
  | 'client-encryption-key'
  | 'offer'
  | 'media'
  | 'address';

export interface ResourcePath {
  readonly kind: ResourceKind;
  /** True for the collection of resources under a parent: `/dbs/x/colls`. */
  readonly isFeed: boolean;
  /** Names or rids from the outside in, as decoded; a feed has one less than its depth. */
  readonly ids: readonly string[];
  /** The type segment, lower case, as it is signed: `docs`. */
  readonly resourceType: string;
  /** Signed by name: the decoded path of the resource, or of the parent for a feed. No slash at either end. */
  readonly link: string;
  /** Signed by rid: the rid of the resource, or of the parent for a feed, in lower case. */
  readonly ridLink: string | undefined;
  /** The verb-like tail `operations/<name>` of a container path. */
  readonly operation: string | undefined;
}

/** The typed path, or undefined if there is no such kind of resource. Fails on a broken percent escape. */
export function parseResourcePath(path: string): ResourcePath | undefined {
  const segments = decodedSegments(path);
  let level: Level = root;
  let kind: ResourceKind = 'account';
  let resourceType = '';
  const ids: string[] = [];
  let at = 0;
  while (at < segments.length) {
    const type = segments[at]?.toLowerCase() ?? '';
    if (kind === 'container' && type === 'operations') {
      const operation = segments[at + 1];
      if (operation === undefined || at + 2 !== segments.length) return undefined;
      return finish(kind, false, ids, resourceType, segments.slice(0, at), operation);
    }
    const next: ResourceKind | undefined = Object.hasOwn(level, type) ? level[type] : undefined;
    if (next === undefined) return undefined;
    kind = next;
    resourceType = type;
    level = levelBelow[kind] ?? leaf;
    const id = segments[at + 1];
    if (id === undefined) return finish(kind, true, ids, resourceType, segments.slice(0, at), undefined);
    ids.push(id);
    at += 2;
  }
  return finish(kind, false, ids, resourceType, segments, undefined);
}

/** The path of a resource or feed, percent-encoded, with a leading slash. The inverse of parsing. */
export function formatResourcePath(path: Pick<ResourcePath, 'kind' | 'isFeed' | 'ids' | 'operation'>): string {
  const types = typeSegments[path.kind];
  let text = '';
  for (const [index, type] of types.entries()) {
    text += `/${type}`;
    const id = path.ids[index];
    if (id !== undefined) text += `/${encodeURIComponent(id)}`;
  }
  if (path.operation !== undefined) text += `/operations/${encodeURIComponent(path.operation)}`;
  return text === '' ? '/' : text;
}

type Level = Readonly<Record<string, ResourceKind>>;

const leaf: Level = {};

const root: Level = { dbs: 'database', offers: 'offer', media: 'media', addresses: 'address' };

const levelBelow: Readonly<Partial<Record<ResourceKind, Level>>> = {
  database: { colls: 'container', users: 'user', clientencryptionkeys: 'client-encryption-key' },
  container: {
    docs: 'document',
    sprocs: 'stored-procedure',
    triggers: 'trigger',
    udfs: 'user-defined-function',
    conflicts: 'conflict',
    pkranges: 'partition-key-range',
    schemas: 'schema',
  },
  document: { attachments: 'attachment' },
  user: { permissions: 'permission' },
};

const inContainer: readonly string[] = ['dbs', 'colls'];

const typeSegments: Readonly<Record<ResourceKind, readonly string[]>> = {
  account: [],
  database: ['dbs'],
  container: inContainer,
  document: [...inContainer, 'docs'],
  attachment: [...inContainer, 'docs', 'attachments'],
  'stored-procedure': [...inContainer, 'sprocs'],
  trigger: [...inContainer, 'triggers'],
  'user-defined-function': [...inContainer, 'udfs'],
  conflict: [...inContainer, 'conflicts'],
  'partition-key-range': [...inContainer, 'pkranges'],
  schema: [...inContainer, 'schemas'],
  user: ['dbs', 'users'],
  permission: ['dbs', 'users', 'permissions'],
  'client-encryption-key': ['dbs', 'clientencryptionkeys'],
  offer: ['offers'],
  media: ['media'],
  address: ['addresses'],
};

/** A container, and whatever lies in one: their paths begin with a database and a container. */
export const kindsInContainers: ReadonlySet<ResourceKind> = new Set(
  // Its names are all that there are.
  (Object.keys(typeSegments) as ResourceKind[]).filter((kind) => typeSegments[kind][1] === inContainer[1]),
);

function finish(
  kind: ResourceKind,
  isFeed: boolean,
  ids: readonly string[],
  resourceType: string,
  linkSegments: readonly string[],
  operation: string | undefined,
): ResourcePath {
  const ridLink = ridLinkOf(kind, isFeed, ids);
  return { kind, isFeed, ids, resourceType, link: linkSegments.join('/'), ridLink, operation };
}

function decodedSegments(path: string): string[] {
  const segments: string[] = [];
  let start = 0;
  while (start <= path.length) {
    const slash = path.indexOf('/', start);
    const end = slash === -1 ? path.length : slash;
    // Empty segments come from doubled, leading and trailing slashes only: no id is empty.
    if (end > start) segments.push(decodeSegment(path.slice(start, end)));
    start = end + 1;
  }
  return segments;
}

function decodeSegment(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    throw new DatabaseError('bad-request', `The path segment '${segment}' is not valid percent encoding.`, {
      cause: error,
    });
  }
}

/** Lower case of the last id if every id is a rid of its kind and lies inside the one before it. */
function ridLinkOf(kind: ResourceKind, isFeed: boolean, ids: readonly string[]): string | undefined {
  const types = typeSegments[kind];
  let owner: readonly number[] = [];
  for (const [index, id] of ids.entries()) {
    const expected = ridKindOfType[types[index] ?? ''];
    const rid = expected === undefined ? undefined : parseResourceId(id);
    if (rid === undefined || rid.kind !== expected) return undefined;
    if (!owner.every((number, part) => rid.parts[part] === number)) return undefined;
    owner = rid.parts;
  }
  const last = ids.at(-1);
  if (last === undefined) return isFeed || kind === 'account' ? '' : undefined;
  return last.toLowerCase();
}

const ridKindOfType: Readonly<Record<string, ResourceIdKind | undefined>> = {
  dbs: 'database',
  colls: 'container',
  docs: 'document',
  attachments: 'attachment',
  sprocs: 'stored-procedure',
  triggers: 'trigger',
  udfs: 'user-defined-function',
  conflicts: 'conflict',
  pkranges: 'partition-key-range',
  schemas: 'schema',
  users: 'user',
  // Its rid has the form of a user's.
  clientencryptionkeys: 'user',
  permissions: 'permission',
  offers: 'offer',
};
