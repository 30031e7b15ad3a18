// Continuations of the official SDK that outlive the process: killed in the middle of writes, splits and merges, again and
// again, the feed goes on where it was, in both modes.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Container as SdkContainer } from '@azure/cosmos';
import { ChangeFeedMode, ChangeFeedStartFrom } from '@azure/cosmos';
import { expect, test } from 'vitest';
import { clientOf, rawFetch } from './harness.ts';
import { end, start } from './server-process.ts';

const keys = Array.from({ length: 6 }, (_, i) => `k${i}`);

/** A reader that keeps nothing but what a program would: its continuation, and what it has seen. */
class Reader {
  readonly seen = new Map<string, number[]>();
  readonly #isAll: boolean;
  readonly #key: string | undefined;
  #continuation: string | undefined;

  constructor(isAll: boolean, key: string | undefined) {
    this.#isAll = isAll;
    this.#key = key;
  }

  /** To the end of the feed, or, where writers keep ahead of the reader, until that is enough. */
  async drain(container: SdkContainer, isEnough: () => boolean = () => false): Promise<void> {
    const from =
      this.#continuation === undefined
        ? ChangeFeedStartFrom.Now(this.#key)
        : ChangeFeedStartFrom.Continuation(this.#continuation);
    const mode = this.#isAll ? { changeFeedMode: ChangeFeedMode.AllVersionsAndDeletes } : {};
    const iterator = container.items.getChangeFeedIterator({ ...mode, changeFeedStartFrom: from, maxItemCount: 1_000 });
    do {
      const page = await iterator.readNext();
      this.#continuation = page.continuationToken;
      if (page.statusCode === 304) return;
      for (const item of page.result as unknown as Record<string, never>[]) {
        const { pk, n } = (this.#isAll ? item['current'] : item) as never;
        this.seen.set(pk, [...(this.seen.get(pk) ?? []), n]);
      }
    } while (!isEnough());
  }
}

test('[M5] [B8] continuations in both modes go on after kills under load, with splits and merges between', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-kill-'));
  const readers = [undefined, 'k2'].flatMap((key) => [new Reader(false, key), new Reader(true, key)]);
  /** The last number of each key that was acknowledged. */
  const acknowledged = new Map<string, number>();
  const counts = new Map<string, number>();
  const next = new Map<string, number>(keys.map((key) => [key, 1]));
  try {
    for (let life = 0; life < 4; life += 1) {
      const running = await start(['--port', '0', '--data', folder]);
      const { url } = running.ready;
      const client = clientOf(url);
      const { database } = await client.databases.createIfNotExists({ id: 'db' });
      const { container } = await database.containers.createIfNotExists({
        id: 'c',
        partitionKey: { paths: ['/pk'], version: 2 },
        changeFeedPolicy: { retentionDuration: 600 },
      } as never);
      for (const reader of readers) await reader.drain(container);
      for (const reader of readers) {
        for (const [key, numbers] of reader.seen) {
          // What was acknowledged is there, once and in order; what was under way may be.
          expect(numbers.at(-1), key).toBeGreaterThanOrEqual(acknowledged.get(key) ?? 0);
          expect(numbers, key).toEqual([...new Set(numbers)].sort((a, b) => a - b));
        }
      }
      for (const reader of [readers[1], readers[3]]) {
        for (const [key, numbers] of reader?.seen ?? []) {
          // Every number is written once, so that of all versions none is missing.
          expect(numbers.length, key).toBeGreaterThanOrEqual(counts.get(key) ?? 0);
        }
      }
      if (life === 3) {
        client.dispose();
        expect(await end(running, 'SIGTERM')).toBe(0);
        break;
      }
      let isOver = false;
      let count = 0;
      const writers = keys.map(async (key) => {
        while (!isOver) {
          const n = next.get(key) ?? 1;
          next.set(key, n + 1);
          const headers = {
            'x-ms-documentdb-partitionkey': JSON.stringify([key]),
            'x-ms-documentdb-is-upsert': 'true',
          };
          const body = { id: '1', pk: key, n };
          const answer = rawFetch(url, 'POST', '/dbs/db/colls/c/docs', { headers, body });
          const { status } = await answer.catch(() => ({ status: 0 }));
          if (status !== 200 && status !== 201) return;
          acknowledged.set(key, n);
          counts.set(key, (counts.get(key) ?? 0) + 1);
          count += 1;
        }
      });
      const reshape = async () => {
        const path = '/_tidemark/dbs/db/colls/c';
        const sign = (action: string) => ({ type: '', link: `${path.slice(1)}/${action}` });
        const { json } = await rawFetch(url, 'GET', `${path}/ranges`, { sign: sign('ranges') });
        const ids = (json.ranges as { id: string }[]).map(({ id }) => id);
        const [body, action] = ids.length < 3 ? [{ range: ids[0] }, 'split'] : [{ ranges: ids.slice(0, 2) }, 'merge'];
        const { status } = await rawFetch(url, 'POST', `${path}/${action}`, { body, sign: sign(String(action)) });
        expect(status).toBeLessThan(300);
      };
      const followUntil = async (written: number) => {
        while (count < written) for (const reader of readers) await reader.drain(container, () => count >= written);
      };
      await followUntil(60);
      await reshape();
      await followUntil(120);
      await end(running, 'SIGKILL');
      isOver = true;
      await Promise.all(writers);
      client.dispose();
    }
    expect(acknowledged.size).toBe(keys.length);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
