// What was written and acknowledged, and what became of it: every document is one change, so that each can be accounted for.

import type { RestContainer } from '@tidemark/client';
import type { HostProcess, WordOf } from './host-process.ts';
import type { Item } from './host-protocol.ts';

/** Writers at full speed are so far ahead of the handlers at most: more would only be more to wait for in the end. */
const aheadMax = 1_000;

export class Ledger {
  readonly written: Item[] = [];
  readonly #container: RestContainer;
  readonly #hosts: readonly HostProcess[];
  readonly #next = new Map<string, number>();
  #writers: readonly Promise<void>[] = [];
  #isOver = false;
  /** Of writers that are too far ahead. */
  #waiting: (() => void)[] = [];

  constructor(container: RestContainer, hosts: readonly HostProcess[]) {
    this.#container = container;
    this.#hosts = hosts;
  }

  /** One after the other for each key, so that their order is known. */
  async write(count: number, keys: number = 8): Promise<void> {
    const perKey = Array.from({ length: keys }, (_, k) => Math.floor((count + k) / keys));
    await Promise.all(
      perKey.map(async (times, k) => {
        for (let i = 0; i < times; i += 1) await this.#writeOne(`k${k}`);
      }),
    );
  }

  /** Writes until it is told to stop, as fast as it goes while handlers keep up. */
  writeOn(keys: number = 4): void {
    this.#isOver = false;
    this.#writers = Array.from({ length: keys }, async (_, k) => {
      while (!this.#isOver) {
        if (this.#ahead < aheadMax) await this.#writeOne(`k${k}`);
        else await new Promise<void>((resolve) => this.#waiting.push(resolve));
      }
    });
    // Whoever stops them is told of it.
    for (const writer of this.#writers) writer.catch(() => {});
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    this.handled();
    await Promise.all(this.#writers);
  }

  /** To be called when a handler has come to its end. */
  handled(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** What was handled twice counts twice, so that it is never more than it says. */
  get #ahead(): number {
    return this.written.length - sizeOf(this.#hosts);
  }

  async #writeOne(pk: string): Promise<void> {
    const n = (this.#next.get(pk) ?? 0) + 1;
    this.#next.set(pk, n);
    const item = { id: `${pk}-${n}`, pk, n };
    await this.#container.createDocument([pk], item);
    this.written.push(item);
  }

  isAnyLost(hosts: readonly HostProcess[]): boolean {
    // Looked at with every word of a host: counting tells most of the time.
    return sizeOf(hosts) < this.written.length || this.lost(hosts).length > 0;
  }

  /** Written, and in no batch whose handler came to its end. */
  lost(hosts: readonly HostProcess[]): string[] {
    return this.written.map(({ id }) => id).filter((id) => !hosts.some(({ handledIds }) => handledIds.has(id)));
  }
}

function sizeOf(hosts: readonly HostProcess[]): number {
  return hosts.reduce((sum, { handledIds }) => sum + handledIds.size, 0);
}

/** How many times each was handed to a handler, for those that were more than once. */
export function repeated(hosts: readonly HostProcess[]): Map<string, number> {
  const times = new Map<string, number>();
  for (const { id } of batchesOf(hosts).flatMap(({ items }) => items)) times.set(id, (times.get(id) ?? 0) + 1);
  return new Map([...times].filter(([, count]) => count > 1));
}

/** I3: keys whose changes were first delivered in another order than they were written in. */
export function disordered(hosts: readonly HostProcess[]): string[] {
  const seen = new Set<string>();
  const last = new Map<string, number>();
  const wrong: string[] = [];
  for (const { id, pk, n } of batchesOf(hosts).flatMap(({ items }) => items)) {
    if (seen.has(id)) continue;
    seen.add(id);
    if (n < (last.get(pk) ?? 0)) wrong.push(id);
    last.set(pk, n);
  }
  return wrong;
}

/** Of all hosts, in the order in which they began. */
export function batchesOf(hosts: readonly HostProcess[]): WordOf<'batch'>[] {
  return hosts.flatMap((host) => host.of('batch')).sort((a, b) => (BigInt(a.at) < BigInt(b.at) ? -1 : 1));
}
