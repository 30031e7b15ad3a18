// Faults on demand, and the clients that live through them: everything arrives in the end.

import type { Container } from '@azure/cosmos';
import { ChangeFeedStartFrom, StatusCodes } from '@azure/cosmos';
import { RestClient } from '@tidemark/client';
import { wellKnownKey } from '@tidemark/server';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { RawResponse } from './harness.ts';
import { World } from './harness.ts';
import { adminIn, feedOf, inRange, makeIn, pk, putIn } from './raw.ts';

let world: World;

beforeAll(async () => {
  world = await World.open({ chaos: true });
});

afterAll(() => world[Symbol.asyncDispose]());

afterEach(async () => {
  expect((await adminIn(world, 'DELETE', '/_tidemark/faults')).status).toBe(204);
});

async function inject(fault: object): Promise<string> {
  const made = await adminIn(world, 'POST', '/_tidemark/faults', fault);
  expect(made.json).toMatchObject({ id: expect.any(String), isActive: true });
  return made.json.id;
}

async function hitsOf(id: string): Promise<number> {
  return (await adminIn(world, 'GET', `/_tidemark/faults/${id}`)).json.hits;
}

/** What an application does with what its SDK gives up on. A conflict says that an earlier try got through. */
async function createInsistently(container: Container, document: { id: string; pk: string }): Promise<void> {
  for (let tries = 0; tries < 50; tries += 1) {
    try {
      await container.items.create(document);
      return;
    } catch (error) {
      if ((error as { code?: unknown }).code === StatusCodes.Conflict) return;
    }
  }
  throw new Error(`${document.id} never got through`);
}

async function followed(container: Container, count: number): Promise<string[]> {
  const ids: string[] = [];
  const iterator = container.items.getChangeFeedIterator({ changeFeedStartFrom: ChangeFeedStartFrom.Beginning() });
  for (let pages = 0; pages < 500 && ids.length < count; pages += 1) {
    try {
      const page = await iterator.readNext();
      if (page.statusCode === 200) ids.push(...page.result.map((each: { id: string }) => each.id));
    } catch {
      // The iterator goes on where it was.
    }
  }
  return ids.sort();
}

describe('[B8] the official SDK', () => {
  test('waits as a 429 tells it, and everything is written once', async () => {
    const container = await world.container();
    const scope = { database: 'db', container: container.id, operation: 'create' };
    const fault = await inject({ kind: '429', ...scope, probability: 0.5, seed: 3, retryAfterMs: 1 });

    for (let i = 0; i < 30; i += 1) await container.items.create({ id: `d${i}`, pk: 'p' });

    expect(await hitsOf(fault)).toBeGreaterThan(5);
    expect((await followed(container, 30)).length).toBe(30);
  });

  test('loses nothing to refusals, lost answers and delays while it writes and follows the feed', async () => {
    const container = await world.container({ throughput: 12_000 });
    const scope = { database: 'db', container: container.id };
    const faults = [
      await inject({ ...scope, kind: '503', operation: ['create', 'feed'], probability: 0.2, seed: 1 }),
      await inject({ ...scope, kind: '449', operation: 'create', probability: 0.2, seed: 2 }),
      await inject({ ...scope, kind: '503', when: 'after', operation: 'create', probability: 0.2, seed: 4 }),
      await inject({ ...scope, kind: 'latency', latencyMs: 2, probability: 0.3, seed: 5 }),
      await inject({ ...scope, kind: '410', operation: 'feed', probability: 0.3, seed: 6, count: 10 }),
    ];
    const ids = Array.from({ length: 40 }, (_, i) => `d${i}`);

    for (const id of ids) await createInsistently(container, { id, pk: `key of ${id}` });
    const seen = await followed(container, ids.length);

    expect(seen).toEqual([...ids].sort());
    for (const fault of faults) expect(await hitsOf(fault)).toBeGreaterThan(0);
  });

  test('reads on over connections that are reset', async () => {
    const container = await world.container();
    await container.items.create({ id: 'x', pk: 'p' });
    const fault = await inject({ kind: 'reset', operation: 'read', count: 1 });

    const { resource } = await container.item('x', 'p').read();

    expect(resource).toMatchObject({ id: 'x' });
    expect(await hitsOf(fault)).toBe(1);
  });
});

test('[B8] the client of this project loses nothing to cut connections, refusals and answers that never come', async () => {
  const { id } = await makeIn(world, { throughput: 12_000 });
  // It comes back at once, since pauses are about other clients, and has all the time for an answer.
  const sleep = (ms: number, signal?: AbortSignal): Promise<void> => {
    const never = new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
    return ms > 10_000 ? never : Promise.resolve();
  };
  const clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now(), sleep };
  const environment = { clock, random: () => 0.5, fetch: globalThis.fetch };
  const client = new RestClient({ endpoint: world.url, credential: { key: wellKnownKey }, environment });
  const container = client.container('db', id);
  const scope = { database: 'db', container: id };
  const faults = [
    await inject({ ...scope, kind: 'reset', probability: 0.15, seed: 1 }),
    await inject({ ...scope, kind: 'reset', when: 'after', probability: 0.15, seed: 2 }),
    await inject({ ...scope, kind: '503', when: 'after', probability: 0.15, seed: 3 }),
    await inject({ ...scope, kind: '429', probability: 0.15, seed: 4, retryAfterMs: 1 }),
    await inject({ ...scope, kind: '449', probability: 0.15, seed: 5 }),
  ];
  const ids = Array.from({ length: 60 }, (_, i) => `d${i}`);

  for (const each of ids) await container.upsertDocument([`key of ${each}`], { id: each, pk: `key of ${each}` });
  const seen = new Set<string>();
  for (const range of await container.ranges()) {
    const page = await container.changes({ range: range.id, itemsMax: 100 });
    for (const document of page.items() as { id: string }[]) seen.add(document.id);
  }

  expect([...seen].sort()).toEqual([...ids].sort());
  for (const fault of faults) expect(await hitsOf(fault)).toBeGreaterThan(0);
});

describe('[B8] on the wire, by plain requests', () => {
  const made = () => makeIn(world);

  test('each kind is what clients know it as', async () => {
    const { id, docs } = await made();
    const scope = { database: 'db', container: id, operation: 'read', count: 1 };
    const strike = async (fault: object): Promise<RawResponse> => {
      await inject({ ...scope, ...fault });
      return world.fetch('GET', `${docs}/x`, { headers: pk('p') });
    };

    const throttled = await strike({ kind: '429', retryAfterMs: 321 });
    expect([throttled.status, throttled.headers.get('x-ms-substatus')]).toEqual([429, '3200']);
    expect(throttled.headers.get('x-ms-retry-after-ms')).toBe('321');
    const gone = await strike({ kind: '410' });
    expect([gone.status, gone.headers.get('x-ms-substatus'), gone.json.code]).toEqual([410, '1002', 'Gone']);
    const conflicting = await strike({ kind: '449' });
    expect([conflicting.status, conflicting.json.code]).toEqual([449, 'RetryWith']);
    const unavailable = await strike({ kind: '503' });
    expect([unavailable.status, unavailable.json.code]).toEqual([503, 'ServiceUnavailable']);
    expect(unavailable.headers.get('x-tidemark-fault')).toMatch(/^\d+$/);
    await expect(strike({ kind: 'reset' })).rejects.toThrow();
    expect((await world.fetch('GET', `${docs}/x`, { headers: pk('p') })).status).toBe(404);
  });

  test('before: nothing was written. After: it was, whatever the answer says', async () => {
    const container = await made();
    const scope = { database: 'db', container: container.id, operation: 'upsert', count: 1 };
    const read = async (id: string): Promise<number> =>
      (await world.fetch('GET', `${container.docs}/${id}`, { headers: pk('p') })).status;

    await inject({ ...scope, kind: '503' });
    expect((await putIn(world, container, { id: 'before', pk: 'p' })).status).toBe(503);
    await inject({ ...scope, kind: '503', when: 'after' });
    expect((await putIn(world, container, { id: 'after', pk: 'p' })).status).toBe(503);
    await inject({ ...scope, kind: 'reset', when: 'after' });
    await expect(putIn(world, container, { id: 'lost', pk: 'p' })).rejects.toThrow();

    expect([await read('before'), await read('after'), await read('lost')]).toEqual([404, 200, 200]);
  });

  test('[wire 10] a 410 leaves the ranges as they are, and the feed goes on with the same etag', async () => {
    const container = await made();
    await putIn(world, container, { id: 'a', pk: 'p' });
    const first = await feedOf(world, container, inRange('0'));
    const from = { ...inRange('0'), 'if-none-match': first.headers.get('etag') ?? '' };
    await putIn(world, container, { id: 'b', pk: 'p' });
    await inject({ kind: '410', operation: 'feed', count: 1 });

    const gone = await feedOf(world, container, from);
    const ranges = await world.fetch('GET', container.pkranges);
    const next = await feedOf(world, container, from);

    expect([gone.status, gone.headers.get('x-ms-substatus')]).toEqual([410, '1002']);
    expect(ranges.json.PartitionKeyRanges.map((range: { id: string }) => range.id)).toEqual(['0']);
    expect(next.json.Documents.map((each: { id: string }) => each.id)).toEqual(['b']);
  });

  test('the same seed strikes the same requests of a sequence', async () => {
    const run = async (): Promise<number[]> => {
      const { id, docs } = await made();
      await inject({ kind: '503', database: 'db', container: id, probability: 0.5, seed: 99 });
      const statuses: number[] = [];
      for (let i = 0; i < 30; i += 1) {
        statuses.push((await world.fetch('GET', `${docs}/x`, { headers: pk('p') })).status);
      }
      return statuses;
    };
    const once = await run();

    expect(await run()).toEqual(once);
    expect(new Set(once)).toEqual(new Set([503, 404]));
  });

  test('what is no fault is refused with its reason', async () => {
    const wrong: [fault: object, words: string][] = [
      [{}, 'kind'],
      [{ kind: '500' }, '429, 503'],
      [{ kind: '503', operation: 'raed' }, 'read'],
      [{ kind: '503', probability: 2 }, 'from 0 to 1'],
      [{ kind: '503', count: 0 }, 'count'],
      [{ kind: '503', container: 'c' }, 'database'],
      [{ kind: 'latency' }, 'latencyMs'],
      [{ kind: 'latency', latencyMs: 3_600_000 }, 'latencyMs'],
      [{ kind: '503', when: 'later' }, 'before, after'],
      [{ kind: '429', when: 'after' }, 'nothing was done'],
      [{ kind: '503', sede: 1 }, "'sede'"],
    ];
    for (const [fault, words] of wrong) {
      const answer = await adminIn(world, 'POST', '/_tidemark/faults', fault);
      expect([fault, answer.status]).toEqual([fault, 400]);
      expect(answer.json.message).toContain(words);
    }
  });

  test('faults are listed and deleted one by one, and the admin API itself has none', async () => {
    const first = await inject({ kind: '503', count: 3 });
    await inject({ kind: '429', durationMs: 60_000 });
    const listed = await adminIn(world, 'GET', '/_tidemark/faults');
    const deleted = await adminIn(world, 'DELETE', `/_tidemark/faults/${first}`);
    const again = await adminIn(world, 'DELETE', `/_tidemark/faults/${first}`);

    expect(listed.json.count).toBe(2);
    expect(listed.json.faults[0]).toMatchObject({ id: first, hits: 0, remainingCount: 3 });
    expect([deleted.status, again.status]).toEqual([204, 404]);
  });

  test('[SEC13] a server that was not started for it makes none', async () => {
    await using plain = await World.open();
    const refused = await adminIn(plain, 'POST', '/_tidemark/faults', { kind: '503' });

    expect([refused.status, refused.json.code]).toEqual([403, 'Forbidden']);
    expect(refused.json.message).toContain('--chaos');
  });
});
