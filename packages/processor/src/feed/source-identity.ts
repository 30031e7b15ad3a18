// What a container's definition says about who it is.

import type { PartitionKeyDefinition } from '@tidemark/model';
import { DatabaseError, isDatabaseError, validatePartitionKeyDefinition } from '@tidemark/model';
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
    partitionKey: definitionOf(partitionKey),
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

/** Undefined for one that is not understood here: then nobody computes with it. */
function definitionOf(partitionKey: unknown): PartitionKeyDefinition | undefined {
  try {
    return validatePartitionKeyDefinition(partitionKey);
  } catch (error) {
    if (isDatabaseError(error)) return undefined;
    throw error;
  }
}
