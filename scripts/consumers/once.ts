// The processor in TypeScript that is compiled to CommonJS, with its types.

import type { Handler, Processor, RestClient } from '@tidemark/processor';
import { createProcessor, MemoryDocumentStore, MemoryFeedSource } from '@tidemark/processor';

interface Order {
  readonly id: string;
  readonly pk: string;
}

const source = new MemoryFeedSource({ ranges: 1, partitionKey: '/pk' });
source.put({ id: 'a', pk: 'k' });
const handler: Handler<Order> = async (orders) => {
  const ids: string[] = orders.map(({ id }) => id);
  if (ids.join() !== 'a') throw new Error(`there came ${ids}`);
  void processor.stop();
};
const processor: Processor = createProcessor<Order>({
  source,
  leases: new MemoryDocumentStore(),
  name: 'once',
  start: 'beginning',
  logger: false,
  handler,
});
// A definition as README.md writes it: its members are no excess ones.
export const orders = (client: RestClient): Promise<unknown> =>
  client.createContainerIfNotExists('shop', { id: 'orders', partitionKey: { paths: ['/customer'], version: 2 } });
// @ts-expect-error: the types are there, so this is refused.
processor.begin;
processor.start().then(() => processor.stopped);
