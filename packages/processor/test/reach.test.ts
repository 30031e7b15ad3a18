// A start against endpoints that do not answer, do not resolve or refuse: it ends, and says with which and why.

import { requestMsMax } from '@tidemark/client';
import { wellKnownKey } from '@tidemark/model';
import { VirtualClock } from '@tidemark/testing';
import { expect, test } from 'vitest';
import { createProcessor } from '../src/create-processor.ts';
import type { Environment } from '../src/environment.ts';
import type { ProcessorEvent } from '../src/events.ts';
import { iterateChanges } from '../src/iterate.ts';
import { reachMsMax } from '../src/limits.ts';
import { openGroup } from '../src/operate.ts';
import type { CommonOptions } from '../src/options.ts';
import type { Processor } from '../src/processor.ts';
import { RemainingWorkEstimator } from '../src/seeds/remaining-work-estimator.ts';

const endpoint = 'https://nowhere.example:8081';
const remote = { endpoint, key: wellKnownKey, database: 'shop', container: 'orders' };

/** `never`: the host takes the request and says nothing; anything else breaks the connection with this code. */
class Nowhere {
  readonly clock = new VirtualClock();
  readonly #how: string;

  constructor(how: string) {
    this.#how = how;
  }

  get environment(): Environment {
    return { clock: this.clock, random: () => 0.5, fetch: (_, init) => this.#answer(init?.signal ?? undefined) };
  }

  /** How it ended, and when. */
  async ending(call: Promise<unknown>): Promise<{ message: string; ms: number }> {
    let ended: { message: string; ms: number } | undefined;
    const end = (error: unknown): void => {
      ended = { message: String(Object(error).message), ms: this.clock.monotonicMs() };
    };
    call.then(() => end(new Error('it has succeeded')), end);
    while (ended === undefined) await this.clock.advance(50);
    return ended;
  }

  #answer(signal: AbortSignal | undefined): Promise<Response> {
    return new Promise((_, reject) => {
      signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')));
      if (this.#how === 'never') return;
      reject(new TypeError('fetch failed', { cause: Object.assign(new Error(this.#how), { code: this.#how }) }));
    });
  }
}

function processorOf(nowhere: Nowhere, parts: Partial<CommonOptions> = {}, events: ProcessorEvent[] = []): Processor {
  return createProcessor({
    source: remote,
    leases: { ...remote, container: 'leases' },
    name: 'billing',
    environment: nowhere.environment,
    logger: false,
    onEvent: (event) => events.push(event),
    handler: () => {},
    ...parts,
  });
}

test.each([
  ['ENOTFOUND', 'cannot be reached: ENOTFOUND'],
  ['ECONNREFUSED', 'cannot be reached: ECONNREFUSED'],
  ['never', 'No answer came within'],
])('a start against a host that does %s fails within its limit, with the reason and the endpoint', async (how, why) => {
  const nowhere = new Nowhere(how);
  const events: ProcessorEvent[] = [];
  const processor = processorOf(nowhere, {}, events);

  const { message, ms } = await nowhere.ending(processor.start());

  expect(message).toContain(`The source, shop/orders at ${endpoint}, could not be reached within 30 seconds: `);
  expect(message).toContain(why);
  expect(ms).toBeLessThanOrEqual(reachMsMax + 2_000);
  expect(processor.state).toBe('stopped');
  expect(events.filter(({ type }) => type === 'health')).toMatchObject([
    { message: expect.stringMatching(/^The source, .* cannot be reached yet, and is tried again for \d+ seconds: /) },
  ]);
});

test('the leases are named when it is they that cannot be reached', async () => {
  const nowhere = new Nowhere('ENOTFOUND');
  const source = { ...memoryless(), identity: async () => memoryIdentity };

  const { message } = await nowhere.ending(processorOf(nowhere, { source }).start());

  expect(message).toContain(`The container of the leases, shop/leases at ${endpoint}, could not be reached`);
});

test.each([
  ['a page', 404, '<html>'],
  ['nothing', 404, ''],
  ['that it does not know how', 501, ''],
  ['that it wants a login', 401, ''],
])(
  'another program that answers %s is told as such at once, and not that the container is missing or the key is wrong',
  async (_, status, body) => {
    const nowhere = new Nowhere('never');
    const environment = { ...nowhere.environment, fetch: async () => new Response(body, { status }) };

    const { message, ms } = await nowhere.ending(processorOf(nowhere, { environment }).start());

    expect(message).toBe(
      `The answer (${status}) of ${endpoint} is none of Cosmos DB: something else answers there, another program or a proxy. Look at the endpoint of source.`,
    );
    expect(ms).toBeLessThan(1_000);
  },
);

test('a certificate that is not trusted is told at once: waiting does not make it better', async () => {
  const nowhere = new Nowhere('UNABLE_TO_VERIFY_LEAF_SIGNATURE');

  const { message, ms } = await nowhere.ending(processorOf(nowhere).start());

  expect(message).toContain('NODE_EXTRA_CA_CERTS');
  expect(ms).toBeLessThan(1_000);
});

test('a client of the SDK that tries again for ever is not waited for, and the reason is found out', async () => {
  const nowhere = new Nowhere('ENOTFOUND');
  const stubborn = (): Promise<never> => new Promise(() => {});
  const container = { items: {}, item: () => ({}), read: stubborn, readPartitionKeyRanges: stubborn };
  const client = {
    database: () => ({ container: () => container }),
    getWriteEndpoint: stubborn,
    clientContext: { cosmosClientOptions: { endpoint } },
  } as unknown as Extract<CommonOptions['source'], { client: unknown }>['client'];
  const at = { client, database: 'shop', container: 'orders' };

  const { message, ms } = await nowhere.ending(processorOf(nowhere, { source: at, leases: at }).start());

  expect(message).toContain(`The source, shop/orders at ${endpoint}, could not be reached within 30 seconds: `);
  expect(message).toContain('ENOTFOUND');
  expect(ms).toBeLessThanOrEqual(reachMsMax + 2_000);
});

test('a stop ends a start that waits for an endpoint', async () => {
  const nowhere = new Nowhere('ENOTFOUND');
  const processor = processorOf(nowhere);
  const ending = nowhere.ending(processor.start());
  await nowhere.clock.advance(1_000);

  await processor.stop();
  const { message, ms } = await ending;

  expect(message).toContain('stopped while it started');
  expect(ms).toBeLessThan(5_000);
});

test('the loop, the estimator and a look from outside end as well', async () => {
  const options = {
    source: remote,
    leases: { ...remote, container: 'leases' },
    name: 'billing',
    logger: false,
  } as const;
  const calls: ((nowhere: Nowhere) => Promise<unknown>)[] = [
    ({ environment }) =>
      iterateChanges({ ...options, environment })
        [Symbol.asyncIterator]()
        .next(),
    ({ environment }) => openGroup({ source: remote, leases: options.leases, name: 'billing', environment }).status(),
    ({ environment }) => {
      const place = { uri: endpoint, masterKey: wellKnownKey, databaseName: 'shop', collectionName: 'orders' };
      return new RemainingWorkEstimator(place, place, 'billing', environment).getEstimatedRemainingWork();
    },
  ];
  for (const call of calls) {
    for (const how of ['ENOTFOUND', 'never']) {
      const nowhere = new Nowhere(how);
      const { message, ms } = await nowhere.ending(call(nowhere));

      expect(message).toContain(endpoint);
      expect(ms).toBeLessThanOrEqual(requestMsMax);
    }
  }
});

const memoryIdentity = {
  account: 'nowhere.example',
  databaseRid: 'd',
  containerRid: 'c',
  name: 'shop/orders',
  partitionKeyPaths: ['/pk'],
};

function memoryless(): Extract<CommonOptions['source'], { identity: unknown }> {
  const never = (): Promise<never> => new Promise(() => {});
  return { identity: never, ranges: never, read: never };
}
