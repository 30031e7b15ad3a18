// lag and processor as real processes against a real server, with a processor that runs in this one.

import type { Container, Database } from '@tidemark/engine';
import { openDatabase } from '@tidemark/engine';
import { wellKnownKey } from '@tidemark/model';
import type { CommonOptions, Processor } from '@tidemark/processor';
import { createProcessor } from '@tidemark/processor';
import type { RunningServer } from '@tidemark/server';
import { startServer } from '@tidemark/server';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { Said } from './process.ts';
import { say } from './process.ts';

// Processes take their time to start where many tests run at once.
vi.setConfig({ testTimeout: 240_000 });

let database: Database;
let server: RunningServer;
let orders: Container;
let leases: Container;
let dead: Container;
let processor: Processor | undefined;
let isBroken: boolean;
let handled: string[];
let containers = 0;

beforeAll(async () => {
  database = await openDatabase({ memory: true });
  await database.createDatabase('db');
  server = await startServer({ database });
});
afterAll(async () => {
  await server.close();
  await database.close();
});
beforeEach(async () => {
  containers += 1;
  const make = (name: string, path: string): Promise<Container> =>
    database.createContainer('db', { id: `${name}${containers}`, partitionKey: { paths: [path], version: 2 } });
  [orders, leases, dead] = [await make('orders', '/pk'), await make('leases', '/id'), await make('dead', '/id')];
  isBroken = false;
  handled = [];
});
afterEach(async () => {
  await processor?.stop();
  processor = undefined;
});

function until(condition: () => boolean | Promise<boolean>): Promise<unknown> {
  return vi.waitUntil(condition, { timeout: 120_000, interval: 20 });
}

async function letterCount(): Promise<number> {
  const { documents } = await dead.readPage('0');
  return documents.filter(({ value }) => value.id.includes('.dead.')).length;
}

function run(command: string, ...args: string[]): Promise<Said> {
  const where = ['--leases', `db/${leases.id}`, '--endpoint', server.url];
  return say([...command.split(' '), `db/${orders.id}`, ...where, ...args]);
}

function placeOf({ id }: Container) {
  return { endpoint: server.url, key: wellKnownKey, database: 'db', container: id };
}

async function startProcessor(
  name = 'billing',
  retry: CommonOptions['retry'] = { attemptsMax: 1 },
  parking: Partial<CommonOptions> = { deadLetters: placeOf(dead), onFailure: 'park-key' },
): Promise<Processor> {
  const made = createProcessor<{ id: string; pk: string }>({
    source: placeOf(orders),
    leases: placeOf(leases),
    ...parking,
    name,
    instance: 'host-1',
    start: 'beginning',
    leaseAcquireMs: 200,
    retry,
    handler: (changes) => {
      if (isBroken) throw new Error('the warehouse is down');
      for (const { id } of changes) handled.push(id);
    },
  });
  await made.start();
  return made;
}

test('[B6] lag and status show who owns what and how far it is, as text and as JSON', async () => {
  processor = await startProcessor();
  await orders.create({ id: 'a', pk: 'k' });
  await until(() => handled.length === 1);

  const running = await run('processor status');
  await processor.stop();
  for (const id of ['b', 'c', 'd']) await orders.create({ id, pk: 'k' });
  const text = await run('lag');
  const json = await run('lag', '--json');
  const stopped = await run('processor status');
  const status = await run('processor status', '--json');

  expect(running.code).toBe(0);
  expect(running.out).toMatch(/^state +running$/m);
  expect(stopped.out).toMatch(
    /^state +no host is running, the last sign of one is of \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/m,
  );
  expect(stopped.out).not.toContain('quiet for'); // No table of no hosts.
  expect(running.out).toMatch(/^group +billing$/m);
  expect(running.out).toMatch(/^host-1 +1 +1 +\d+ s +alive$/m);
  expect(running.out).toMatch(/^0 +host-1 +1 +"\d+" +\d{4}-/m);
  expect(text.out).toMatch(/^0 +- +"\d+" +3 +\d+$/m);
  expect(text.out).toMatch(/^In all: 3 changes, \d+ seconds? behind\.\n! No host of the group is running\.$/m);
  expect(JSON.parse(json.out)).toMatchObject({ group: 'billing', items: 3, isAtLeast: false, ranges: [{ items: 3 }] });
  expect(JSON.parse(status.out)).toMatchObject({ ranges: [{ leaseToken: '0' }], hosts: [] });
  expect(JSON.parse(status.out).problems).toEqual(['No host of the group is running.']);
  expect([stopped.code, status.code]).toEqual([1, 1]);
});

test('[B6] what is unknown is said so, and a group that is not there is an error', async () => {
  const { rid } = orders.info;
  const databaseRid = database.findDatabase('db')?.rid ?? '';
  const prefix = `net127.0.0.1_${databaseRid}_${rid}`;
  await leases.create({ id: `${prefix}.info` });
  const lease = { id: `${prefix}..0`, LeaseToken: '0', Owner: 'dotnet', ContinuationToken: null, properties: {} };
  await leases.create(lease);

  const text = await run('lag');
  const json = await run('lag', '--name', 'net', '--json');
  const wrong = await run('lag', '--name', 'other');

  expect(text.out).toMatch(/^0 +dotnet +- +unknown +unknown +Nothing was checkpointed/m);
  expect(text.out).toContain('In all: unknown');
  expect(JSON.parse(json.out)).toMatchObject({
    items: null,
    seconds: null,
    ranges: [{ items: null, owner: 'dotnet' }],
  });
  expect(wrong.code).toBe(1);
  expect(wrong.err).toMatch(/has no leases of a group 'other'/);
});

test('[B6] a handler that keeps failing shows in the status, with its error, until it succeeds', async () => {
  isBroken = true;
  processor = await startProcessor('billing', { attemptsMax: Number.POSITIVE_INFINITY, maxMs: 200 });
  await orders.create({ id: 'a', pk: 'k' });

  let failing = await run('processor status');
  while (failing.code === 0) failing = await run('processor status');
  isBroken = false;
  await until(() => handled.length === 1);
  let well = await run('processor status', '--json');
  while (well.code !== 0) well = await run('processor status', '--json');

  expect(failing.out).toMatch(/^! The handler fails in range 0, \d+ attempts? so far: the warehouse is down$/m);
  expect(JSON.parse(well.out)).toMatchObject({ problems: [] });
});

test('[B6] a group is paused and goes on from there', async () => {
  processor = await startProcessor();
  const paused = await run('processor pause', '--reason', 'the warehouse is down');
  await until(() => processor?.status.isPaused === true);
  await orders.create({ id: 'a', pk: 'k' });
  const status = await run('processor status', '--json');
  expect(handled).toEqual([]);

  const resumed = await run('processor resume', '--json');
  await until(() => handled.length === 1);

  expect(paused.out).toBe('The group billing is paused.\n');
  expect(status.code).toBe(1);
  expect(JSON.parse(status.out)).toMatchObject({
    isPaused: true,
    pauseReason: 'the warehouse is down',
    problems: ['The group is paused: the warehouse is down'],
  });
  expect(JSON.parse(resumed.out)).toEqual({ group: 'billing', isPaused: false });
});

test('[B5] dead letters are listed, and replayed in the order of their key', async () => {
  processor = await startProcessor();
  const there = ['--dead-letters', `db/${dead.id}`];
  isBroken = true;
  await orders.create({ id: 'a', pk: 'k' });
  await orders.create({ id: 'b', pk: 'k' });
  await until(async () => (await letterCount()) === 2);
  const parked = await run('processor status');
  const figures = await run('processor status', '--json', ...there);

  const text = await run('processor dead-letters', ...there, '--document', 'a');
  const lines = (await run('processor dead-letters', ...there, '--json')).out.trimEnd().split('\n');
  isBroken = false;
  const replayed = await run('processor replay', ...there);
  await until(() => handled.length === 2);
  await until(async () => (await letterCount()) === 0);
  const none = await run('processor dead-letters', ...there);
  const nothing = await run('processor replay', ...there);
  const unknown = [
    await run('processor replay', ...there, '--document', 'nope'),
    await run('processor replay', ...there, '--letter', 'nope'),
  ];

  expect(parked.code).toBe(1);
  expect(parked.out).toMatch(/^dead letters +2 in db\/dead\d+, the oldest of \d{4}-\S+Z$/m);
  expect(parked.out).toMatch(/^parked keys +\["k"\]$/m);
  expect(parked.out).toMatch(/^! 2 changes are parked in db\/dead\d+; 1 key waits for a replay\.$/m);
  expect(JSON.parse(figures.out).deadLetters).toMatchObject({ letters: 2, parkedKeys: 1, someKeys: ['["k"]'] });
  expect(text.out).toMatch(/^a +\["k"\] +handler +parked +1 +\S+Z +the warehouse is down$/m);
  expect(text.out).toContain('1 dead letter.');
  expect(lines.map((line) => JSON.parse(line).item.id)).toEqual(['a', 'b']);
  expect(replayed.out).toBe('2 changes will be tried again by the hosts of the group.\n');
  expect(none.out).toBe('0 dead letters.\n');
  expect(nothing).toMatchObject({ code: 0, out: 'There are no dead letters.\n' });
  for (const { code, out } of unknown) expect([code, out]).toEqual([1, 'There is no such dead letter.\n']);
  expect(handled).toEqual(['a', 'b']);
});

test('[B6] a host that has died is called dead, and its ranges need a person when nobody takes them', async () => {
  processor = await startProcessor();
  await orders.create({ id: 'a', pk: 'k' });
  await until(() => handled.length === 1);
  await processor.stop({ keepLeases: true });
  processor = undefined;
  // As it was left by a process that was killed, long ago by the clock of the server.
  const { documents } = await leases.readPage('0');
  const { value: lease } = documents.find(({ value }) => value.id.endsWith('..0')) as (typeof documents)[number];
  const beat = { id: lease.id.replace('..0', '.x.host.host-1'), instance: 'host-1', nonce: 'n', expirationMs: 1 };
  await leases.upsert(beat);

  let seen = await run('processor status');
  while (/ alive$/m.test(seen.out)) seen = await run('processor status');

  expect(seen.code).toBe(1);
  expect(seen.out).toMatch(/^host-1 +1 +1 +\d+ s +dead$/m);
  expect(seen.out).toMatch(
    /^! The host host-1 is dead, without a sign of life for \d+ s: its range waits for another one\.$/m,
  );
  expect(seen.out).toContain('! No host of the group is running.');
});

test('[B5] [B6] a replay or a resume without a host says that it waits for one, and a resume of what runs says so', async () => {
  const there = ['--dead-letters', `db/${dead.id}`];
  isBroken = true;
  processor = await startProcessor();
  await orders.create({ id: 'a', pk: 'k' });
  await until(async () => (await letterCount()) === 1);
  const running = await run('processor resume');
  await run('processor pause');
  await processor.stop();

  const replayed = await run('processor replay', ...there);
  const resumed = await run('processor resume');
  isBroken = false;
  processor = await startProcessor();
  await until(() => handled.length === 1);

  expect(running).toMatchObject({
    code: 0,
    out: 'The group billing was not paused, and no range of it stood still.\n',
  });
  expect(replayed).toMatchObject({
    code: 0,
    out: '1 change will be tried again as soon as a host of the group runs: none does now.\n',
  });
  expect(resumed.out).toBe('The group billing goes on as soon as a host of it runs: none does now.\n');
});

test('a group that never had dead letters says nothing of them', async () => {
  processor = await startProcessor('plain', undefined, {});

  const status = await run('processor status');

  expect(status).toMatchObject({ code: 0, out: expect.not.stringContaining('dead letters') });
});

test('a misspelt database, container or group gets the name that was probably meant', async () => {
  await (await startProcessor('billing')).stop();
  await database.createDatabase('warehouse');
  await database.createContainer('warehouse', { id: 'parcels', partitionKey: { paths: ['/pk'] } });
  const at = ['--endpoint', server.url];
  const there = ['--leases', `db/${leases.id}`, ...at];

  const said = await Promise.all([
    say(['tail', `db/${orders.id.replace('orders', 'ordesr')}`, ...at]),
    say(['tail', 'warehose/parcels', ...at]),
    say(['lag', `db/${orders.id}`, '--leases', `db/${leases.id.replace('leases', 'leasse')}`, ...at]),
    say(['processor', 'status', `db/${orders.id}`, '--name', 'biling', ...there]),
    say(['tail', 'db/nothing-of-the-kind', ...at]),
  ]);

  expect(said.map(({ code }) => code)).toEqual([1, 1, 1, 1, 1]);
  expect(said[0]?.err).toMatch(new RegExp(`Did you mean db/${orders.id}\\?\n$`));
  expect(said[1]?.err).toMatch(/Did you mean warehouse\/parcels\?\n$/);
  expect(said[2]?.err).toMatch(new RegExp(`Did you mean db/${leases.id}\\?\n$`));
  expect(said[3]?.err).toMatch(/Did you mean billing\?\n$/);
  expect(said[4]?.err).toContain('create with --partition-key');
});

test('what is missing or ambiguous is told with what to say', async () => {
  const missing = await say(['lag', `db/${orders.id}`, '--endpoint', server.url]);
  const nothing = await run('lag');
  await (await startProcessor('one')).stop();
  await (await startProcessor('two')).stop();
  const ambiguous = await run('processor status');
  const letters = await run('processor dead-letters', '--name', 'one');

  expect([missing.code, nothing.code, ambiguous.code, letters.code]).toEqual([2, 1, 1, 2]);
  expect(missing.err).toContain('--leases DATABASE/CONTAINER');
  expect(nothing.err).toContain('no leases of any group');
  expect(ambiguous.err).toContain("--name: 'one', 'two'");
  expect(letters.err).toContain('--dead-letters DATABASE/CONTAINER');
});
