// Following all versions of a container while its ranges are split and merged at random, with interruptions: every change
// comes once, and those of a key in their order.

import type { ChangesStart } from '@tidemark/client';
import { RestClient } from '@tidemark/client';
import { openDatabase } from '@tidemark/engine';
import { keySpaceMax, keySpaceMin, wellKnownKey } from '@tidemark/model';
import { startServer } from '@tidemark/server';
import { SeededRandom } from '@tidemark/testing';
import { expect, test } from 'vitest';
import { positionOf, readPosition } from '../src/feed-position.ts';
import { Follow } from '../src/follow.ts';

const keys = 12;

test.each([1, 2, 3, 4])('[B8] [M5] every change once and in the order of its key, seed %i', async (seed) => {
  const random = new SeededRandom(seed);
  const database = await openDatabase({ memory: true });
  await database.createDatabase('db');
  const definition = { id: 'c', partitionKey: { paths: ['/pk'], version: 2 } };
  const inside = await database.createContainer('db', definition, { ranges: 2, historyMs: 3_600_000 });
  const server = await startServer({ database });
  const client = new RestClient({ endpoint: server.url, credential: { key: wellKnownKey } });
  const container = client.container('db', 'c');
  const written = new Map<string, number[]>();
  const seen = new Map<string, number[]>();
  let changes = 0;

  const upheaval = async (): Promise<void> => {
    const { ranges } = inside;
    const at = random.int(ranges.length);
    const [range, next] = [ranges[at], ranges[at + 1]];
    if (range === undefined) return;
    if (ranges.length < 6 && random.bool()) await inside.split(range.id);
    else if (next !== undefined) await inside.merge(range.id, next.id);
  };
  const write = async (): Promise<void> => {
    const pk = `k${random.int(keys)}`;
    const versions = written.get(pk) ?? [];
    written.set(pk, versions);
    changes += 1;
    versions.push(changes);
    await inside.upsert({ id: 'x', pk, n: changes });
  };

  /** Follows until `countMax` changes have come in all, or nothing is left. */
  const follow = async (from: string, countMax: number): Promise<string> => {
    const stop = new AbortController();
    const following = new Follow({
      container,
      mode: 'all-versions',
      pollMs: 10,
      isUntilDrained: countMax === Number.POSITIVE_INFINITY,
      signal: stop.signal,
      itemsMax: () => 3,
      onPage: async (page) => {
        for (const item of page.items()) {
          const { pk, n } = (item as { current: { pk: string; n: number } }).current;
          seen.set(pk, [...(seen.get(pk) ?? []), n]);
        }
        if (count(seen) >= countMax) stop.abort();
        return true;
      },
      onTrouble: (error) => expect.fail(String(error)),
    });
    const position = readPosition(from);
    const whole = { min: keySpaceMin, max: keySpaceMax };
    const starts: { keys: typeof whole; start: ChangesStart }[] = [];
    let min: string = keySpaceMin;
    for (const { max, lsn } of position.kind === 'parts' ? position.parts : []) {
      starts.push({ keys: { min, max }, start: { etag: `"${lsn}"` } });
      min = max;
    }
    await following.run(starts);
    return positionOf(following.parts) ?? expect.fail('there is a position');
  };

  let position = `c1:${keySpaceMax}=0`;
  for (let round = 0; round < 8; round += 1) {
    const before = count(seen);
    const following = follow(position, before + 10);
    for (let step = 0; step < 40; step += 1) await (random.bool(0.2) ? upheaval() : write());
    position = await following;
  }
  await follow(position, Number.POSITIVE_INFINITY);

  expect(count(seen)).toBe(changes);
  expect(new Map([...seen].sort())).toEqual(new Map([...written].sort()));
  await server.close();
  await database.close();
});

function count(all: ReadonlyMap<string, readonly number[]>): number {
  let sum = 0;
  for (const numbers of all.values()) sum += numbers.length;
  return sum;
}
