// A real server over real sockets on a real data folder, and the two clients that the tests drive it with: the official SDK
// and plain fetch with a signature made here, independently of the server's.

import { createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  ContainerRequest,
  CosmosClientOptions,
  Container as SdkContainer,
  Database as SdkDatabase,
} from '@azure/cosmos';
import { CosmosClient } from '@azure/cosmos';
import type { Container, Database } from '@tidemark/engine';
import { openDatabase } from '@tidemark/engine';
import { systemEnvironment } from '@tidemark/engine/internal';
import type { RunningServer, ServerOptions } from '@tidemark/server';
import { startServer, wellKnownKey } from '@tidemark/server';

/** What the server is started with, beside its database. */
export type WorldOptions = Partial<Omit<ServerOptions, 'database' | 'onDefect'>>;

export class World implements AsyncDisposable {
  readonly folder: string;
  /** Moves the clock of the database, not that of the clients. */
  shiftMs = 0;
  readonly #defects: unknown[] = [];
  #database!: Database;
  #server!: RunningServer;
  #client!: CosmosClient;

  readonly #options: WorldOptions;

  private constructor(folder: string, options: WorldOptions) {
    this.folder = folder;
    this.#options = options;
  }

  static async open(options: WorldOptions = {}): Promise<World> {
    const world = new World(await mkdtemp(join(tmpdir(), 'tidemark-conformance-')), options);
    await world.#start();
    return world;
  }

  get database(): Database {
    return this.#database;
  }

  get url(): string {
    return this.#server.url;
  }

  get client(): CosmosClient {
    return this.#client;
  }

  /** An orderly stop, and a start on the same folder. */
  async restart(): Promise<void> {
    await this.#stop();
    await this.#start();
  }

  revokeTokens(): Promise<void> {
    return this.#server.revokeTokens();
  }

  /** A container of its own for a test, made through the SDK. */
  async container(definition: Partial<ContainerRequest> = {}): Promise<SdkContainer> {
    const database = await this.sdkDatabase();
    const { container } = await database.containers.create({
      id: nextContainerId(),
      partitionKey: { paths: ['/pk'], version: 2 },
      ...definition,
    } as ContainerRequest);
    return container;
  }

  async sdkDatabase(id: string = 'db'): Promise<SdkDatabase> {
    const { database } = await this.#client.databases.createIfNotExists({ id });
    return database;
  }

  /** The same container, from the inside: for splits and merges. */
  inside(container: SdkContainer): Container {
    return this.#database.container(container.database.id, container.id);
  }

  fetch(verb: string, path: string, options: RawOptions = {}): Promise<RawResponse> {
    return rawFetch(this.url, verb, path, options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop();
    await rm(this.folder, { recursive: true, force: true });
    if (this.#defects.length > 0) throw new AggregateError(this.#defects, 'the server met defects of its own');
  }

  async #start(): Promise<void> {
    const system = systemEnvironment();
    const clock = { ...system.clock, nowMs: () => system.clock.nowMs() + this.shiftMs };
    this.#database = await openDatabase({ folder: this.folder, environment: { ...system, clock } });
    const onDefect = (error: unknown): void => void this.#defects.push(error);
    this.#server = await startServer({ ...this.#options, database: this.#database, onDefect });
    this.#client = clientOf(this.#server.url);
  }

  async #stop(): Promise<void> {
    this.#client.dispose();
    await this.#server.close();
    await this.#database.close();
  }
}

let containers = 0;

function nextContainerId(): string {
  containers += 1;
  return `c${containers}`;
}

export function clientOf(
  endpoint: string,
  key: string = wellKnownKey,
  options: Partial<CosmosClientOptions> = {},
): CosmosClient {
  const connectionPolicy = { enableBackgroundEndpointRefreshing: false };
  return new CosmosClient({ endpoint, key, connectionPolicy, ...options });
}

export interface RawOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** What is signed, where it is not what the path says. */
  readonly sign?: { readonly type?: string; readonly link?: string; readonly key?: string; readonly date?: string };
}

export interface RawResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever it expects.
  readonly json: any;
}

export async function rawFetch(base: string, verb: string, path: string, options: RawOptions): Promise<RawResponse> {
  const { body } = options;
  const response = await fetch(new URL(path, base), {
    method: verb,
    headers: { ...signedHeaders(verb, path, options.sign), ...options.headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isPlain = text === '' || response.headers.get('content-type')?.startsWith('text/plain') === true;
  return { status: response.status, headers: response.headers, text, json: isPlain ? undefined : JSON.parse(text) };
}

/** What a request needs to be let in. */
export function signedHeaders(verb: string, path: string, sign: RawOptions['sign'] = {}): Record<string, string> {
  const date = sign.date ?? new Date().toUTCString();
  const segments = path.split('/').filter((segment) => segment !== '');
  const isFeed = segments.length % 2 === 1;
  const type = sign.type ?? (isFeed ? segments.at(-1) : segments.at(-2)) ?? '';
  const link = sign.link ?? (isFeed ? segments.slice(0, -1) : segments).map(decodeURIComponent).join('/');
  const signature = signatureOf(verb, type, link, date, sign.key ?? wellKnownKey);
  return {
    authorization: encodeURIComponent(`type=master&ver=1.0&sig=${signature}`),
    'x-ms-date': date,
    'x-ms-version': '2020-07-15',
  };
}

function signatureOf(verb: string, type: string, link: string, date: string, key: string): string {
  const text = `${verb.toLowerCase()}\n${type.toLowerCase()}\n${link}\n${date.toLowerCase()}\n\n`;
  return createHmac('sha256', Buffer.from(key, 'base64')).update(text).digest('base64');
}
