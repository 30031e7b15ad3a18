// The mistakes of a first hour, made for real, and what is said about them: compared word by word with docs/troubleshooting.md.

import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CosmosClient } from '@azure/cosmos';
import { accountFromEnvironment, RestClient } from '@tidemark/client';
import type { ProcessorEvent } from '@tidemark/processor';
import { createProcessor, isProcessorError } from '@tidemark/processor';
import type { RunningServer } from '@tidemark/server';
import { startServer, wellKnownKey } from '@tidemark/server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { say } from '../packages/cli/test/process.ts';
import { clientOf, rawFetch, signedHeaders } from './harness.ts';
import { fileOf, run } from './old-client.ts';
import type { Running } from './server-process.ts';
import { end, start } from './server-process.ts';
import { RawClient } from './socket.ts';

const otherKey = Buffer.alloc(64, 7).toString('base64');
const bin = fileOf('../packages/cli/bin');

let folder: string;
let data: string;
let process_: Running;
let secure: RunningServer;
let keyed: RunningServer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-mistakes-'));
  data = join(folder, 'data');
  process_ = await start(['--port', '0', '--data', data]);
  secure = await startServer({ memory: true, httpsOnly: true });
  keyed = await startServer({ memory: true, key: otherKey });
  const client = new RestClient({ endpoint: process_.ready.url, credential: { key: wellKnownKey } });
  await client.createDatabase('shop');
  const make = (id: string, path: string, version = 2) => {
    const definition = { id, partitionKey: { paths: [path], version } };
    return client.createContainer('shop', definition);
  };
  await make('orders', '/customer');
  await make('leases', '/id');
  await make('by-customer', '/customer');
  await make('short', '/id', 1);
});
afterAll(async () => {
  await end(process_, 'SIGTERM');
  await secure.close();
  await keyed.close();
  await rm(folder, { recursive: true, force: true });
});

/** The command line to its end; what it says for people. */
async function tidemark(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  return words(await say(args, { env }));
}

function words({ code, err }: { readonly code: number | null; readonly err: string }): string {
  expect(code).not.toBe(0);
  return err
    .replace(/^tidemark: /, '')
    .replace(/\nSee --help\.\n$/, '')
    .trimEnd();
}

const at = (endpoint: string): string[] => ['--endpoint', endpoint];
const here = (): string => process_.ready.url;
const overTls = (): string => secure.url.replace(/^http:/, 'https:');

/** Where somebody listened a moment ago. */
async function nowhere(): Promise<string> {
  await using gone = await startServer({ memory: true });
  return gone.url;
}

/** What the SDK throws. */
function sdk(endpoint: string, key: string, container: string): Promise<string> {
  return thrown(
    (client) => client.database('shop').container(container).items.create({ id: '1', customer: 'ada' }),
    clientOf(endpoint, key),
  );
}

async function thrown(
  use: (client: CosmosClient) => Promise<unknown>,
  client: CosmosClient = clientOf(here()),
): Promise<string> {
  try {
    await use(client);
  } catch (error) {
    return (error as Error).message; // Whatever it throws is one.
  } finally {
    client.dispose();
  }
  throw new Error('it works');
}

interface Address {
  readonly endpoint?: string;
  readonly key?: string;
  readonly container?: string;
}

const container = ({ endpoint = here(), key = wellKnownKey, container: id = 'leases' }: Address = {}) => ({
  endpoint,
  key,
  database: 'shop',
  container: id,
});

/** What a processor says that does not start: why it was refused, or what it says while it goes on trying. */
async function processor(
  parts: {
    source?: Address;
    leases?: Address;
    deadLetters?: Address;
    purpose?: string;
    instance?: string;
  },
  until: 'told' | 'refused' = 'told',
) {
  let tell: (message: string) => void = () => {};
  const told = new Promise<string>((resolve) => {
    tell = resolve;
  });
  const made = () =>
    createProcessor({
      source: container({ container: 'orders', ...parts.source }),
      leases: container(parts.leases),
      ...(parts.deadLetters && { deadLetters: container(parts.deadLetters), onFailure: 'park-item' }),
      ...(parts.purpose && { purpose: parts.purpose }),
      ...(parts.instance && { instance: parts.instance }),
      name: 'mistaken',
      logger: false,
      handler: async () => {},
      onEvent: (event: ProcessorEvent) => {
        if (event.type === 'health') tell(event.message);
      },
    });
  const messageOf = (error: unknown): string => (error as Error).message; // Whatever it throws is one.
  let mistaken: ReturnType<typeof made>;
  try {
    mistaken = made();
  } catch (error) {
    return messageOf(error);
  }
  const started = mistaken.start().then(() => Promise.reject(new Error('it works')), messageOf);
  try {
    return await (until === 'refused' ? started : Promise.race([started, told]));
  } finally {
    started.catch(() => {});
    await mistaken.stop({ drainMs: 0 });
  }
}

/** The connection string as a shell leaves it that was given it without quotes. */
const cut = 'AccountEndpoint=http://127.0.0.1:8081/';
/** Nothing needs to be asked to know that there is none: a part of it is too long. */
const nameless = `http://${'x'.repeat(64)}.example:8081`;

/** What the command line and every program of the processor say of a connection string. */
async function misnamed(text: string): Promise<string> {
  const environment = { COSMOS_CONNECTION_STRING: text };
  const said = await tidemark(['health'], environment);
  expect(() => accountFromEnvironment(environment)).toThrow(said);
  return said;
}

/** What the SDK throws when a client is made of it. */
function unmade(text: string | undefined): string {
  try {
    new CosmosClient(text as string).dispose(); // As `process.env` gives it.
  } catch (error) {
    return (error as Error).message; // Whatever it throws is one.
  }
  throw new Error('it works');
}

/** With the address of a web server that knows nothing of databases. */
async function besideAnother(ask: (url: string) => Promise<string>): Promise<string> {
  const other = createServer((_, response) => response.writeHead(404).end('<h1>Not found</h1>'));
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = other.address() as AddressInfo; // It listens on a port.
    return await ask(`http://127.0.0.1:${port}`);
  } finally {
    other.closeAllConnections();
    other.close();
  }
}

/** Each mistake by its name in the table: what is said. */
const mistakes: Readonly<Record<string, () => Promise<string>>> = {
  'Node is too old': async () => {
    const pretend = join(folder, 'old-node.cjs');
    await writeFile(pretend, "Object.defineProperty(process, 'versions', { value: { node: '18.20.8' } });");
    const { scripts } = JSON.parse(await readFile(fileOf('../package.json'), 'utf8'));
    const said: string[] = [];
    // As `npx tidemark`, `npm start` and `npm test` begin.
    for (const command of [`${bin}/tidemark.cjs`, scripts.start.replace('exec node ', ''), scripts.test.slice(5)]) {
      said.push(words(await run(process.execPath, ['-r', pretend, ...command.split(' ')])));
    }
    expect(new Set(said).size).toBe(1);
    return said[0] ?? '';
  },
  'The clone is not built': async () => {
    await cp(bin, join(folder, 'cli', 'bin'), { recursive: true });
    return words(await run(process.execPath, [join(folder, 'cli', 'bin', 'tidemark.cjs'), 'health']));
  },
  'Nothing is installed': async () => {
    const clone = join(folder, 'clone');
    await cp(fileOf('../scripts/installed.cjs'), join(clone, 'scripts', 'installed.cjs'));
    const { scripts } = JSON.parse(await readFile(fileOf('../package.json'), 'utf8'));
    const said = new Set<string>();
    for (const name of ['build', 'lint', 'types', 'vitest', 'simulate', 'docs']) {
      said.add(words(await run('sh', ['-c', `cd '${clone}' && ${scripts[name]}`])));
    }
    expect(said.size).toBe(1);
    return [...said].join();
  },
  'Another word for serve': () => tidemark(['start']),
  'A flag for npm, not for the server': () => tidemark(['9000'], { npm_lifecycle_event: 'start' }),
  'The port is in use': () => tidemark(['--data', join(folder, 'other'), '--port', String(process_.ready.port)]),
  'The data folder is in use': () => tidemark(['--data', data, '--port', '0']),
  'The well-known key beyond this machine': () => tidemark(['--memory', '--host', '0.0.0.0', '--port', '0']),
  'A name of the machine with a dot, with the well-known key': async () => {
    using client = await RawClient.connect(process_.ready.port);
    return (await client.ask('GET', '/', { host: 'db.example:8081' }).answer()).json.message;
  },
  'No container is named': () => tidemark(['tail']),
  'COSMOS_CONNECTION_STRING is unset, SDK': async () => unmade(undefined),
  'COSMOS_CONNECTION_STRING is cut or nonsense, SDK': async () => {
    expect(unmade('nonsense')).toBe(unmade(cut));
    return unmade(cut);
  },
  'COSMOS_CONNECTION_STRING is cut': () => misnamed(cut),
  'COSMOS_CONNECTION_STRING is nonsense': () => misnamed('nonsense'),
  'COSMOS_CONNECTION_STRING has quotes in it': () => misnamed(`'${cut};AccountKey=${wellKnownKey};'`),
  'No server at the endpoint, command line': async () => tidemark(['health', ...at(await nowhere())]),
  'No server at the endpoint, client of the processor': async () => {
    const client = new RestClient({ endpoint: await nowhere(), credential: { key: wellKnownKey }, retryMsMax: 0 });
    return client.databases().then(
      () => '',
      (error: Error) => error.message,
    );
  },
  'No server at the endpoint, processor': async () => processor({ source: { endpoint: await nowhere() } }),
  'An endpoint that nobody answers, processor': async () =>
    processor({ source: { endpoint: await nowhere() } }, 'refused'),
  'A machine that there is not, command line': () => tidemark(['health', ...at(nameless)]),
  'A machine that there is not, processor': () => processor({ source: { endpoint: nameless } }),
  'A machine that needs a key': () => tidemark(['health', ...at('https://192.0.2.1')]),
  'Something else answers there, command line': () =>
    besideAnother((url) => tidemark(['tail', 'shop/orders', ...at(url)])),
  'Something else answers there, processor': () => besideAnother((endpoint) => processor({ source: { endpoint } })),
  'An endpoint without a scheme, command line': () => tidemark(['health', ...at('127.0.0.1:8081')]),
  'An endpoint without a scheme, processor': () => processor({ source: { endpoint: '127.0.0.1:8081' } }),
  'http:// with a server for HTTPS only': async () => {
    const endpoint = overTls().replace(/^https:/, 'http:');
    const said = await sdk(endpoint, wellKnownKey, 'orders');
    expect(await processor({ source: { endpoint } })).toBe(said);
    expect(await tidemark(['export', 'shop/orders', ...at(endpoint)])).toBe(said);
    return said;
  },
  'The certificate is not trusted, SDK': () => sdk(overTls(), wellKnownKey, 'orders'),
  'The certificate is not trusted, command line': () => tidemark(['health', ...at(overTls())]),
  'The certificate is not trusted, processor': () => processor({ source: { endpoint: overTls() } }),
  'A wrong key': () => sdk(here(), otherKey, 'orders'),
  'The well-known key with a server that has its own': () => sdk(keyed.url, wellKnownKey, 'orders'),
  'A wrong key, command line': () => tidemark(['export', 'shop/orders', ...at(here())], { TIDEMARK_KEY: otherKey }),
  'A wrong key, processor': () => processor({ source: { key: otherKey } }),
  'Half of a key, in the environment': async () => {
    const environment = { TIDEMARK_KEY: wellKnownKey.slice(0, 41) };
    const said = await tidemark(['health', ...at(here())], environment);
    expect(() => accountFromEnvironment(environment)).toThrow(said);
    return said;
  },
  'Half of a key, processor': () => processor({ source: { key: wellKnownKey.slice(0, 41) } }),
  'The clock is wrong': async () => {
    const date = new Date(Date.now() - 20 * 60_000).toUTCString();
    return (await rawFetch(here(), 'GET', '/dbs/shop', { sign: { date } })).json.message;
  },
  'The container is missing, SDK': () => sdk(here(), wellKnownKey, 'missing'),
  'The container is missing, command line': () => tidemark(['tail', 'shop/missing', ...at(here())]),
  'A misspelt container, command line': () => tidemark(['tail', 'shop/ordesr', ...at(here())]),
  'The container is missing, processor': () => processor({ source: { container: 'missing' } }),
  'The lease container is missing': () => processor({ leases: { container: 'missing' } }),
  'The lease container has another partition key': () => processor({ leases: { container: 'by-customer' } }),
  'The lease container has short keys': () =>
    processor({
      leases: { container: 'short' },
      instance: 'a-pod-with-a-name-as-long-as-they-are-'.repeat(2),
    }),
  'The container of the dead letters is missing': () => processor({ deadLetters: { container: 'missing' } }),
  'The container of the dead letters has short keys': () => processor({ deadLetters: { container: 'short' } }),
  'Two processors with one instance name': async () => {
    const twin = () =>
      createProcessor({
        source: container({ container: 'orders' }),
        leases: container(),
        name: 'twins',
        instance: 'a',
        leaseAcquireMs: 100,
        handler: async () => {},
        onEvent: () => {},
      });
    await using older = twin();
    await older.start();
    await using newer = twin();
    await newer.start();
    const error = await older.stopped;
    expect(isProcessorError(error, 'instance-taken')).toBe(true);
    return error?.message ?? '';
  },
  'Two programs with one group name': async () => {
    const first = createProcessor({
      source: container({ container: 'orders' }),
      leases: container(),
      name: 'mistaken',
      purpose: 'bills',
      handler: async () => {},
    });
    await first.start();
    try {
      return await processor({ purpose: 'parcels' });
    } finally {
      await first.stop();
    }
  },
  'A partition key with its name, SDK': () =>
    thrown((client) =>
      client
        .database('shop')
        .container('orders')
        .item('1', { customer: 'ada' } as never)
        .read(),
    ),
  'An object as the value of the partition key, SDK': () =>
    thrown((client) =>
      client
        .database('shop')
        .container('orders')
        .items.create({ id: '1', customer: { name: 'ada' } }),
    ),
  'A property without its alias in a query, SDK': () =>
    thrown((client) =>
      client.database('shop').container('orders').items.query('SELECT * FROM c WHERE total > 5').fetchAll(),
    ),
  'A member that is called like a keyword, SDK': () =>
    thrown((client) => client.database('shop').container('orders').items.query('SELECT c.value FROM c').fetchAll()),
  'ORDER BY of two members, SDK': () =>
    thrown((client) =>
      client.database('shop').container('orders').items.query('SELECT * FROM c ORDER BY c.total, c.id').fetchAll(),
    ),
  'A query with a semicolon, SDK': () =>
    thrown((client) => client.database('shop').container('orders').items.query('SELECT * FROM c;').fetchAll()),
  'Binary JSON, .NET': async () => {
    const path = '/dbs/shop/colls/orders/docs';
    const headers = { ...signedHeaders('POST', path), 'x-ms-documentdb-partitionkey': '["ada"]' };
    const body = Buffer.from([0x80, 0xea, 0x01, 0x02]);
    const refused = await fetch(new URL(path, here()), { method: 'POST', headers, body });
    return ((await refused.json()) as { message: string }).message;
  },
  'A path that there is not': async () => {
    const { status, json } = await rawFetch(here(), 'GET', '/health', {});
    expect(status).toBe(404);
    expect((await fetch(`${here()}/_tidemark/health`)).status).toBe(200);
    return json.message;
  },
  'A JSON array to import': async () => {
    const file = join(folder, 'orders.json');
    await writeFile(file, '[{"id":"1","customer":"ada"}]');
    return tidemark(['import', 'shop/orders', file, ...at(here())]);
  },
  'A merge without its ranges': async () => {
    const client = new RestClient({ endpoint: here(), credential: { key: wellKnownKey } });
    const definition = { id: 'wide', partitionKey: { paths: ['/id'], version: 2 } };
    await client.createContainerIfNotExists('shop', definition, { throughput: 12_000 });
    return tidemark(['merge', 'shop/wide', ...at(here())]);
  },
  'Backups were not allowed': () => tidemark(['backup', 'monday', ...at(here())]),
};

const table = /<!-- mistakes -->\n\n([\s\S]*?)\n\n<!-- \/mistakes -->/.exec(
  await readFile(fileOf('../docs/troubleshooting.md'), 'utf8'),
)?.[1];
const rows = (table ?? '')
  .split('\n')
  .slice(2)
  .map((line) => line.split(' | '))
  .map(([name = '', said = '']) => ({ name: name.replace(/^\| /, ''), said: said.replaceAll(/^`|`$/g, '') }));

test('every mistake has its row, and every row its mistake', () => {
  expect(rows.map(({ name }) => name)).toEqual(Object.keys(mistakes));
});

test.each(rows.map(({ name, said }) => [name, said] as const))('%s', async (name, said) => {
  const heard = await mistakes[name]?.();

  // `…` stands for what differs; everything else is as it is written there.
  const escaped = said.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  expect(heard).toMatch(new RegExp(`^${escaped.join('[^]*')}$`));
});

test('the definition of a container that is missing has the name that was asked for', async () => {
  const definition = "{ id: 'missing', partitionKey: { paths: ['/id'], version: 2 } }.";
  expect(await mistakes['The lease container is missing']?.()).toContain(definition);
  expect(await mistakes['The container of the dead letters is missing']?.()).toContain(definition);
});
