// Asks a server something hostile, again and again, in a process of its own: whoever measures what others see must not read the answers.

import type { SqlQuerySpec } from '@azure/cosmos';
import { CosmosClient } from '@azure/cosmos';
import { wellKnownKey } from '@tidemark/server';
import { databaseId } from '../server/requests.ts';

/** `undefined`: it ends what it asks, and answers when that has ended. */
export interface HostileAsk {
  readonly asks?: { readonly container: string; readonly query: string } | undefined;
}

const client = new CosmosClient({ endpoint: `http://127.0.0.1:${process.argv[2]}`, key: wellKnownKey });
let over = new AbortController();
let asking: Promise<void> | undefined;

process.on('disconnect', () => process.exit(0));
process.on('message', ({ asks }: HostileAsk) => void change(asks).then(() => process.send?.('done')));
process.send?.('ready');

async function change(asks: HostileAsk['asks']): Promise<void> {
  over.abort();
  await asking;
  asking = undefined;
  if (asks === undefined) return;
  over = new AbortController();
  asking = askAgain(asks, over.signal);
}

/** Until it is aborted. That a query is refused, or given up, is an answer as well: the next one comes at once. */
async function askAgain({ container, query }: NonNullable<HostileAsk['asks']>, signal: AbortSignal): Promise<void> {
  const { items } = client.database(databaseId).container(container);
  const spec: SqlQuerySpec = { query };
  while (!signal.aborted) {
    try {
      await items.query(spec, { abortSignal: signal, maxItemCount: 1_000 }).fetchAll();
    } catch {
      // Nobody wants its rows.
    }
  }
}
