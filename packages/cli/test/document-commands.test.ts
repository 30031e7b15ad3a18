// get, put, rm and ls as real processes against a real server.

import type { Database } from '@tidemark/engine';
import { openDatabase } from '@tidemark/engine';
import type { RunningServer } from '@tidemark/server';
import { startServer } from '@tidemark/server';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Said } from './process.ts';
import { say } from './process.ts';

// Processes take their time to start where many tests run at once.
vi.setConfig({ testTimeout: 240_000 });

let database: Database;
let server: RunningServer;

beforeAll(async () => {
  database = await openDatabase({ memory: true });
  await database.createDatabase('shop');
  const orders = await database.createContainer(
    'shop',
    { id: 'orders', partitionKey: { paths: ['/customer'], version: 2 } },
    { ranges: 2 },
  );
  await orders.create({ id: '3', customer: 'ada' });
  await orders.create({ id: 'both', customer: 'ada' });
  await orders.create({ id: 'both' });
  server = await startServer({ database });
});
afterAll(async () => {
  await server.close();
  await database.close();
});

const run = (...args: string[]): Promise<Said> => say([...args, '--endpoint', server.url]);
const put = (input: string): Promise<Said> => say(['put', 'shop/orders', '--endpoint', server.url], { input });

test.each(['get', 'rm'])('%s of an id that is there under another partition key says under which', async (command) => {
  const [other, both, nowhere, keyless] = await Promise.all([
    run(command, 'shop/orders', '3', '--partition-key', 'bob'),
    run(command, 'shop/orders', 'both', '--partition-key', 'bob'),
    run(command, 'shop/orders', '4', '--partition-key', 'bob'),
    run(command, 'shop/orders', '4'),
  ]);

  expect(other).toEqual({
    code: 1,
    out: '',
    err: 'tidemark: There is no document "3" of the partition key ["bob"] in shop/orders; there is one of ["ada"].\n',
  });
  expect(both.err).toMatch(/; there is (?=.*one of \["ada"\])(?=.*one without a partition key).*\.\n$/);
  for (const { err } of [nowhere, keyless]) expect(err).toBe('tidemark: There is no document "4" in shop/orders.\n');
});

test('a document without a partition key is said to have none', async () => {
  const written = await put('{"id":"alone"}');
  const removed = await run('rm', 'shop/orders', 'alone');

  expect(written.out).toMatch(/^created {2}"alone" {2}no partition key {2}etag "/);
  expect(removed).toMatchObject({ code: 0, out: 'removed  "alone"  no partition key\n' });
});

test('put says what is wrong with JSON that is none, and where', async () => {
  const [line, whole, array] = await Promise.all([
    put('{"id":"1"}\n{"id":"2",}\n'),
    put('{\n  "id": "1"\n  "customer": "ada"\n}\n'),
    put('{"id":"1"}\n[1]\n'),
  ]);

  expect([line.code, whole.code, array.code]).toEqual([2, 2, 2]);
  expect(line.err).toMatch(/Line 2 is no JSON object \(.*JSON.*\): put takes/);
  expect(whole.err).toMatch(/This is no JSON object \(.*at position \d+.*\): put takes/);
  expect(array.err).toContain('Line 2 is no JSON object: put takes');
});

test('of a database or a container that is not there nobody is told to create what is to be removed', async () => {
  const [database_, container, near, listed] = await Promise.all([
    run('rm', 'newdb'),
    run('rm', 'newdb/x'),
    run('rm', 'shop/order'),
    run('ls', 'newdb'),
  ]);

  expect(database_).toMatchObject({ code: 1, err: 'tidemark: There is no database newdb.\n' });
  expect(container.err).toBe('tidemark: There is no container newdb/x.\n');
  expect(near.err).toBe('tidemark: There is no container shop/order. Did you mean shop/orders?\n');
  expect(listed.err).toMatch(/there is no database "newdb".* create DATABASE\.\n$/);
});
