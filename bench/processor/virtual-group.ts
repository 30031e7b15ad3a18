// A group of hosts in virtual time over leases in memory: minutes of balancing pass in milliseconds, and every write is counted.

import type { DocumentStore } from '@tidemark/processor';
import { MemoryDocumentStore } from '@tidemark/processor';
import { CountedStore, mortalSource, mortalStore, QuietFeed, VirtualClock } from '@tidemark/testing';
import type { BenchHost, HostRules } from './hosts.ts';
import { makeHost } from './hosts.ts';

/** How often it is looked whether something holds: a fiftieth of a tick. */
const stepMs = 260;

export class VirtualGroup {
  readonly clock: VirtualClock = new VirtualClock();
  readonly feed: QuietFeed;
  readonly store: CountedStore;
  readonly #memory: DocumentStore;
  readonly #rules: HostRules;
  readonly #hosts = new Map<BenchHost, { isOver: boolean }>();
  /** When each change came to a handler, by its number. */
  readonly arrivalsMs: Map<number, number> = new Map();

  /** `canWait`: the endpoints tell of changes, as Tidemark does; otherwise everybody polls, as with Azure. */
  constructor(rules: HostRules, ranges: number, canWait: boolean) {
    this.#rules = rules;
    const clock = canWait ? this.clock : undefined;
    this.feed = new QuietFeed(ranges, clock);
    this.#memory = new MemoryDocumentStore({ clock });
    this.store = new CountedStore(this.#memory);
  }

  get living(): BenchHost[] {
    return [...this.#hosts].filter(([, life]) => !life.isOver).map(([host]) => host);
  }

  /** Made, not started. */
  host(instance: string): BenchHost {
    const life = { isOver: false };
    const host = makeHost(this.#rules, {
      source: mortalSource(this.feed, life),
      store: mortalStore(this.store, life),
      clock: this.clock,
      name: 'g',
      instance,
      onBatch: (changes) => {
        for (const { n } of changes) this.arrivalsMs.set(Number(n), this.clock.monotonicMs());
      },
    });
    this.#hosts.set(host, life);
    return host;
  }

  /** Time passes while they start. */
  async start(...hosts: readonly BenchHost[]): Promise<void> {
    let isStarted = false;
    const starting = Promise.all(hosts.map((host) => host.start())).then(() => {
      isStarted = true;
    });
    while (!isStarted) await this.clock.advance(stepMs);
    await starting;
  }

  async stop(hosts: readonly BenchHost[]): Promise<void> {
    let isStopped = false;
    const stopping = Promise.all(hosts.map((host) => host.stop())).then(() => {
      isStopped = true;
    });
    while (!isStopped) await this.clock.advance(stepMs);
    await stopping;
    for (const host of hosts) this.#hosts.delete(host);
  }

  /** As a process that dies: nothing it asks for is answered any more. */
  kill(host: BenchHost): void {
    const life = this.#hosts.get(host);
    if (life !== undefined) life.isOver = true;
  }

  /** How many leases each has, those who have none left out; free leases under the empty name. */
  async owners(): Promise<Map<string, number>> {
    const counts = new Map<string, number>();
    for (const { id, body } of await this.#memory.list('g')) {
      if (!id.includes('..')) continue;
      const owner = String(body['Owner'] ?? '');
      counts.set(owner, (counts.get(owner) ?? 0) + 1);
    }
    return counts;
  }

  async isBalanced(leases: number): Promise<boolean> {
    const owners = await this.owners();
    const share = leases / this.living.length;
    return this.living.every(({ instance }) => {
      const count = owners.get(instance) ?? 0;
      return count >= Math.floor(share) && count <= Math.ceil(share);
    });
  }

  /** How long it takes until it holds. */
  async until(holds: () => boolean | Promise<boolean>, msMax: number): Promise<number> {
    const startedMs = this.clock.monotonicMs();
    while (!(await holds())) {
      if (this.clock.monotonicMs() - startedMs > msMax) throw new Error(`It does not hold after ${msMax} ms.`);
      await this.clock.advance(stepMs);
    }
    return this.clock.monotonicMs() - startedMs;
  }
}
