// What a container's definition says about who it is.

import { DatabaseError } from '@tidemark/model';
import type { SourceIdentity } from './feed-source.ts';

export function identityOf(definition: unknown, endpoint: string, name: string): SourceIdentity {
  const { _rid, _self, partitionKey }: Record<string, unknown> = Object(definition);
  const databaseRid = typeof _self === 'string' ? /^\/?dbs\/([^/]+)\//.exec(_self)?.[1] : undefined;
  if (typeof _rid !== 'string' || databaseRid === undefined) {
    throw new DatabaseError(
      'bad-request',
      `The definition of ${name} has no rids: is ${endpoint} an endpoint of Cosmos DB?`,
    );
  }
  return {
    account: accountOf(endpoint),
    databaseRid,
    containerRid: _rid,
    name,
    partitionKeyPaths: pathsOf(partitionKey),
  };
}

/** The host without its port: hosts of .NET begin the ids of their leases with it. */
function accountOf(endpoint: string): string {
  return new URL(endpoint).hostname;
}

function pathsOf(partitionKey: unknown): string[] {
  const { paths }: { paths?: unknown } = Object(partitionKey);
  return Array.isArray(paths) ? paths.filter((path) => typeof path === 'string') : [];
}
