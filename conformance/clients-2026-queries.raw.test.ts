// What queries of the SDKs of 2026 in other languages than JavaScript rely on, with plain fetch: found by their programs in clients/.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RawResponse } from './harness.ts';
import { World } from './harness.ts';
import type { Headers, Made } from './raw.ts';
import { inRange, requestsTo } from './raw.ts';

let world: World;
let made: Made;
beforeAll(async () => {
  world = await World.open();
  made = await make();
  for (const id of ['1', '2', '3']) await put(made, { id, pk: 'a', text: 'x'.repeat(20_000) });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const { make, put } = requestsTo(() => world);

function ask(query: string, headers: Headers = {}): Promise<RawResponse> {
  const json = { 'content-type': 'application/query+json', 'x-ms-documentdb-isquery': 'true' };
  return world.fetch('POST', made.docs, { headers: { ...json, ...inRange('0'), ...headers }, body: { query } });
}

test('[wire 12] loading is a part of running: Java takes the one from the other, and shows what is left as a time', async () => {
  const { headers } = await ask("SELECT * FROM c WHERE c.id = '2'", { 'x-ms-documentdb-populatequerymetrics': 'true' });

  const pairs = (headers.get('x-ms-documentdb-query-metrics') ?? '').split(';').map((each) => each.split('='));
  const figures = Object.fromEntries(pairs.map(([name, value]) => [name, Number(value)]));
  const parts = ['indexLookupTimeInMs', 'documentLoadTimeInMs', 'writeOutputTimeInMs'].map(
    (name) => figures[name] ?? NaN,
  );
  const ofParts = parts.reduce((sum, part) => sum + part, 0);
  expect(figures['VMExecutionTimeInMs']).toBeGreaterThanOrEqual(ofParts);
  expect(figures['totalExecutionTimeInMs']).toBeGreaterThanOrEqual(figures['VMExecutionTimeInMs'] ?? NaN);
});

test('[wire 12] a page of 0 rows is one of as many as the server likes: Java asks for it beside TOP 0', async () => {
  const none = await ask('SELECT TOP 0 * FROM c', { 'x-ms-max-item-count': '0' });
  const all = await ask('SELECT VALUE c.id FROM c', { 'x-ms-max-item-count': '0' });
  const fewer = await ask('SELECT VALUE c.id FROM c', { 'x-ms-max-item-count': '-2' });

  expect([none.status, none.json.Documents]).toEqual([200, []]);
  expect(all.json.Documents).toEqual(['1', '2', '3']);
  expect(fewer.status).toBe(400);
});
