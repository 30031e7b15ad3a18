// How .NET clients go on within an ORDER BY: a filter beside the text, of the sort keys of the last row (spec query 5.8).

import { afterAll, beforeAll, expect, test } from 'vitest';
import { World } from './harness.ts';
import type { Made } from './raw.ts';
import { makeIn, putIn } from './raw.ts';

let world: World;
let made: Made;
const rids: string[] = [];
beforeAll(async () => {
  world = await World.open();
  made = await makeIn(world);
  // Two of each key, and two without one.
  for (const [at, n] of [1, 2, 2, 1, undefined, 3, undefined].entries()) {
    await putIn(world, made, { id: `${at}`, pk: 'a', ...(n === undefined ? {} : { n }) });
  }
  const { json } = await world.fetch('GET', made.docs);
  for (const { _rid } of json.Documents) rids.push(_rid);
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const headers = {
  'content-type': 'application/query+json',
  'x-ms-documentdb-isquery': 'true',
  'x-ms-documentdb-partitionkeyrangeid': '0',
};

const ask = (query: string, resumeFilter: unknown, more: Record<string, string> = {}) =>
  world.fetch('POST', made.docs, { headers: { ...headers, ...more }, body: { query, resumeFilter } });

const ascending = 'SELECT VALUE c.id FROM c ORDER BY c.n';
const descending = 'SELECT VALUE c.id FROM c ORDER BY c.n DESC';

test.each([
  ['equal keys come again', ascending, { value: [2], exclude: false }, ['1', '2', '5']],
  ['equal keys are left out', ascending, { value: [2], exclude: true }, ['5']],
  ['undefined is below all', ascending, { value: [[]], exclude: true }, ['0', '3', '1', '2', '5']],
  ['downwards', descending, { value: [2], exclude: true }, ['0', '3', '4', '6']],
  ['a key that there is not', descending, { value: [2.5], exclude: false }, ['1', '2', '0', '3', '4', '6']],
])('[query 5.8] %s', async (_, query, filter, expected) => {
  const { json } = await ask(query, filter);
  expect(json.Documents).toEqual(expected);
});

test('[query 5.8] behind a document, or from it on', async () => {
  const behind = await ask(ascending, { value: [2], rid: rids[1], exclude: true });
  expect(behind.json.Documents).toEqual(['2', '5']);
  const from = await ask(ascending, { value: [2], rid: rids[1], exclude: false });
  expect(from.json.Documents).toEqual(['1', '2', '5']);
});

test('[query 5.8] pages go on within what the filter leaves', async () => {
  const filter = { value: [1], exclude: true };
  const first = await ask(ascending, filter, { 'x-ms-max-item-count': '2' });
  const continuation = { 'x-ms-continuation': first.headers.get('x-ms-continuation') ?? '' };
  const second = await ask(ascending, filter, { 'x-ms-max-item-count': '2', ...continuation });
  expect([first.json.Documents, second.json.Documents]).toEqual([['1', '2'], ['5']]);
});

test.each([
  ['no value', ascending, { exclude: true }, 400],
  ['too many values', ascending, { value: [1, 2] }, 400],
  ['a query without an order', 'SELECT * FROM c', { value: [] }, 400],
  ['a rid that is none', ascending, { value: [1], rid: 'x' }, 400],
  ['the hash of an array', ascending, { value: [{ type: 'array', low: 1, high: 2 }] }, 501],
])('[query 5.8] refused: %s', async (_, query, filter, status) => {
  expect((await ask(query, filter)).status).toBe(status);
});
