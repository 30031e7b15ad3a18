import { systemEnvironment } from '@tidemark/client';
import { expect, test, vi } from 'vitest';
import { connectSource, connectStore } from './connect.ts';
import { EngineFeedSource } from './feed/engine-feed-source.ts';
import { MemoryFeedSource } from './feed/memory-feed-source.ts';
import { RestFeedSource } from './feed/rest-feed-source.ts';
import { SdkFeedSource } from './feed/sdk-feed-source.ts';
import { numberOptions } from './option-table.ts';
import type { CommonOptions } from './options.ts';
import { settingsOf } from './options.ts';
import { BoundedStore } from './store/bounded-store.ts';
import { RestStore } from './store/rest-store.ts';

const environment = systemEnvironment();
const source = new MemoryFeedSource({ clock: environment.clock });
const address = { endpoint: 'http://localhost:8081', key: 'AAAA', database: 'shop', container: 'orders' };
const base: CommonOptions = { source, leases: address, name: 'group' };

test('[M12] what is not chosen is as in the table, with the intervals of the seeds', () => {
  const settings = settingsOf(base, 'me');

  expect(settings).toMatchObject({
    name: 'group',
    instance: 'me',
    mode: 'latest',
    start: 'now',
    lease: { renewMs: 17_000, acquireMs: 13_000, expirationMs: 60_000 },
    pump: { itemsMax: undefined, pollMs: 5_000, checkpoint: { kind: 'every-batch' } },
    onPositionRefused: 'fail',
  });
  expect(settings.pump.failure).toMatchObject({ action: 'halt-range', bisect: true });
});

test.each([
  [{ leaseExpirationMs: 20_000 }, /leaseExpirationMs \(20000\) must exceed leaseRenewMs \(17000\) \+ fenceMarginMs/],
  [{ lanes: 0 }, /lanes is a whole number of calls of at least 1, not 0/],
  [{ lanes: 1.5 }, /lanes is a whole number/],
  [{ pollMs: Number.NaN }, /pollMs is a number of ms/],
  [{ stallMs: Number.POSITIVE_INFINITY }, /stallMs/],
  [{ rangesMin: 3, rangesMax: 2 }, /rangesMin \(3\) is above rangesMax/],
  [{ onFailure: 'park-key' }, /'park-key' needs deadLetters/],
  [{ onFailure: 'explode' }, /onFailure is one of 'skip'/],
  [{ retry: { attemptsMax: 0 } }, /retry.attemptsMax/],
  [{ retry: { jitter: 2 } }, /retry.jitter/],
  [{ retry: { attempts: 3 } }, /There is no option 'retry.attempts'/],
  [{ checkpoint: { items: 0 } }, /checkpoint is/],
  [{ start: { timeMs: Number.NaN } }, /start is/],
  [{ mode: 'some' }, /mode is one of/],
  [{ name: 'a/b' }, /name cannot have "\/"/],
  [{ name: 'x'.repeat(101) }, /at most 100/],
  [{ name: '\ud800' }, /half a character/],
  [{ purpose: 5 }, /purpose is a text/],
  [{ onEvent: 5 }, /onEvent is a function/],
  [{ classify: 5 }, /classify is a function/],
  [{ bisect: 'no' }, /bisect is true or false/],
  [{ schema: {} }, /schema is a Standard Schema/],
  [{ signal: 5 }, /signal is an AbortSignal/],
  [{ leaseRenewInterval: 5 }, /There is no option 'leaseRenewInterval'\.$/],
  [{ leaseRenewMS: 5 }, /There is no option 'leaseRenewMS'\. Did you mean leaseRenewMs\?$/],
  [{ retry: { attemptsmax: 3 } }, /Did you mean retry.attemptsMax\?$/],
])('%j is refused, and the message says why', (more, message) => {
  const options = { ...base, ...more } as CommonOptions;

  expect(() => settingsOf(options, 'me')).toThrow(message);
  expect(() => settingsOf(options, 'me')).toThrow(expect.objectContaining({ code: 'invalid-option' }));
});

test('every number of the table is read from the options', () => {
  for (const [name, { min }] of Object.entries(numberOptions)) {
    expect(() => settingsOf({ ...base, [name]: min - 1 } as CommonOptions, 'me'), name).toThrow(name);
  }
  const settings = settingsOf({ ...base, handlerMsMax: Number.POSITIVE_INFINITY, itemsMax: 7, lanes: 9 }, 'me');
  expect(settings.pump).toMatchObject({ handlerMsMax: Number.POSITIVE_INFINITY, itemsMax: 7, lanes: 9 });
});

test('[M10] a container is reached by endpoint, connection string or client, an engine and a seam as they are', () => {
  const options = { environment };
  const connectionString = 'AccountEndpoint=http://localhost:8081/;AccountKey=AAAA;';
  const { database, container } = address;
  const client = {
    database: () => ({ container: () => ({}) as never }),
    getWriteEndpoint: async () => 'http://localhost',
  };
  const engine = {
    info: { id: 'c', rid: 'r', definition: { partitionKey: { paths: ['/id'] } } },
    changes: () => {},
    versions: () => {},
    query: () => {},
  } as never;

  expect(connectSource(source, options)).toBe(source);
  expect(connectSource(address, options)).toBeInstanceOf(RestFeedSource);
  expect(connectSource({ connectionString, database, container }, options)).toBeInstanceOf(RestFeedSource);
  expect(connectSource({ client, database, container }, options)).toBeInstanceOf(SdkFeedSource);
  expect(connectSource(engine, options)).toBeInstanceOf(EngineFeedSource);
  expect(connectStore(address, 'leases', options)).toBeInstanceOf(RestStore);
  expect(connectStore({ client, database, container }, 'leases', options)).toBeInstanceOf(BoundedStore);
});

test('[M18] a container without an account is one of the account that the environment names', () => {
  const { database, container } = address;
  vi.stubEnv('TIDEMARK_ENDPOINT', undefined);
  vi.stubEnv('TIDEMARK_KEY', undefined);
  vi.stubEnv('COSMOS_CONNECTION_STRING', 'AccountEndpoint=https://a.example/;AccountKey=AAAA;');

  const elsewhere = connectSource({ database, container }, { environment });
  vi.stubEnv('COSMOS_CONNECTION_STRING', undefined);
  const here = connectStore({ database, container }, 'leases', { environment });
  vi.unstubAllEnvs();

  expect(elsewhere.at?.endpoint).toBe('https://a.example');
  expect(here.at?.endpoint).toBe('http://127.0.0.1:8081');
});

test.each([
  [undefined, /source says which container it is/],
  [{ container: 'c' }, /source.database is the name of a database/],
  [{ database: 'd' }, /source.container is the name/],
  [{ database: 'd', container: 'c', key: 'AAAA' }, /source has a connectionString, or an endpoint/],
  [{ database: 'd', container: 'c', endpoint: 'http://x' }, /source has a connectionString/],
  [{ database: 'd', container: 'c', client: {} }, /source.client is a CosmosClient/],
])('%j is no source', (input, message) => {
  expect(() => connectSource(input as never, { environment })).toThrow(message);
});

test.each([
  [{ ...address, key: 'foo' }, /^The key of leases is not base64/],
  [{ database: 'd', container: 'c', connectionString: 'AccountEndpoint=http://x/' }, /^leases.connectionString has no/],
])('what is wrong with an account is told with the option that it is of: %j', (input, message) => {
  expect(() => connectStore(input, 'leases', { environment })).toThrow(message);
});

test('a key that a function gives is told with its option too', async () => {
  const store = connectStore({ ...address, key: () => 'foo' }, 'deadLetters', { environment });

  await expect(store.read('1')).rejects.toThrow(/^The key of deadLetters is not base64/);
});

test.each([[{}], [{ info: () => {}, warn: () => {} }], [true]])('the logger %j is none', (logger) => {
  expect(() => settingsOf({ ...base, logger: logger as never }, 'me')).toThrow(
    /logger has functions info, warn and error/,
  );
});
