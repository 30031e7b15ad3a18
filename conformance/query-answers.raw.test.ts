// Which request of a query gets which answer: the table of docs/reference/query-requests.md, with and without --plan-queries.

import type { RunningServer } from '@tidemark/server';
import { startServer } from '@tidemark/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RawResponse } from './harness.ts';
import { rawFetch, World } from './harness.ts';
import { queryHeaders } from './query-clients.ts';
import type { Headers, Made } from './raw.ts';
import { inRange, keysFrom, makeIn, pk, putIn } from './raw.ts';

const keys = ['a', 'b', 'c', 'd', 'e', 'f'];
const notEnabled: Headers = { 'x-ms-documentdb-query-enablecrosspartition': 'false' };

let world: World;
let planning: RunningServer;
let made: Made;
/** Of each range, the keys whose documents it has. */
const keysOfRange = new Map<string, string[]>();
beforeAll(async () => {
  world = await World.open();
  made = await makeIn(world, { throughput: 18_000 });
  const container = world.database.container('db', made.id);
  for (const key of keys) {
    const { headers } = await putIn(world, made, { id: key, pk: key, n: keys.indexOf(key) });
    const range = headers.get('x-ms-documentdb-partitionkeyrangeid') ?? '';
    keysOfRange.set(range, [...(keysOfRange.get(range) ?? []), key]);
  }
  expect(keysOfRange.size).toBe(container.ranges.length);
  planning = await startServer({ database: world.database, planQueries: true });
});
afterAll(async () => {
  await planning.close();
  await world[Symbol.asyncDispose]();
});

interface Answer {
  readonly rows?: readonly unknown[];
  readonly status?: number;
  readonly substatus?: string | null;
}

async function answerOf(url: string, query: string, headers: Headers): Promise<Answer> {
  const answer = await send(url, query, headers);
  if (answer.status === 200) return { rows: answer.json.Documents };
  return { status: answer.status, substatus: answer.headers.get('x-ms-substatus') };
}

function send(url: string, query: string, headers: Headers): Promise<RawResponse> {
  return rawFetch(url, 'POST', made.docs, { headers: { ...queryHeaders, ...headers }, body: { query } });
}

const all = 'SELECT VALUE c.id FROM c';
const sorted = 'SELECT VALUE c.id FROM c ORDER BY c.n DESC';
const counted = 'SELECT VALUE COUNT(1) FROM c';

const planNeeded: Answer = { status: 400, substatus: '1004' };
const disabled: Answer = { status: 400, substatus: null };

describe.each([
  ['by default', () => world.url, false],
  ['with --plan-queries', () => planning.url, true],
])('[wire 12] %s', (_, url, plansFirst) => {
  test('a partition key: its rows, whatever the rest says', async () => {
    for (const query of [all, sorted]) {
      expect(await answerOf(url(), query, { ...pk('b'), ...notEnabled })).toEqual({ rows: ['b'] });
    }
    expect(await answerOf(url(), counted, pk('b'))).toEqual({ rows: [1] });
    expect(await answerOf(url(), counted, pk('none'))).toEqual({ rows: [0] });
  });

  test('a range, keys, or both: the rows of that part', async () => {
    for (const [range, own] of keysOfRange) {
      expect(await answerOf(url(), all, { ...inRange(range), ...notEnabled })).toEqual({ rows: own });
      expect(await answerOf(url(), sorted, inRange(range))).toEqual({ rows: own.toReversed() });
      expect(await answerOf(url(), counted, inRange(range))).toEqual({ rows: [own.length] });
      const { minInclusive, maxExclusive } = await rangeOf(range);
      const part = keysFrom(minInclusive, maxExclusive);
      expect(await answerOf(url(), counted, { ...part, ...notEnabled })).toEqual({ rows: [own.length] });
      expect(await answerOf(url(), counted, { ...part, ...inRange(range) })).toEqual({ rows: [own.length] });
    }
    expect(await answerOf(url(), counted, keysFrom('', 'FF'))).toEqual({ rows: [keys.length] });
    expect(await answerOf(url(), counted, inRange('99'))).toEqual({ status: 410, substatus: '1002' });
  });

  test('nothing, and the filter leaves one key: rows', async () => {
    expect(await answerOf(url(), `${all} WHERE c.pk = 'c' AND c.n < 9`, notEnabled)).toEqual({ rows: ['c'] });
    expect(await answerOf(url(), `${counted} WHERE c.pk = 'c'`, {})).toEqual({ rows: [1] });
  });

  test('nothing, and not enabled: it is required', async () => {
    for (const query of [all, sorted, counted, `${all} WHERE c.pk IN ('a', 'b')`]) {
      expect(await answerOf(url(), query, notEnabled)).toEqual(disabled);
    }
    const { json } = await send(url(), all, notEnabled);
    expect(json.message).toContain('Cross partition query is required but disabled.');
  });

  test('nothing, and enabled: rows, or the plan where the client has to put rows together', async () => {
    const first = await answerOf(url(), `${all} WHERE c.pk IN ('a', 'b')`, {});
    // A page has rows of one range.
    expect(['a', 'b', 'a,b']).toContain(String(first.rows));
    expect(await answerOf(url(), sorted, {})).toEqual(plansFirst ? planNeeded : { rows: keys.toReversed() });
    expect(await answerOf(url(), counted, {})).toEqual(plansFirst ? planNeeded : { rows: [keys.length] });
    const top = await answerOf(url(), 'SELECT TOP 2 VALUE c.id FROM c', {});
    expect(plansFirst ? top : top.rows?.length).toEqual(plansFirst ? planNeeded : 2);
    // No client could put it together.
    const inner = 'SELECT VALUE COUNT(1) FROM (SELECT c.n % 2 AS odd FROM c GROUP BY c.n % 2) AS g WHERE g.odd = 1';
    expect(await answerOf(url(), inner, {})).toEqual({ rows: [1] });
  });
});

test('[wire 12] the plan that comes with the refusal is the one that can be asked for', async () => {
  const refused = await send(planning.url, sorted, {});
  const headers = { 'content-type': 'application/query+json', 'x-ms-cosmos-is-query-plan-request': 'True' };
  const asked = await world.fetch('POST', made.docs, { headers, body: { query: sorted } });

  expect(refused.json.message).toContain('cross partition query can not be directly served by the gateway');
  expect(JSON.parse(refused.json.additionalErrorInfo)).toEqual(asked.json);
});

test('[wire 12] the first levels of a hierarchical key, in the header and in the filter', async () => {
  const paths = { paths: ['/tenant', '/user', '/session'], kind: 'MultiHash', version: 2 };
  const container = await world.container({ partitionKey: paths as never, throughput: 18_000 });
  const docs = `/dbs/db/colls/${container.id}/docs`;
  for (let n = 0; n < 12; n += 1) {
    await container.items.create({ id: `${n}`, tenant: `t${n % 2}`, user: `u${n % 3}`, session: `s${n}` });
  }
  const idsOf = async (query: string, headers: Headers): Promise<string[]> => {
    const answer = await world.fetch('POST', docs, { headers: { ...queryHeaders, ...headers }, body: { query } });
    return answer.json.Documents.toSorted((a: string, b: string) => Number(a) - Number(b));
  };
  const header = (...values: string[]): Headers => ({ 'x-ms-documentdb-partitionkey': JSON.stringify(values) });

  const evens = ['0', '2', '4', '6', '8', '10'];
  expect(await idsOf(all, { ...header('t0'), ...notEnabled })).toEqual(evens);
  expect(await idsOf(all, header('t0', 'u1'))).toEqual(['4', '10']);
  expect(await idsOf(all, header('t0', 'u1', 's4'))).toEqual(['4']);
  expect(await idsOf(`${all} WHERE c.tenant = 't0'`, {})).toEqual(evens);
  expect(await idsOf(`${all} WHERE c.user = 'u1' AND c.tenant = 't0'`, {})).toEqual(['4', '10']);
  expect(await idsOf(`${all} WHERE c.user = 'u1'`, header('t1'))).toEqual(['1', '7']);
});

async function rangeOf(id: string): Promise<{ readonly minInclusive: string; readonly maxExclusive: string }> {
  const { json } = await world.fetch('GET', made.pkranges);
  return json.PartitionKeyRanges.find((range: { id: string }) => range.id === id);
}
