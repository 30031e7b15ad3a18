// The whole apparatus has to notice what somebody does behind its back.

import { expect, test } from 'vitest';
import { Load } from './load.ts';

test('a document that is taken away, and one that nobody of the load has written, are found', async () => {
  await using load = await Load.open({ clients: 1, keysPerClient: 1, hosts: 0 });
  load.start();
  await load.untilAcknowledged(40);
  await load.rest();
  expect(load.problems).toEqual([]);

  const key = 'client 0, key 0';
  await load.container.item('busy', key).delete();
  await load.container.items.upsert({ id: 'nobody', pk: key, n: 1_000_000 });
  await load.settle();

  expect(load.problems).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^lost: client 0, key 0 \d+ \(busy\): nothing is there$/),
      'invented: client 0, key 0 1000000 (nobody)',
    ]),
  );
});
