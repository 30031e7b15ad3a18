// Two hosts read a container whose ranges are split and merged while it is written to, over every kind of adapter: every change comes, and
// those of a key in their order.

import { CosmosClient } from '@azure/cosmos';
import type { Container } from '@tidemark/engine';
import { wellKnownKey } from '@tidemark/server';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createProcessor } from '../src/create-processor.ts';
import type { CommonOptions } from '../src/options.ts';
import { AdapterBench } from './adapter-bench.ts';

vi.setConfig({ testTimeout: 360_000 });

let bench: AdapterBench;
beforeAll(async () => {
  bench = await AdapterBench.open();
});
afterAll(() => bench.close());

interface Order {
  readonly id: string;
  readonly pk: string;
  readonly n: number;
}

const ways: readonly [string, (container: Container) => CommonOptions['source'] & CommonOptions['leases']][] = [
  ['HTTP', ({ id }) => ({ endpoint: bench.server.url, key: wellKnownKey, database: 'db', container: id })],
  [
    'a CosmosClient',
    ({ id }) => ({
      client: new CosmosClient({ endpoint: bench.server.url, key: wellKnownKey }),
      database: 'db',
      container: id,
    }),
  ],
  ['an engine', (container) => container],
];

const keys = 12;
const rounds = 6;
const writesInRound = 60;

test.each(ways)('[B3] [S15] [S20] [S21] splits and merges under two hosts lose nothing, over %s', async (_, way) => {
  const source = await bench.container('/pk');
  const leases = await bench.container('/id');
  const seen = new Map<string, number>();
  const last = new Map<string, number>();
  const disorder: string[] = [];
  const hosts = ['a', 'b'].map((instance) =>
    createProcessor<Order>({
      source: way(source),
      leases: way(leases),
      name: 'group',
      instance,
      start: 'beginning',
      lanes: 3,
      itemsMax: 7,
      leaseAcquireMs: 100,
      leaseRenewMs: 500,
      leaseExpirationMs: 6_000,
      joinMs: 10,
      pollMs: 50,
      pollMsMin: 10,
      handler: (orders) => {
        for (const { id, pk, n } of orders) {
          const isFirst = !seen.has(id);
          seen.set(id, (seen.get(id) ?? 0) + 1);
          if (isFirst && n < (last.get(pk) ?? 0)) disorder.push(`${pk}: ${n} after ${last.get(pk)}`);
          if (isFirst) last.set(pk, n);
        }
      },
    }),
  );
  await Promise.all(hosts.map((host) => host.start()));

  let n = 0;
  for (let round = 0; round < rounds; round += 1) {
    for (let i = 0; i < writesInRound; i += 1) {
      n += 1;
      await source.create({ id: `${n}`, pk: `k${n % keys}`, n });
    }
    const [first, second] = source.ranges;
    if (round % 3 === 2 && first !== undefined && second !== undefined) await source.merge(first.id, second.id);
    else await source.split(source.ranges[round % source.ranges.length]?.id ?? '');
  }
  await vi.waitUntil(() => seen.size === n, { timeout: 240_000 });
  await Promise.all(hosts.map((host) => host.stop()));

  expect(disorder).toEqual([]);
  expect(seen.size).toBe(rounds * writesInRound);
});
