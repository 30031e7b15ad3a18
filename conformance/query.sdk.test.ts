// Queries as the SDK sends them and by plain requests: routing, paging, continuations. What they find is in the corpus.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { World } from './harness.ts';
import type { Made } from './raw.ts';
import { inRange, makeIn, pk, putIn } from './raw.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const queryHeaders = {
  'content-type': 'application/query+json',
  'x-ms-documentdb-isquery': 'true',
  'x-ms-documentdb-query-enablecrosspartition': 'true',
};

const ask = (made: Made, query: string, headers: Record<string, string> = {}, parameters: object[] = []) =>
  world.fetch('POST', made.docs, { headers: { ...queryHeaders, ...headers }, body: { query, parameters } });

async function fill(made: Made, ids: readonly string[]): Promise<void> {
  for (const [n, id] of ids.entries()) await putIn(world, made, { id, pk: `p${n % 3}` });
}

const ids = (count: number): string[] => Array.from({ length: count }, (_, n) => `d${n}`);

/** The pages of a query, each a list of ids, until there is no continuation. */
async function pagesOf(made: Made, query: string, headers: Record<string, string> = {}): Promise<string[][]> {
  const pages: string[][] = [];
  let more: Record<string, string> = {};
  for (;;) {
    const page = await ask(made, query, { ...headers, ...more });
    expect(page.status).toBe(200);
    expect(page.headers.get('x-ms-item-count')).toBe(String(page.json.Documents.length));
    pages.push(page.json.Documents.map((document: { id: string }) => document.id));
    const continuation = page.headers.get('x-ms-continuation');
    if (continuation === null) return pages;
    expect(continuation.length).toBeLessThan(1024);
    more = { 'x-ms-continuation': continuation };
  }
}

describe('the official SDK', () => {
  test.each([undefined, 24_000])(
    '[M2] [M20] [wire 12] readAll gives every document, with a throughput of %s',
    async (throughput) => {
      const container = await world.container(throughput === undefined ? {} : { throughput });
      for (const [n, id] of ids(25).entries()) await container.items.create({ id, pk: `p${n % 5}` });

      const { resources } = await container.items.readAll<{ id: string }>({ maxItemCount: 4 }).fetchAll();

      expect(resources.map(({ id }) => id).sort()).toEqual(ids(25).sort());
    },
  );

  test('[M20] readAll of one partition key gives its documents in the order of creation', async () => {
    const container = await world.container({ throughput: 24_000 });
    for (const [n, id] of ids(25).entries()) await container.items.create({ id, pk: `p${n % 5}` });

    const { resources } = await container.items.readAll<{ id: string }>({ partitionKey: 'p2' }).fetchAll();

    expect(resources.map(({ id }) => id)).toEqual(['d2', 'd7', 'd12', 'd17', 'd22']);
  });

  test('[wire 12] the leases of a host are found by the beginning of their ids, also with a plan asked for first', async () => {
    const container = await world.container({ partitionKey: { paths: ['/id'] }, throughput: 18_000 });
    for (const id of ['host..0', 'host..1', 'host.info', 'other..0']) await container.items.create({ id });
    const query = {
      query: 'SELECT * FROM c WHERE STARTSWITH(c.id, @prefix)',
      parameters: [{ name: '@prefix', value: 'host.' }],
    };

    for (const forceQueryPlan of [false, true]) {
      const { resources } = await container.items.query<{ id: string }>(query, { forceQueryPlan }).fetchAll();
      expect(resources.map(({ id }) => id).sort()).toEqual(['host..0', 'host..1', 'host.info']);
    }
  });

  test.each([400, 24_000])(
    '[M20] [wire 17.23] takes an answer over all ranges as final and asks no range itself (%d RU/s)',
    async (throughput) => {
      const operations: string[] = [];
      const logStream = { write: (line: string) => void operations.push(JSON.parse(line).operation) };
      await using watched = await World.open({ logLevel: 'debug', logStream });
      const container = await watched.container({ throughput });
      for (const [n, id] of ids(10).entries()) await container.items.create({ id, pk: `p${n}` });
      operations.length = 0;

      const { resources } = await container.items.query<{ id: string }>('SELECT * FROM c').fetchAll();

      expect(resources.map(({ id }) => id).sort()).toEqual(ids(10).sort());
      expect(operations).toContain('query');
      expect(operations).not.toContain('ranges');
    },
  );
});

describe('paging, by plain requests', () => {
  test('[wire 12] a page that is exactly full has a continuation, and the page after it is empty and has none', async () => {
    const made = await makeIn(world);
    await fill(made, ids(4));

    expect(await pagesOf(made, 'SELECT * FROM c', { 'x-ms-max-item-count': '2' })).toEqual([
      ['d0', 'd1'],
      ['d2', 'd3'],
      [],
    ]);
    expect(await pagesOf(made, 'SELECT * FROM c', { 'x-ms-max-item-count': '3' })).toEqual([
      ['d0', 'd1', 'd2'],
      ['d3'],
    ]);
  });

  test('[wire 12] a page never mixes two ranges, and a range can be asked for alone', async () => {
    const made = await makeIn(world, { throughput: 18_000 });
    await fill(made, ids(12));
    const ofRange: string[][] = [];
    for (const id of ['0', '1', '2']) ofRange.push((await pagesOf(made, 'SELECT * FROM c', inRange(id))).flat());

    const pages = await pagesOf(made, 'SELECT * FROM c');

    // A range that has nothing needs no page of its own.
    expect(pages).toEqual(ofRange.filter((page) => page.length > 0));
    expect(pages.flat().sort()).toEqual(ids(12).sort());
  });

  test('[wire 12] a continuation stays good over a split, a merge and a restart', async () => {
    const made = await makeIn(world);
    await fill(made, ids(30));
    const headers = { 'x-ms-max-item-count': '7' };
    const first = await ask(made, 'SELECT * FROM c', headers);
    const seen: string[] = first.json.Documents.map((document: { id: string }) => document.id);
    const inside = world.database.container('db', made.id);
    const [left, right] = await inside.split('0');
    const second = await ask(made, 'SELECT * FROM c', {
      ...headers,
      'x-ms-continuation': first.headers.get('x-ms-continuation') ?? '',
    });
    seen.push(...second.json.Documents.map((document: { id: string }) => document.id));
    await world.restart();
    await world.database.container('db', made.id).merge(left?.id ?? '', right?.id ?? '');

    let continuation = second.headers.get('x-ms-continuation');
    while (continuation !== null) {
      const page = await ask(made, 'SELECT * FROM c', { ...headers, 'x-ms-continuation': continuation });
      seen.push(...page.json.Documents.map((document: { id: string }) => document.id));
      continuation = page.headers.get('x-ms-continuation');
    }

    expect(seen.sort()).toEqual(ids(30).sort());
  });

  test('[wire 12] a continuation that was not made here is refused', async () => {
    const made = await makeIn(world);
    const answer = await ask(made, 'SELECT * FROM c', { 'x-ms-continuation': 'garbage' });
    expect(answer.status).toBe(400);
    expect(answer.json.message).toContain('Invalid Continuation Token');
  });
});

describe('what a query asks for, by plain requests', () => {
  test('ids that begin with something, long ones too', async () => {
    const made = await makeIn(world);
    const long = 'x'.repeat(300);
    await fill(made, ['a', 'ab', 'abc', 'b', `${long}1`, `${long}2`, 'äb']);

    expect((await pagesOf(made, "SELECT * FROM c WHERE STARTSWITH(c.id, 'ab')")).flat()).toEqual(['ab', 'abc']);
    expect((await pagesOf(made, "SELECT * FROM c WHERE STARTSWITH(c.id, '')")).flat()).toHaveLength(7);
    expect((await pagesOf(made, `SELECT * FROM c WHERE STARTSWITH(c.id, '${long}2')`)).flat()).toEqual([`${long}2`]);
    expect((await pagesOf(made, "SELECT * FROM c WHERE STARTSWITH(c.id, 'ä')", pk('p0'))).flat()).toEqual(['äb']);
    expect((await pagesOf(made, "SELECT * FROM c WHERE STARTSWITH(c.id, 'zz')")).flat()).toEqual([]);
  });

  test('[wire 12] the oldest client has to allow a query over all partitions', async () => {
    const made = await makeIn(world);
    const headers = { ...queryHeaders, 'x-ms-documentdb-query-enablecrosspartition': 'false' };
    const refused = await world.fetch('POST', made.docs, { headers, body: { query: 'SELECT * FROM c' } });
    expect(refused.status).toBe(400);
    expect(refused.json.message).toContain('Cross partition query is required but disabled');
    const allowed = await world.fetch('POST', made.docs, {
      headers: { ...headers, ...pk('p0') },
      body: { query: 'SELECT * FROM c' },
    });
    expect(allowed.status).toBe(200);
  });

  test('[wire 12] the plan of a query covers the whole key space', async () => {
    const made = await makeIn(world);
    const headers = { 'content-type': 'application/query+json', 'x-ms-cosmos-is-query-plan-request': 'True' };
    const plan = await world.fetch('POST', made.docs, { headers, body: { query: 'SELECT * FROM c' } });
    expect(plan.status).toBe(200);
    expect(plan.json.queryInfo.distinctType).toBe('None');
    expect(plan.json.queryRanges).toEqual([{ min: '', max: 'FF', isMinInclusive: true, isMaxInclusive: false }]);
    const sorted = await world.fetch('POST', made.docs, { headers, body: { query: 'SELECT * FROM c ORDER BY c.n' } });
    expect(sorted.json.queryInfo.orderBy).toEqual(['Ascending']);
  });

  test('a body that is no query is refused', async () => {
    const made = await makeIn(world);
    for (const body of ['{}', '[]', 'null', '{"query":1}', '{']) {
      const answer = await world.fetch('POST', made.docs, { headers: queryHeaders, body });
      expect(answer.status).toBe(400);
    }
  });
});
