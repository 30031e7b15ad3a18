// The first lines for people: where the server is, with which key, where the data is, and five lines to paste. The connection string is
// a line for a shell, which would cut the bare one at its first semicolon.

import { wellKnownKey } from '@tidemark/model';

export interface Welcome {
  readonly url: string;
  /** Undefined keeps nothing. */
  readonly folder: string | undefined;
  readonly isWellKnownKey: boolean;
  /** Where the keys come from: `TIDEMARK_KEY`, `keys.json`. */
  readonly keyOrigin: string;
  /** What to trust for HTTPS; undefined with a certificate of one's own. */
  readonly authority: string | undefined;
  readonly docs: string;
}

export function welcomeText({ url, folder, isWellKnownKey, keyOrigin, authority, docs }: Welcome): string {
  const key = isWellKnownKey ? wellKnownKey : `<the primary key of ${keyOrigin}>`;
  const keyInCode = isWellKnownKey ? `'${wellKnownKey}'` : 'process.env.TIDEMARK_KEY';
  return `
Tidemark is ready.

  endpoint            ${url}
  connection string   export COSMOS_CONNECTION_STRING='AccountEndpoint=${url}/;AccountKey=${key};'
  key                 ${isWellKnownKey ? 'the emulator’s, which everybody knows' : `of ${keyOrigin}`}
  data                ${folder ?? 'in memory: nothing is kept'}
  https               ${authority ?? 'on the same port, with your certificate'}
  documentation       ${docs}

  import { CosmosClient } from '@azure/cosmos';
  const client = new CosmosClient({ endpoint: '${url}', key: ${keyInCode} });
  const { database } = await client.databases.createIfNotExists({ id: 'demo' });
  const { container } = await database.containers.createIfNotExists({ id: 'tides', partitionKey: '/port' });
  console.log((await container.items.upsert({ id: '1', port: 'Brest', metres: 7.2 })).resource);

Ctrl-C stops it.
`;
}
