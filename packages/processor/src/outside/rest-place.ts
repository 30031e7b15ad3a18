// Where a container is that the HTTP client reaches, for people.

import type { RestClient } from '@tidemark/client';
import { nearContainer } from '@tidemark/client';
import type { ContainerPlace } from '../environment.ts';

export function placeOf(client: RestClient, database: string, container: string): ContainerPlace {
  const near = (signal: AbortSignal) => nearContainer(client, database, container, { signal, retryMsMax: 0 });
  return { endpoint: client.endpoint, container: `${database}/${container}`, near };
}
