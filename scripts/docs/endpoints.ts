// The endpoints of the protocol, from the route table.

import type { ResourceKind } from '@tidemark/model';
import { formatResourcePath, header } from '@tidemark/model';
import { adminRoutes } from '../../packages/server/src/admin/admin-route.ts';
import type { Operation } from '../../packages/server/src/route.ts';
import { routes } from '../../packages/server/src/route.ts';
import { code, table } from './table.ts';

/** What stands for the ids in paths; of everything else it is a container and something in it. */
const namesOf: Readonly<Partial<Record<ResourceKind, readonly string[]>>> = {
  account: [],
  database: ['{db}'],
  container: ['{db}', '{c}'],
  user: ['{db}', '{user}'],
  permission: ['{db}', '{user}', '{permission}'],
  'client-encryption-key': ['{db}', '{key}'],
  offer: ['{rid}'],
};

/** By the name of the condition in the route table. */
const conditions: Readonly<Record<string, string>> = {
  isQuery: 'a query',
  isQueryPlan: `with ${code(`${header.isQueryPlan}: true`)}`,
  isBatch: `with ${code(header.isBatch)} and ${code(`${header.isBatchAtomic}: true`)}`,
  isBulk: `with ${code(header.isBatch)} alone`,
  isUpsert: `with ${code(`${header.isUpsert}: true`)}`,
  isChangeFeed: `with ${code(header.changeFeed)}`,
  isStream: 'with `Accept: text/event-stream`',
  isNoOperation: '',
  isPartitionDelete: 'deletes everything of a partition key',
};

/** By the name of the handler: those that can only refuse, and those that have nothing to show. */
const refusals: Readonly<Record<string, string>> = {
  refuseQuery: '501',
  refuse: '501',
  listAbsent: 'always empty',
  findAbsent: '404',
};

function pathOf({ verb, kind, isFeed }: Operation): string {
  const names = namesOf[kind] ?? ['{db}', '{c}', '{id}'];
  const ids = isFeed ? names.slice(0, -1) : names;
  // The only thing that a container is sent by POST.
  const operation = verb === 'POST' && kind === 'container' && !isFeed ? 'partitionkeydelete' : undefined;
  return decodeURIComponent(formatResourcePath({ kind, isFeed, ids, operation }));
}

export function endpointsPart(): string {
  const kinds = [...new Set(routes.map(({ kind }) => kind))];
  const parts = kinds.map((kind) => {
    const rows = routes
      .filter((route) => route.kind === kind)
      .map((route) => [code(`${route.verb} ${pathOf(route)}`), code(route.operation), noteOf(route)]);
    return `## ${titleOf(kind)}\n\n${table(['verb and path', 'operation', 'remarks'], rows)}`;
  });
  return parts.join('\n\n');
}

export function adminPart(): string {
  const rows = adminRoutes.map(({ verb, path, what }) => [code(`${verb} ${path}`), what]);
  return table(['verb and path', 'what'], rows);
}

function titleOf(kind: ResourceKind): string {
  const words = kind.replaceAll('-', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${kind === 'account' ? '' : 's'}`;
}

function noteOf({ when, handle }: Operation): string {
  const condition = when === undefined ? '' : conditions[when.name];
  if (condition === undefined) throw new Error(`scripts/docs/endpoints.ts: say in words when ${when?.name} holds`);
  return [condition, refusals[handle.name] ?? ''].filter((text) => text !== '').join('; ');
}
