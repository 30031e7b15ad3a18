// The server as a process: what `npm start` becomes. Flags, the ready line, signals, and what is there after a kill.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { ChangeFeedStartFrom } from '@azure/cosmos';
import { commandLine } from '@tidemark/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientOf, rawFetch } from './harness.ts';
import { end, launch, start } from './server-process.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-process-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Runs to its end: exit code and what it said. */
async function say(args: readonly string[]): Promise<{ code: number | null; out: string; err: string }> {
  const child = launch(args);
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString();
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, err };
}

test('[M1] it says where it is, takes writes, ends on SIGTERM, and has them after a restart', async () => {
  const data = join(folder, 'orderly');
  const first = await start(['--port', '0', '--data', data]);
  expect(first.ready).toMatchObject({ url: `http://127.0.0.1:${first.ready.port}`, pid: first.child.pid });
  const client = clientOf(first.ready.url);
  const { database } = await client.databases.createIfNotExists({ id: 'demo' });
  const { container } = await database.containers.createIfNotExists({ id: 'tides', partitionKey: '/port' });
  await container.items.upsert({ id: '1', port: 'Brest', metres: 7.2 });
  client.dispose();
  expect(first.words()).toContain(`AccountEndpoint=${first.ready.url}/;AccountKey=`);
  expect(first.words()).toContain(data);
  expect(await end(first, 'SIGTERM')).toBe(0);

  const second = await start([`--port=${first.ready.port}`, `--data=${data}`]);
  const again = clientOf(second.ready.url);
  const { resource } = await again.database('demo').container('tides').item('1', 'Brest').read();
  expect(resource).toMatchObject({ metres: 7.2 });
  again.dispose();
  second.child.kill('SIGINT');
  expect(await end(second, 'SIGINT')).toBe(0);
});

test('[M5] killed in the middle of writes, it has every acknowledged one, and the feed goes on where it was', async () => {
  const data = join(folder, 'killed');
  const acknowledged = new Set<string>();
  const seen = new Map<string, number>();
  let continuation: string | undefined;
  for (let life = 0; life < 3; life += 1) {
    const running = await start(['--port', '0', '--data', data]);
    const client = clientOf(running.ready.url);
    const { database } = await client.databases.createIfNotExists({ id: 'db' });
    const definition = { id: 'c', partitionKey: { paths: ['/pk'], version: 2 } };
    const { container } = await database.containers.createIfNotExists(definition, { offerThroughput: 12_000 });
    const from =
      continuation === undefined ? ChangeFeedStartFrom.Beginning() : ChangeFeedStartFrom.Continuation(continuation);
    const iterator = container.items.getChangeFeedIterator({ changeFeedStartFrom: from, maxItemCount: 50 });
    const read = async (): Promise<void> => {
      for (;;) {
        const page = await iterator.readNext();
        continuation = page.continuationToken;
        if (page.statusCode === 304) return;
        for (const { id } of page.result as { id: string }[]) seen.set(id, (seen.get(id) ?? 0) + 1);
      }
    };
    await read();
    for (const id of acknowledged) expect(seen.get(id), id).toBe(1);
    if (life === 2) {
      client.dispose();
      expect(await end(running, 'SIGTERM')).toBe(0);
      break;
    }
    let isOver = false;
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let n = 0; !isOver; n += 1) {
        const id = `${life}-${writer}-${n}`;
        // A write that was under way when the process died may be there or not.
        const { status } = await rawFetch(running.ready.url, 'POST', '/dbs/db/colls/c/docs', {
          headers: { 'x-ms-documentdb-partitionkey': JSON.stringify([id]) },
          body: { id, pk: id },
        }).catch(() => ({ status: 0 }));
        if (status === 201) acknowledged.add(id);
        else break;
      }
    });
    while (acknowledged.size < (life + 1) * 100) await read();
    await end(running, 'SIGKILL');
    isOver = true;
    await Promise.all(writers);
    client.dispose();
  }
  expect(acknowledged.size).toBeGreaterThanOrEqual(200);
  expect(seen.size).toBeGreaterThanOrEqual(acknowledged.size);
});

test('what it cannot do it says in a sentence: flags, port, folder, host', async () => {
  expect(await say(['--prot', '1'])).toMatchObject({ code: 2, out: '', err: expect.stringContaining('--port?') });
  expect(await say(['--port', 'x'])).toMatchObject({ code: 2, err: expect.stringContaining('0 to 65535') });
  expect(await say(['--memory', '--data', 'x'])).toMatchObject({ code: 2, err: expect.stringContaining('not both') });
  expect(await say(['--help'])).toMatchObject({ code: 0, out: expect.stringContaining('tail'), err: '' });
  expect(await say(['serve', '--help'])).toMatchObject({ code: 0, out: expect.stringContaining('--data <DIR>') });
  const remote = await say(['--memory', '--host', '0.0.0.0', '--port', '0']);
  expect(remote).toMatchObject({ code: 1, out: '', err: expect.stringContaining('well-known key') });

  const data = join(folder, 'taken');
  const running = await start(['--port', '0', '--data', data]);
  const port = String(running.ready.port);
  expect(await say(['--memory', '--port', port])).toMatchObject({ code: 1, err: expect.stringContaining('is taken') });
  const sharing = await say(['--data', data, '--port', '0']);
  expect(sharing).toMatchObject({ code: 1, err: expect.stringContaining(`process ${running.ready.pid}`) });
  expect(await end(running, 'SIGTERM')).toBe(0);
});

test('a request that is under way when it is told to stop is answered', async () => {
  const running = await start(['--port', '0', '--memory']);
  const exited = once(running.child, 'exit');
  const client = clientOf(running.ready.url);
  await client.databases.create({ id: 'db' });
  const creating = Array.from({ length: 20 }, (_, i) =>
    rawFetch(running.ready.url, 'POST', '/dbs', { body: { id: `d${i}` } }).then(
      ({ status }) => status,
      // Connections that were not accepted yet when it stopped listening.
      () => 0,
    ),
  );
  await Promise.race(creating);
  running.child.kill('SIGTERM');
  const statuses = await Promise.all(creating);
  expect(statuses.filter((status) => status === 201).length).toBeGreaterThan(0);
  expect(statuses.every((status) => status === 201 || status === 0)).toBe(true);
  client.dispose();
  expect((await exited)[0]).toBe(0);
});

test('[engine 12] a log that cannot be written ends nothing', async (context) => {
  if (!existsSync('/dev/full')) return context.skip('there is no device that is always full');
  const full = openSync('/dev/full', 'w');
  const args = [commandLine, 'serve', '--memory', '--port', '0', '--log-level', 'debug'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', full] });
  const stdout = child.stdout as Readable; // A pipe, as asked for.
  const exited = once(child, 'exit');
  const [line] = (await Promise.race([
    once(createInterface(stdout), 'line'),
    exited.then(([code]) => Promise.reject(new Error(`it ended with ${code} before it was ready`))),
  ])) as [string];
  const { url } = JSON.parse(line);

  const statuses: number[] = [];
  for (let i = 0; i < 3; i += 1) statuses.push((await rawFetch(url, 'GET', '/dbs', {})).status);
  child.kill('SIGTERM');

  expect(statuses).toEqual([200, 200, 200]);
  expect((await exited)[0]).toBe(0);
  closeSync(full);
});
