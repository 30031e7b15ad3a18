// A real server in a process of its own with a container and its leases, hosts in processes of their own, and wires that can
// be cut. Lease intervals are short, so that what takes a minute elsewhere takes seconds here; but leases expire soon only where
// that is what a test waits for, so that a busy machine robs nobody by itself.

import { once } from 'node:events';
import { watch } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RestContainer } from '@tidemark/client';
import { RestClient } from '@tidemark/client';
import type { KeyRange } from '@tidemark/model';
import { keyRangesTile } from '@tidemark/model';
import type { ProcessorGroup } from '@tidemark/processor';
import { openGroup } from '@tidemark/processor';
import { wellKnownKey } from '@tidemark/server';
import { steadyPort } from '@tidemark/testing';
import type { LaunchOptions, Running } from '../server-process.ts';
import { end, launch, start } from '../server-process.ts';
import type { WordOf } from './host-process.ts';
import { HostProcess, waitMsMax } from './host-process.ts';
import type { HostConfig } from './host-protocol.ts';
import { Ledger } from './ledger.ts';
import { TcpProxy } from './tcp-proxy.ts';

const database = 'db';

/** For hosts whose leases are to be taken over without their help. */
export const brief = { expirationMs: 6_000 } as const;

export interface LeaseDocument {
  readonly id: string;
  readonly LeaseToken?: string;
  readonly PartitionId?: string;
  readonly Owner: string | null;
  readonly ContinuationToken: string | null;
  readonly properties: Readonly<Record<string, string>>;
  readonly [member: string]: unknown;
}

export interface SettingOptions {
  readonly ranges?: number;
  readonly leaseKey?: string;
  /** How the server is started, beside its port and folder. */
  readonly serverArgs?: readonly string[];
  readonly launch?: LaunchOptions;
  /** What the container of the items has beside its key. */
  readonly definition?: Readonly<Record<string, unknown>>;
}

/** I6: as hosts write them, they cover every key once. While a split or merge is made they do not. */
export function leasesTile(leases: readonly LeaseDocument[]): boolean {
  return keyRangesTile(leases.map(({ FeedRange }) => (FeedRange as { Range: KeyRange }).Range));
}

type ServerOptions = Required<Pick<SettingOptions, 'serverArgs' | 'launch'>>;

export class Setting implements AsyncDisposable {
  readonly hosts: HostProcess[] = [];
  readonly ledger: Ledger;
  readonly items: RestContainer;
  readonly leases: RestContainer;
  readonly #client: RestClient;
  readonly #how: ServerOptions;
  #server: Running;
  readonly #folder: string;
  readonly #proxies: TcpProxy[] = [];
  readonly #watchers = new Set<() => void>();

  private constructor(server: Running, how: ServerOptions, folder: string, client: RestClient) {
    this.#server = server;
    this.#how = how;
    this.#folder = folder;
    this.#client = client;
    this.items = client.container(database, 'items');
    this.leases = client.container(database, 'leases');
    this.ledger = new Ledger(this.items, this.hosts);
  }

  static async open(options: SettingOptions = {}): Promise<Setting> {
    const { ranges = 1, leaseKey = '/id', serverArgs = [], definition = {}, launch: how = {} } = options;
    const folder = await mkdtemp(join(tmpdir(), 'tidemark-hosts-'));
    // It may be ended and started again, and is looked for where it was.
    const port = String(await steadyPort());
    const server = await start(['--port', port, '--data', folder, ...serverArgs], how);
    const client = new RestClient({ endpoint: server.ready.url, credential: { key: wellKnownKey } });
    const setting = new Setting(server, { serverArgs, launch: how }, folder, client);
    await client.createDatabase(database);
    await client.createContainer(database, { ...definition, ...definitionOf('items', '/pk') });
    await client.createContainer(database, definitionOf('leases', leaseKey));
    while ((await setting.items.ranges()).length < ranges) await setting.split();
    return setting;
  }

  get port(): number {
    return this.#server.ready.port;
  }

  get url(): string {
    return this.#server.ready.url;
  }

  get server(): Running {
    return this.#server;
  }

  endServer(signal: NodeJS.Signals): Promise<number | null> {
    return end(this.#server, signal);
  }

  /** Starts it and kills it as soon as it touches the log: in the middle of its recovery. */
  async killWhileOpening(): Promise<void> {
    const { serverArgs, launch: how } = this.#how;
    const watcher = watch(join(this.#folder, 'segments'));
    const child = launch(['--port', String(this.port), '--data', this.#folder, ...serverArgs], how);
    const exited = once(child, 'exit');
    // Or it is ready before it has touched anything.
    await Promise.race([once(watcher, 'change'), once(child.stdout, 'data'), exited]);
    child.kill('SIGKILL');
    await exited;
    watcher.close();
  }

  /** On the same folder and port, so that clients and hosts find it where it was. */
  async startServer(): Promise<void> {
    const { serverArgs, launch: how } = this.#how;
    this.#server = await start(['--port', String(this.port), '--data', this.#folder, ...serverArgs], how);
  }

  group(): ProcessorGroup {
    const connection = { endpoint: this.url, key: wellKnownKey, database };
    const source = { ...connection, container: 'items' };
    return openGroup({ source, leases: { ...connection, container: 'leases' }, name: 'group' });
  }

  get client(): RestClient {
    return this.#client;
  }

  host(
    instance: string,
    config: Partial<HostConfig> = {},
    onHandled: (batch: WordOf<'batch'>) => void = () => {},
  ): HostProcess {
    const host = new HostProcess(
      {
        rules: 'tidemark',
        endpoint: this.#server.ready.url,
        leaseEndpoint: this.#server.ready.url,
        key: wellKnownKey,
        database,
        container: 'items',
        leaseContainer: 'leases',
        name: 'group',
        instance,
        itemsMax: 5,
        isManual: false,
        isHeld: false,
        isDeaf: false,
        renewMs: 500,
        acquireMs: 400,
        expirationMs: 20_000,
        drainMs: 60_000,
        dialect: 'v3',
        ...config,
      },
      () => {
        for (const watcher of [...this.#watchers]) watcher();
      },
      (batch) => {
        onHandled(batch);
        this.ledger.handled();
      },
    );
    this.hosts.push(host);
    return host;
  }

  async proxy(): Promise<TcpProxy> {
    const proxy = await TcpProxy.to(this.port);
    this.#proxies.push(proxy);
    return proxy;
  }

  /** The widest range, or the one named. */
  async split(range?: string): Promise<void> {
    const ids = (await this.items.ranges()).map(({ id }) => id);
    await this.#client.admin('POST', ['dbs', database, 'colls', 'items', 'split'], { range: range ?? ids[0] });
  }

  async merge(ranges: readonly string[]): Promise<void> {
    await this.#client.admin('POST', ['dbs', database, 'colls', 'items', 'merge'], { ranges });
  }

  /** Resolves when it holds for what all hosts have said. */
  until(what: string, holds: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer);
        this.#watchers.delete(look);
      };
      const look = (): void => {
        const isOver = holds();
        if (!isOver && !this.hosts.every(({ hasEnded }) => hasEnded)) return;
        stop();
        if (isOver) resolve();
        else reject(new Error(`All hosts ended before: ${what}\n${this.#describe()}`));
      };
      const timer = setTimeout(() => {
        stop();
        reject(new Error(`It has not come to: ${what}\n${this.#describe()}`));
      }, waitMsMax);
      this.#watchers.add(look);
      look();
    });
  }

  /** Everything that was written has been handled by somebody. */
  untilNothingIsLost(): Promise<void> {
    return this.until('all changes were handled', () => !this.ledger.isAnyLost(this.hosts));
  }

  async leaseDocuments(): Promise<LeaseDocument[]> {
    const all: LeaseDocument[] = [];
    let continuation: string | undefined;
    do {
      const page = await this.leases.documents({ continuation });
      all.push(...(page.items() as LeaseDocument[]));
      continuation = page.continuation;
    } while (continuation !== undefined);
    return all.filter(({ id }) => id.startsWith('group') && id.includes('..'));
  }

  /** Looks again whenever a lease has changed. */
  async untilLeases(what: string, holds: (leases: LeaseDocument[]) => boolean): Promise<LeaseDocument[]> {
    const untilMs = performance.now() + waitMsMax;
    let etag: string | undefined;
    for (;;) {
      const from = etag === undefined ? ('now' as const) : { etag };
      const page = await this.leases.changes({ range: '0', from, waitSeconds: etag === undefined ? undefined : 1 });
      etag = page.etag;
      const leases = await this.leaseDocuments();
      if (holds(leases)) return leases;
      if (this.hosts.length > 0 && this.hosts.every(({ hasEnded }) => hasEnded)) {
        throw new Error(`All hosts ended before: ${what}`);
      }
      if (performance.now() > untilMs) {
        throw new Error(`The leases have not come to: ${what}\n${JSON.stringify(leases)}\n${this.#describe()}`);
      }
    }
  }

  #describe(): string {
    return this.hosts.map((host) => host.describe()).join('\n');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.ledger.stop();
    for (const host of this.hosts) await host.end('SIGKILL');
    for (const proxy of this.#proxies) await proxy[Symbol.asyncDispose]();
    await end(this.#server, 'SIGKILL');
    await rm(this.#folder, { recursive: true, force: true });
  }
}

function definitionOf(id: string, path: string): { readonly id: string } {
  return { id, partitionKey: { paths: [path], kind: 'Hash', version: 2 } } as { readonly id: string };
}
