// A container that is not there, and the one that was probably meant.

import { nearestName } from '@tidemark/model';
import type { RestClient } from './rest-client.ts';
import type { CallOptions } from './transport.ts';

/** `shop/orders`, or only `shop` where nothing in that database is near; undefined where nothing is. */
export async function nearContainer(
  client: RestClient,
  database: string,
  container: string,
  options: CallOptions,
): Promise<string | undefined> {
  const databases = idsOf(await client.databases(options));
  const isThere = databases.includes(database);
  const owner = isThere ? database : nearestName(database, databases);
  if (owner === undefined) return undefined;
  const containers = idsOf(await client.containers(owner, options));
  const meant = containers.includes(container) ? container : nearestName(container, containers);
  if (meant !== undefined) return isThere && meant === container ? undefined : `${owner}/${meant}`;
  return isThere ? undefined : owner;
}

function idsOf(resources: readonly Readonly<Record<string, unknown>>[]): string[] {
  return resources.map(({ id }) => String(id));
}
