// Several SDK clients that write, others that follow the feed, and processor hosts in processes of their own, all on one container,
// and the judge of what becomes of it.

import type { Container, CosmosClient } from '@azure/cosmos';
import { clientOf } from '../../conformance/harness.ts';
import type { HostProcess, WordOf } from '../../conformance/processor/host-process.ts';
import { leasesTile, Setting } from '../../conformance/processor/setting.ts';
import { Judge, problemsOf } from '../judge/judge.ts';
import { Bell } from './bell.ts';
import { readBack } from './read-back.ts';
import { isTiled } from './sdk-continuation.ts';
import { SdkReader } from './sdk-reader.ts';
import { SdkWriter } from './sdk-writer.ts';
import { Uptime } from './uptime.ts';

export interface LoadOptions {
  readonly clients?: number;
  readonly keysPerClient?: number;
  readonly hosts?: number;
  readonly ranges?: number;
  readonly serverArgs?: readonly string[];
  /** How long every version is kept. */
  readonly historyMinutes?: number;
  readonly onAcknowledge?: (durationMs: number) => void;
}

/** Nothing has arrived for so long: what is missing will not come. */
const stallMsMax = 180_000;

const consumers = {
  'the feed of the SDK': { sees: 'latest', mayRepeat: false },
  'all versions of the SDK': { sees: 'every', mayRepeat: false },
  'the hosts': { sees: 'latest', mayRepeat: true },
} as const;

export class Load implements AsyncDisposable {
  readonly setting: Setting;
  readonly judge: Judge;
  readonly uptime: Uptime = new Uptime();
  readonly problems: string[] = [];
  readonly readers: SdkReader[] = [];
  /** Rings when a write was acknowledged. */
  readonly acknowledged: Bell = new Bell();
  /** Rings when somebody was given something. */
  readonly given: Bell = new Bell();
  readonly #clients: CosmosClient[] = [];
  readonly #writers: SdkWriter[] = [];
  readonly #isWithHosts: boolean;
  readonly #onAcknowledge: (durationMs: number) => void;
  #hosts: HostProcess[] = [];
  #hostNames = 0;
  #reading: Promise<unknown> = Promise.resolve();
  #writing: Promise<unknown> = Promise.resolve();

  private constructor(setting: Setting, hosts: number, onAcknowledge: (durationMs: number) => void = () => {}) {
    this.setting = setting;
    this.#onAcknowledge = onAcknowledge;
    this.#isWithHosts = hosts > 0;
    const { 'the hosts': group, ...readers } = consumers;
    this.judge = new Judge(hosts > 0 ? { ...readers, 'the hosts': group } : readers);
  }

  static async open(options: LoadOptions = {}): Promise<Load> {
    const {
      clients = 3,
      keysPerClient = 4,
      hosts = 2,
      ranges = 2,
      serverArgs = [],
      historyMinutes = 24 * 60,
    } = options;
    const definition = { changeFeedPolicy: { retentionDuration: historyMinutes } };
    const setting = await Setting.open({ ranges, serverArgs, definition });
    const load = new Load(setting, hosts, options.onAcknowledge);
    await load.#addReader('the feed of the SDK', 'latest');
    await load.#addReader('all versions of the SDK', 'every');
    for (let client = 0; client < clients; client += 1) load.#addWriters(client, keysPerClient);
    for (let n = 0; n < hosts; n += 1) load.#addHost();
    await Promise.all(load.#hosts.map((host) => host.untilWord('started')));
    return load;
  }

  /** Of the first client. */
  get container(): Container {
    const [client] = this.#clients;
    if (client === undefined) throw new Error('there is no client');
    return this.#containerOf(client);
  }

  get hosts(): readonly HostProcess[] {
    return this.#hosts;
  }

  start(): void {
    this.#writing = Promise.all(this.#writers.map((writer) => writer.run()));
    // Whoever settles is told of it.
    this.#writing.catch(() => {});
  }

  /** Undefined problems are none: a finding ends the wait too. */
  untilAcknowledged(count: number): Promise<void> {
    return this.acknowledged.until(() => this.judge.acknowledged >= count || this.problems.length > 0);
  }

  /** The writers come to rest, and everything arrives. */
  async rest(): Promise<void> {
    for (const writer of this.#writers) writer.stop();
    await this.#writing;
    this.acknowledged.ring();
    const isComplete = (): boolean => !this.judge.isAnyMissing || this.problems.length > 0;
    await this.given.untilOrStalled(isComplete, stallMsMax);
  }

  /** After the rest the lag is zero, and the judge speaks. */
  async settle(): Promise<void> {
    await this.rest();
    if (this.#isWithHosts) await this.#untilAtRest();
    const { found, findings } = await readBack(this.container, this.judge);
    this.problems.push(...findings, ...problemsOf(this.judge.verdict(found)));
    this.judge.settle();
  }

  /** Every host is stopped, as by an operator, and another one begins where it was. */
  async replaceHosts(): Promise<void> {
    const old = this.#hosts;
    this.#hosts = [];
    await this.#stopHosts(old);
    for (let n = 0; n < old.length; n += 1) this.#addHost();
    await Promise.all(this.#hosts.map((host) => host.untilWord('started')));
  }

  /** At the end: hosts stop by themselves with 0 and leave leases that cover every key once. */
  async stop(): Promise<void> {
    for (const reader of this.readers) reader.stop();
    await this.#reading;
    await this.#stopHosts(this.#hosts);
    if (!this.#isWithHosts) return;
    const leases = await this.setting.leaseDocuments();
    const owned = leases.filter(({ Owner }) => Owner !== null);
    if (owned.length > 0) this.problems.push(`${owned.length} leases are still owned`);
    if (!leasesTile(leases)) this.problems.push('the leases do not cover every key once');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const writer of this.#writers) writer.stop();
    for (const reader of this.readers) reader.stop();
    for (const client of this.#clients) client.dispose();
    await this.setting[Symbol.asyncDispose]();
  }

  async #addReader(name: keyof typeof consumers, sees: 'latest' | 'every'): Promise<void> {
    const reader = new SdkReader({
      name,
      sees,
      connect: () => {
        const client = clientOf(this.setting.url);
        return { container: this.#containerOf(client), close: () => client.dispose() };
      },
      judge: this.judge,
      uptime: this.uptime,
      news: this.acknowledged,
      isTiled: async () => isTiled(await this.setting.items.ranges()),
      onGiven: () => this.given.ring(),
      onFinding: (finding) => this.#find(finding),
    });
    await reader.begin();
    this.readers.push(reader);
    this.#reading = Promise.all([this.#reading, reader.run()]);
    this.#reading.catch(() => {});
  }

  #addWriters(client: number, keys: number): void {
    const container = this.#containerOf(this.#client());
    for (let key = 0; key < keys; key += 1) {
      const writer = new SdkWriter({
        container,
        key: `client ${client}, key ${key}`,
        judge: this.judge,
        uptime: this.uptime,
        onAcknowledge: (durationMs) => {
          this.#onAcknowledge(durationMs);
          this.acknowledged.ring();
        },
        onFinding: (finding) => this.#find(finding),
      });
      this.#writers.push(writer);
    }
  }

  #addHost(): void {
    this.#hostNames += 1;
    const host = this.setting.host(`h${this.#hostNames}`, { itemsMax: 100 }, ({ items, at }: WordOf<'batch'>) => {
      for (const { pk, n } of items) this.judge.give('the hosts', { key: pk, n, at: BigInt(at) });
      this.given.ring();
    });
    this.#hosts.push(host);
  }

  async #stopHosts(hosts: readonly HostProcess[]): Promise<void> {
    for (const host of hosts) {
      const code = await host.end('SIGTERM');
      if (code !== 0) this.#find(`a host that was asked to stop ended with ${code}: ${host.errors}`);
      // What they said has been taken; a long run must not keep it.
      this.setting.hosts.splice(this.setting.hosts.indexOf(host), 1);
    }
  }

  /** A checkpoint follows its batch, and the last split or merge is made later still: looked at whenever a lease was written. */
  async #untilAtRest(): Promise<void> {
    const group = this.setting.group();
    let etag: string | undefined;
    const untilMs = performance.now() + stallMsMax;
    for (;;) {
      const from = etag === undefined ? ('now' as const) : { etag };
      const page = await this.setting.leases.changes({ range: '0', from, waitSeconds: etag === undefined ? 0 : 1 });
      etag = page.etag;
      const { items } = await group.lag();
      const isTiled = leasesTile(await this.setting.leaseDocuments());
      if (items === 0 && isTiled) return;
      if (performance.now() < untilMs) continue;
      if (items !== 0) this.#find(`the lag stays at ${items}`);
      if (!isTiled) this.#find('the leases of a split or merge stay beside each other');
      return;
    }
  }

  #client(): CosmosClient {
    const client = clientOf(this.setting.url);
    this.#clients.push(client);
    return client;
  }

  #containerOf(client: CosmosClient): Container {
    return client.database('db').container('items');
  }

  #find(finding: string): void {
    this.problems.push(finding);
    this.acknowledged.ring();
    this.given.ring();
  }
}
