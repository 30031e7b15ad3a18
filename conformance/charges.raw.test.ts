// What every answer says it cost: by operation, size, items and outcome.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RawResponse } from './harness.ts';
import { World } from './harness.ts';
import { feedOf, makeIn, pk, putIn } from './raw.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
  await world.sdkDatabase();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const chargeOf = ({ headers }: RawResponse): number => Number(headers.get('x-ms-request-charge') ?? Number.NaN);
/** By the published line: 1 for the first KiB, 1/11 for each further one. */
const readUnits = ({ text }: RawResponse): number => 1 + Math.max(0, Buffer.byteLength(text) / 1024 - 1) / 11;
const hundredths = (value: number): number => Math.round(value * 100) / 100;

describe('charges', () => {
  test('[M16] of one document, by its size and what is done with it', async () => {
    const made = await makeIn(world);
    const at = (id: string) => `${made.docs}/${id}`;

    const small = await putIn(world, made, { id: 'small', pk: 'a' });
    const large = await putIn(world, made, { id: 'large', pk: 'a', text: 'x'.repeat(100 * 1024) });
    const read = await world.fetch('GET', at('large'), { headers: pk('a') });
    const again = await putIn(world, made, { id: 'small', pk: 'a' });
    const patch = { operations: [{ op: 'add', path: '/n', value: 1 }] };
    const patched = await world.fetch('PATCH', at('large'), { headers: pk('a'), body: patch });
    const headers = { ...pk('a'), 'if-none-match': String(patched.headers.get('etag')) };
    const unchanged = await world.fetch('GET', at('large'), { headers });
    const gone = await world.fetch('DELETE', at('large'), { headers: pk('a') });

    expect(chargeOf(small)).toBe(5);
    expect(chargeOf(large)).toBe(hundredths(5 * readUnits(large)));
    expect(chargeOf(large)).toBeGreaterThan(50);
    expect(chargeOf(read)).toBe(hundredths(readUnits(read)));
    expect(chargeOf(again)).toBe(10);
    expect(chargeOf(patched)).toBe(hundredths(10 * readUnits(patched)));
    expect([unchanged.status, chargeOf(unchanged)]).toEqual([304, 1]);
    expect([gone.status, chargeOf(gone)]).toEqual([204, 5]);
  });

  test('[M16] of pages, by what is on them, and of nothing new', async () => {
    const made = await makeIn(world);
    for (const id of ['1', '2', '3']) await putIn(world, made, { id, pk: id, text: 'x'.repeat(10_000) });

    const page = await feedOf(world, made);
    const nothing = await feedOf(world, made, { 'if-none-match': String(page.headers.get('etag')) });
    const all = await world.fetch('GET', made.docs);
    const ofOne = await world.fetch('GET', made.docs, { headers: pk('2') });

    expect(page.json._count).toBe(3);
    expect(chargeOf(page)).toBe(hundredths(1 + 3 * 0.05 + Buffer.byteLength(page.text) / 1024 / 11));
    expect([nothing.status, chargeOf(nothing)]).toEqual([304, 1]);
    expect([all.json._count, ofOne.json._count]).toEqual([3, 1]);
    for (const each of [all, ofOne]) {
      expect(chargeOf(each)).toBe(hundredths(1 + each.json._count * 0.05 + Buffer.byteLength(each.text) / 1024 / 11));
    }
  });

  test('[M16] of a batch and a bulk, the sum of what their operations say', async () => {
    const made = await makeIn(world);
    const [range] = world.database.container('db', made.id).ranges;
    const operations = [
      { operationType: 'Create', resourceBody: { id: '1', pk: 'a' } },
      { operationType: 'Upsert', resourceBody: { id: '1', pk: 'a' } },
      { operationType: 'Read', id: '1' },
      { operationType: 'Delete', id: '1' },
    ];
    const batchHeaders = { 'x-ms-cosmos-is-batch-request': 'true', 'x-ms-cosmos-batch-atomic': 'true', ...pk('a') };

    const batch = await world.fetch('POST', made.docs, { headers: batchHeaders, body: operations });
    const failed = await world.fetch('POST', made.docs, {
      headers: batchHeaders,
      body: [operations[0], { operationType: 'Delete', id: 'nobody' }],
    });
    const bulk = await world.fetch('POST', made.docs, {
      headers: {
        'x-ms-cosmos-is-batch-request': 'true',
        'x-ms-cosmos-batch-atomic': 'false',
        'x-ms-cosmos-batch-continue-on-error': 'true',
        'x-ms-documentdb-partitionkeyrangeid': String(range?.id),
      },
      body: [
        { operationType: 'Delete', id: 'nobody', partitionKey: '["a"]' },
        { ...operations[0], partitionKey: '["a"]' },
      ],
    });

    const charges = ({ json }: RawResponse): number[] =>
      json.map((each: { requestCharge: number }) => each.requestCharge);
    expect([batch.status, charges(batch), chargeOf(batch)]).toEqual([200, [5, 10, 1, 5], 21]);
    expect([failed.status, charges(failed), chargeOf(failed)]).toEqual([207, [0, 1], 1]);
    expect([bulk.status, charges(bulk), chargeOf(bulk)]).toEqual([207, [1, 5], 6]);
  });

  test('[M16] of refusals: only those that looked at the data', async () => {
    const made = await makeIn(world);
    const { headers } = await putIn(world, made, { id: '1', pk: 'a' });
    const etag = String(headers.get('etag'));
    await putIn(world, made, { id: '1', pk: 'a', n: 2 });
    const wanted: readonly [status: number, charge: number, answer: Promise<RawResponse>][] = [
      [404, 1, world.fetch('GET', `${made.docs}/nobody`, { headers: pk('a') })],
      [409, 1, world.fetch('POST', made.docs, { headers: pk('a'), body: { id: '1', pk: 'a' } })],
      [412, 1, world.fetch('DELETE', `${made.docs}/1`, { headers: { ...pk('a'), 'if-match': etag } })],
      [400, 0, world.fetch('GET', `${made.docs}/1`)],
      [401, 0, world.fetch('GET', `${made.docs}/1`, { headers: { ...pk('a'), authorization: 'type=x&sig=y' } })],
      [404, 0, world.fetch('GET', '/dbs/db/colls/nowhere/docs')],
      [405, 0, world.fetch('PUT', made.docs)],
      [410, 0, feedOf(world, made, { 'x-ms-documentdb-partitionkeyrangeid': '77' })],
    ];
    for (const [status, charge, answer] of wanted) {
      const response = await answer;
      expect([response.status, chargeOf(response)], response.text).toEqual([status, charge]);
    }
  });

  test('[M16] of databases, containers and ranges', async () => {
    const created = await world.fetch('POST', '/dbs', { body: { id: 'charged' } });
    const read = await world.fetch('GET', '/dbs/charged');
    const listed = await world.fetch('GET', '/dbs');
    const made = await makeIn(world);
    const ranges = await world.fetch('GET', made.pkranges);
    const deleted = await world.fetch('DELETE', '/dbs/charged');

    expect([created, read, deleted].map(chargeOf)).toEqual([5, 1, 5]);
    for (const each of [listed, ranges]) {
      expect(chargeOf(each)).toBe(hundredths(1 + each.json._count * 0.05 + Buffer.byteLength(each.text) / 1024 / 11));
    }
  });
});
