// A program that writes with the official SDK: one write after the other to one partition key, each sent again until it is
// acknowledged. Documents are created, replaced, deleted and written in batches; there are never more than a few dozen of them.

import type { Container, OperationInput } from '@azure/cosmos';
import { BulkOperationType } from '@azure/cosmos';
import type { Judge, Write } from '../judge/judge.ts';
import { codeOf, findingOf } from './refusal.ts';
import type { Uptime } from './uptime.ts';

/** Documents of a key that are replaced again and again. */
const idsPerKey = 24;

export interface WriterOptions {
  readonly container: Container;
  readonly key: string;
  readonly judge: Judge;
  readonly uptime: Uptime;
  /** Members that every document has beside its number. */
  readonly ballast?: Readonly<Record<string, unknown>>;
  readonly onAcknowledge: (durationMs: number) => void;
  readonly onFinding: (finding: string) => void;
}

export class SdkWriter {
  readonly #options: WriterOptions;
  #n = 0;
  #isOver = false;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  /** Returns when it is told to, and everything that was begun is acknowledged. */
  async run(): Promise<void> {
    this.#isOver = false;
    while (!this.#isOver) {
      const writes = this.#next();
      this.#n += writes.length;
      await this.#insist(writes);
    }
  }

  stop(): void {
    this.#isOver = true;
  }

  #next(): Write[] {
    const { key } = this.#options;
    const n = this.#n + 1;
    const put = (number: number, id: string): Write => ({ key, n: number, id, isDelete: false });
    switch (n % 8) {
      case 0:
        return [put(n, 'first of two'), put(n + 1, 'second of two')];
      case 4:
        return [put(n, 'soon gone')];
      case 5:
        // What a delete shows in the feed is the version before it, which has the number before this one.
        return [{ ...put(n, 'soon gone'), isDelete: true }];
      default:
        return [put(n, n % 3 === 0 ? 'busy' : `d${n % idsPerKey}`)];
    }
  }

  async #insist(writes: readonly Write[]): Promise<void> {
    const { judge, uptime, key, onAcknowledge, onFinding } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      await uptime.untilUp();
      for (const write of writes) judge.begin(write);
      const sinceMs = performance.now();
      try {
        await this.#send(writes);
        for (const write of writes) judge.acknowledge(write);
        onAcknowledge(performance.now() - sinceMs);
        return;
      } catch (error) {
        const code = codeOf(error);
        const isDone = attempt > 1 && code !== undefined && writes.every((write) => code === doneCodeOf(write));
        if (isDone) {
          for (const write of writes) judge.acknowledge(write);
          onAcknowledge(performance.now() - sinceMs);
          return;
        }
        const finding = findingOf(error);
        if (finding !== undefined) {
          onFinding(`a write to ${key} was refused with ${finding}`);
          return;
        }
      }
    }
  }

  async #send(writes: readonly Write[]): Promise<void> {
    const { container } = this.#options;
    const [write] = writes;
    if (write === undefined) return;
    if (writes.length > 1) await this.#sendBatch(writes);
    else if (write.isDelete) await container.item(write.id, write.key).delete();
    else if (write.n % 8 === 4) await container.items.create(this.#documentOf(write));
    else await container.items.upsert(this.#documentOf(write));
  }

  async #sendBatch(writes: readonly Write[]): Promise<void> {
    const { container, key } = this.#options;
    const operations = writes.map((write) => ({
      operationType: BulkOperationType.Upsert,
      resourceBody: this.#documentOf(write),
    }));
    // The body of an upsert is any JSON.
    const { code, result } = await container.items.batch(operations as unknown as OperationInput[], key);
    const statuses = result?.map(({ statusCode }) => statusCode) ?? [];
    if (code === 200 && statuses.length === writes.length && statuses.every((status) => status < 300)) return;
    throw Object.assign(new Error(`a batch was answered with ${code} and ${statuses}`), { code });
  }

  #documentOf({ id, key, n }: Write): Record<string, unknown> {
    return { ...this.#options.ballast, id, pk: key, n };
  }
}

/** What a second attempt is told when the first one has happened after all. */
function doneCodeOf({ n, isDelete }: Write): number | undefined {
  if (isDelete) return 404;
  return n % 8 === 4 ? 409 : undefined;
}
