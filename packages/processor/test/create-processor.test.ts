// The public API against a real server, over HTTP, through the SDK and with an engine in this process.

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { CosmosClient, PermissionMode } from '@azure/cosmos';
import { RestClient } from '@tidemark/client';
import type { Container } from '@tidemark/engine';
import { startServer, wellKnownKey } from '@tidemark/server';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createProcessor } from '../src/create-processor.ts';
import type { ProcessorEvent } from '../src/events.ts';
import type { VersionChange } from '../src/feed/change.ts';
import { openGroup } from '../src/operate.ts';
import type { CommonOptions } from '../src/options.ts';
import type { Processor } from '../src/processor.ts';
import type { StandardSchema } from '../src/pump/schema.ts';
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
}

interface Place {
  readonly source: Container;
  readonly leases: Container;
}

async function place(): Promise<Place> {
  const source = await bench.container('/pk', { changeFeedPolicy: { retentionDuration: 60 } });
  return { source, leases: await bench.container('/id') };
}

const ways: readonly [string, (container: Container) => CommonOptions['source'] & CommonOptions['leases']][] = [
  [
    'an endpoint with a key',
    ({ id }) => ({ endpoint: bench.server.url, key: wellKnownKey, database: 'db', container: id }),
  ],
  [
    'a connection string',
    ({ id }) => ({
      connectionString: `AccountEndpoint=${bench.server.url}/;AccountKey=${wellKnownKey};`,
      database: 'db',
      container: id,
    }),
  ],
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

const soon = {
  leaseAcquireMs: 200,
  leaseRenewMs: 1_000,
  leaseExpirationMs: 5_000,
  fenceMarginMs: 500,
  joinMs: 10,
  pollMs: 50,
};

/** Counts down and resolves when all have come. */
function collector(wanted: number): { seen: string[]; all: Promise<void>; add(id: string): void } {
  const seen: string[] = [];
  let finish = (): void => {};
  const all = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const add = (id: string): void => {
    seen.push(id);
    if (seen.length >= wanted) finish();
  };
  return { seen, all, add };
}

test.each(ways)(
  '[M10] changes come to the handler through %s, and a second run goes on after the first',
  async (_, way) => {
    const { source, leases } = await place();
    const run = async (wanted: number, write: () => Promise<void>): Promise<string[]> => {
      const { seen, all, add } = collector(wanted);
      const processor = createProcessor<Order>({
        ...soon,
        source: way(source),
        leases: way(leases),
        name: 'group',
        start: 'beginning',
        handler: (orders) => {
          for (const { id } of orders) add(id);
        },
      });
      await processor.start();
      await write();
      await all;
      await processor.stop();
      return seen;
    };

    await source.create({ id: 'before', pk: 'k' });
    const first = await run(3, async () => {
      await source.create({ id: 'a', pk: 'k' });
      await source.create({ id: 'b', pk: 'k' });
    });
    await source.create({ id: 'between', pk: 'k' });
    const second = await run(1, async () => {});

    expect(first).toEqual(['before', 'a', 'b']);
    expect(second).toEqual(['between']);
  },
);

test('[M10] the leases may be in another account, with another key', async () => {
  const { source } = await place();
  const key = Buffer.alloc(64, 7).toString('base64');
  await using other = await startServer({ memory: true, key });
  const client = new RestClient({ endpoint: other.url, credential: { key } });
  await client.createDatabase('leases');
  await client.createContainer('leases', { id: 'c', partitionKey: { paths: ['/partitionKey'] } } as { id: string });
  const { all, add } = collector(1);
  const processor = createProcessor<Order>({
    ...soon,
    source,
    leases: { endpoint: other.url, key, database: 'leases', container: 'c' },
    name: 'elsewhere',
    handler: (orders) => {
      for (const { id } of orders) add(id);
    },
  });
  await processor.start();
  await source.create({ id: 'a', pk: 'k' });
  await all;
  await processor.stop();

  const page = await client.container('leases', 'c').documents();
  const ids = page.items().map((each) => (each as { id: string; partitionKey: string }).id);
  expect(ids).toContainEqual(expect.stringMatching(/^elsewhereengine_.*\.\.0$/));
});

test('[S45] what is written right after start() has returned is delivered, although the group begins from now', async () => {
  const { source, leases } = await place();
  await source.create({ id: 'old', pk: 'k' });
  const { seen, all, add } = collector(1);
  const processor = createProcessor<Order>({
    ...soon,
    source,
    leases,
    name: 'group',
    handler: (orders) => {
      for (const { id } of orders) add(id);
    },
  });

  await processor.start();
  await source.create({ id: 'new', pk: 'k' });
  await all;
  await processor.stop();

  expect(seen).toEqual(['new']);
});

test('[B2] all versions come as a union that says what happened', async () => {
  const { source, leases } = await place();
  const changes: VersionChange<Order>[] = [];
  const { all, add } = collector(3);
  await using processor = createProcessor<Order>({
    ...soon,
    source,
    leases,
    name: 'versions',
    mode: 'all-versions',
    handler: (batch) => {
      changes.push(...batch);
      for (const { id } of batch) add(id);
    },
  });
  await processor.start();
  await source.create({ id: 'a', pk: 'k' });
  await source.upsert({ id: 'a', pk: 'k', n: 2 });
  await source.delete('a', 'k');
  await all;

  expect(changes.map(({ type, id }) => [type, id])).toEqual([
    ['create', 'a'],
    ['replace', 'a'],
    ['delete', 'a'],
  ]);
});

test('[S64] [M18] resource tokens are enough, and one that was revoked is asked for again while the processor runs', async () => {
  const { source, leases } = await place();
  const admin = new CosmosClient({ endpoint: bench.server.url, key: wellKnownKey });
  const { user } = await admin.database('db').users.create({ id: `user of ${source.id}` });
  const issue = async (id: string, container: Container, permissionMode: PermissionMode): Promise<string> => {
    const resource = admin.database('db').container(container.id).url;
    const permission = await user.permissions.upsert({ id, permissionMode, resource });
    return permission.resource?._token ?? '';
  };
  const asked = { source: 0, leases: 0 };
  const address = (container: Container, name: keyof typeof asked, mode: PermissionMode): CommonOptions['source'] => ({
    endpoint: bench.server.url,
    database: 'db',
    container: container.id,
    resourceToken: () => {
      asked[name] += 1;
      return issue(`${name} ${asked[name]}`, container, mode);
    },
  });
  const { seen, all, add } = collector(2);
  await using processor = createProcessor<Order>({
    ...soon,
    source: address(source, 'source', PermissionMode.Read),
    leases: address(leases, 'leases', PermissionMode.All) as CommonOptions['leases'],
    name: 'tokens',
    handler: (orders) => {
      for (const { id } of orders) add(id);
    },
  });
  await processor.start();
  await source.create({ id: 'a', pk: 'k' });
  await vi.waitUntil(() => seen.length === 1, { timeout: 120_000 });
  for (const name of ['source 1', 'leases 1']) await user.permission(name).delete();
  await source.create({ id: 'b', pk: 'k' });
  await all;
  admin.dispose();

  expect(seen).toEqual(['a', 'b']);
  expect(asked.source).toBeGreaterThan(1);
});

test('[S26] a schema types and changes what the handler gets, and what it refuses goes to the dead letters with its bytes', async () => {
  const { source, leases } = await place();
  const dead = await bench.container('/id');
  const schema: StandardSchema<{ readonly total: number }> = {
    '~standard': {
      validate: (value) => {
        const { total }: { total?: unknown } = Object(value);
        if (typeof total !== 'number') return { issues: [{ message: 'is no number', path: ['total'] }] };
        return { value: { ...Object(value), total: total * 2 } };
      },
    },
  };
  const totals: number[] = [];
  const { all, add } = collector(2);
  await using processor = createProcessor({
    ...soon,
    source,
    leases,
    deadLetters: dead,
    name: 'typed',
    schema,
    onFailure: 'park-item',
    onEvent: (event) => {
      if (event.type === 'item.parked') add(event.id);
    },
    handler: (orders) => {
      for (const { id, total } of orders) {
        totals.push(total);
        add(id);
      }
    },
  });
  await processor.start();
  await source.create({ id: 'bad', pk: 'k', total: 'much' });
  await source.create({ id: 'good', pk: 'k', total: 4 });
  await all;

  const letters = await (await openGroup({ source, leases, deadLetters: dead, name: 'typed' }).deadLetters()).list();
  expect(totals).toEqual([8]);
  expect(letters).toMatchObject([{ itemId: 'bad', reason: 'schema', error: expect.stringContaining('total') }]);
  expect(Buffer.from(letters[0]?.raw ?? '', 'base64').toString()).toContain('"total":"much"');
});

test('[I13] [F16] a range that the failure policy has halted shows in the status of the group, until it is resumed', async () => {
  const { source, leases } = await place();
  let isBroken = true;
  const { all, add } = collector(1);
  await using processor = createProcessor<Order>({
    ...soon,
    source,
    leases,
    name: 'halting',
    onFailure: 'halt-range',
    retry: { attemptsMax: 1 },
    handler: ([order]) => {
      if (isBroken) throw new Error('the sink is full');
      add(order?.id ?? '');
    },
  });
  const group = openGroup({ source, leases, name: 'halting' });
  await processor.start();
  await source.create({ id: 'a', pk: 'k' });

  const shown = expect.stringContaining('the sink is full');
  await vi.waitFor(async () => expect((await group.status()).ranges).toMatchObject([{ halted: shown }]), 120_000);
  expect((await group.status()).problems).toContainEqual(shown);
  isBroken = false;
  await group.resume();
  await all;

  await vi.waitFor(async () => expect((await group.status()).problems).toEqual([]), 120_000);
});

test('a processor that was stopped does not start again, and says so', async () => {
  const { source, leases } = await place();
  const processor = createProcessor<Order>({ ...soon, source, leases, name: 'once', handler: () => {} });
  await processor.start();
  await processor.start();
  await processor.stop();

  await expect(processor.start()).rejects.toMatchObject({
    code: 'stopped',
    message: expect.stringContaining('make another'),
  });
});

test('an observer is told when ranges open and close, events come, and a signal stops it', async () => {
  const { source, leases } = await place();
  const told: string[] = [];
  const events: ProcessorEvent['type'][] = [];
  const onChannel: unknown[] = [];
  const listener = (event: unknown): void => void onChannel.push(event);
  subscribe('tidemark:processor.stopped', listener);
  const stop = new AbortController();
  const { all, add } = collector(1);
  const processor: Processor = createProcessor<Order>({
    ...soon,
    source,
    leases,
    name: 'observed',
    signal: stop.signal,
    onEvent: ({ type }) => events.push(type),
    observer: {
      open: ({ leaseToken }) => void told.push(`open ${leaseToken}`),
      changes: (orders) => {
        told.push(`changes ${orders.length}`);
        add('');
      },
      close: ({ leaseToken }, reason) => void told.push(`close ${leaseToken} ${reason}`),
    },
  });
  await processor.start();
  await source.create({ id: 'a', pk: 'k' });
  await all;
  stop.abort();

  expect(await processor.stopped).toBeUndefined();
  unsubscribe('tidemark:processor.stopped', listener);
  expect(told).toEqual(['open 0', 'changes 1', 'close 0 shutdown']);
  expect(events).toEqual(
    expect.arrayContaining(['started', 'lease.acquired', 'range.opened', 'checkpoint', 'stopped']),
  );
  expect(onChannel).toMatchObject([{ type: 'stopped', group: 'observed' }]);
});

test.each([
  [{}, /a handler or an observer/],
  [{ handler: () => {}, observer: { changes: () => {} } }, /one of the two/],
  [{ observer: {} }, /has a function `changes`/],
])('%j handles nothing', async (given, message) => {
  const { source, leases } = await place();
  expect(() => createProcessor({ source, leases, name: 'x', ...given } as never)).toThrow(message);
});

test.each([0, 1])('[S55] a stop that has %i ms while no handler runs blames no handler', async (drainMs) => {
  const { source, leases } = await place();
  await source.upsert({ id: 'one', pk: 'a' });
  const events: ProcessorEvent[] = [];
  const { all, add } = collector(1);
  const processor = createProcessor<Order>({
    source,
    leases,
    name: 'short',
    start: 'beginning',
    ...soon,
    onEvent: (event) => events.push(event),
    handler: (changes) => {
      for (const { id } of changes) add(id);
    },
  });
  await processor.start();
  await all;
  await vi.waitUntil(() => events.some(({ type }) => type === 'batch.delivered'), { timeout: 60_000 });

  await processor.stop({ drainMs });

  expect(events.filter((event) => event.type === 'health' && event.problem === 'handler-hung')).toEqual([]);
});

test('a misspelt source, or lease container, is told with the one that was probably meant', async () => {
  await bench.database.createDatabase('factory');
  for (const id of ['readings', 'leases'])
    await bench.database.createContainer('factory', { id, partitionKey: { paths: ['/id'] } });
  const at = { endpoint: bench.server.url, key: wellKnownKey };
  const told = async (source: string, leases: string): Promise<string> => {
    const [[database = '', container = ''], [leaseDatabase = '', leaseContainer = '']] = [
      source.split('/'),
      leases.split('/'),
    ];
    const processor = createProcessor({
      source: { ...at, database, container },
      leases: { ...at, database: leaseDatabase, container: leaseContainer },
      name: 'misspelt',
      logger: false,
      handler: () => {},
    });
    return processor.start().then(
      () => 'it has started',
      (error: unknown) => String(Object(error).message),
    );
  };

  const right = ['factory/readings', 'factory/leases'] as const;
  expect(await told('factory/readngs', right[1])).toMatch(/ Did you mean factory\/readings\?$/);
  expect(await told('factry/readngs', right[1])).toMatch(/ Did you mean factory\/readings\?$/);
  expect(await told('factry/nothing', right[1])).toMatch(/ Did you mean factory\?$/);
  expect(await told(right[0], 'factory/leasse')).toMatch(/ Did you mean factory\/leases\?$/);
  expect(await told('nowhere/nothing', right[1])).not.toContain('Did you mean');
});
