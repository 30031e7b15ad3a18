// Two hosts over HTTP and an endpoint that fails at random, before and after it has done what it was asked for: nothing is lost, no position
// goes back, and when the faults end the group is at peace.

import { RestClient } from '@tidemark/client';
import { openDatabase } from '@tidemark/engine';
import { startServer, wellKnownKey } from '@tidemark/server';
import { expect, test, vi } from 'vitest';
import { createProcessor } from '../src/create-processor.ts';
import type { ProcessorEvent } from '../src/events.ts';
import { openGroup } from '../src/operate.ts';

vi.setConfig({ testTimeout: 360_000 });

const faults = [
  { kind: '503', operation: 'replace', when: 'after', probability: 0.15 },
  { kind: '503', operation: 'replace', when: 'before', probability: 0.1 },
  { kind: '429', operation: 'replace', probability: 0.1, retryAfterMs: 20 },
  { kind: 'reset', operation: 'create', probability: 0.05 },
  { kind: '503', operation: 'read', probability: 0.1 },
  { kind: '503', operation: 'query', probability: 0.1 },
  { kind: '429', operation: 'feed', probability: 0.15, retryAfterMs: 10 },
  { kind: 'reset', operation: 'feed', probability: 0.1 },
  { kind: '410', operation: 'feed', probability: 0.1 },
] as const;

test.each([1, 2])(
  '[S3] [S10] [S12] [S14] a group lives through an endpoint that fails at random, seed %i',
  async (seed) => {
    await using database = await openDatabase({ memory: true });
    await using server = await startServer({ database, chaos: true });
    const client = new RestClient({ endpoint: server.url, credential: { key: wellKnownKey } });
    await database.createDatabase('db');
    const definition = (id: string, path: string): object => ({ id, partitionKey: { paths: [path], version: 2 } });
    const source = await database.createContainer('db', definition('orders', '/pk'), { ranges: 3 });
    await database.createContainer('db', definition('leases', '/id'));
    const at = (container: string) => ({ endpoint: server.url, key: wellKnownKey, database: 'db', container });
    const group = { source: at('orders'), leases: at('leases'), name: 'group' };
    const seen = new Map<string, number>();
    const positions = new Map<string, number>();
    const steps: string[] = [];
    const onEvent = (event: ProcessorEvent): void => {
      if (event.type !== 'checkpoint') return;
      const lsn = Number(event.position.replaceAll('"', ''));
      if (lsn < (positions.get(event.leaseToken) ?? 0)) steps.push(`${event.leaseToken} went back to ${lsn}`);
      positions.set(event.leaseToken, lsn);
    };
    const hosts = ['a', 'b'].map((instance) =>
      createProcessor<{ id: string }>({
        ...group,
        instance,
        start: 'beginning',
        itemsMax: 5,
        leaseAcquireMs: 100,
        leaseRenewMs: 300,
        leaseExpirationMs: 6_000,
        joinMs: 10,
        onEvent,
        handler: (orders) => {
          for (const { id } of orders) seen.set(id, (seen.get(id) ?? 0) + 1);
        },
      }),
    );
    await Promise.all(hosts.map((host) => host.start()));
    for (const fault of faults) await client.admin('POST', ['faults'], { ...fault, seed, durationMs: 600_000 });
    for (let n = 0; n < 400; n += 1) await source.create({ id: `${n}`, pk: `k${n % 17}` });
    await vi.waitUntil(() => seen.size === 400, { timeout: 120_000 });
    const struck = Object((await client.admin('GET', ['faults'])).json()) as { faults?: { hits: number }[] };

    await client.admin('DELETE', ['faults']);
    const desk = openGroup(group);
    await vi.waitUntil(async () => (await desk.lag()).items === 0, { timeout: 120_000 });
    const status = await desk.status();
    await Promise.all(hosts.map((host) => host.stop()));

    expect(struck.faults?.reduce((sum, { hits }) => sum + hits, 0)).toBeGreaterThan(20);
    expect(steps).toEqual([]);
    expect(seen.size).toBe(400);
    expect(status.problems).toEqual([]);
    expect(new Set(status.ranges.map(({ owner }) => owner))).toEqual(new Set(['a', 'b']));
  },
);
