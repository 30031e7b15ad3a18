// import and export whose server goes away, and commands that meet something else where they were sent, as real processes.

import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Container, Database } from '@tidemark/engine';
import { openDatabase } from '@tidemark/engine';
import { startServer } from '@tidemark/server';
import { steadyPort } from '@tidemark/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Child, Said } from './process.ts';
import { alive, launch, say, textOf } from './process.ts';

// Processes take their time to start where many tests run at once.
vi.setConfig({ testTimeout: 240_000 });

let folder: string;
let database: Database;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidemark-lost-'));
  database = await openDatabase({ memory: true });
  await database.createDatabase('db');
});
afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

function make(id: string): Promise<Container> {
  return database.createContainer('db', { id, partitionKey: { paths: ['/pk'], version: 2 } });
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const numbers = (count: number): string[] => Array.from({ length: count }, (_, n) => `${n}`);
const ids = (text: string): string[] => text.split('\n').flatMap((line) => (line === '' ? [] : JSON.parse(line).id));

/** Until it has said that nobody answers; then Ctrl-C, to its end. */
async function stopInSilence(child: Child): Promise<Said> {
  const out = textOf(child.stdout);
  const err = textOf(child.stderr);
  while (!err().includes('no answer for 3 s. Trying again; Ctrl-C stops.')) {
    await alive(child, once(child.stderr, 'data'));
  }
  const closed = once(child, 'close');
  child.kill('SIGINT');
  const [code] = (await closed) as [number | null];
  return { code, out: out(), err: err() };
}

test('an import whose server has gone ends with Ctrl-C, not with its last try, and goes on where it was', async () => {
  const inside = await make('imported');
  const file = join(folder, 'long.jsonl');
  const documents = numbers(20_000).map((id) => JSON.stringify({ id, pk: `k${id}` }));
  writeFileSync(file, `${documents.join('\n')}\n`);
  const port = await steadyPort();
  const first = await startServer({ database, port });
  const command = ['import', 'db/imported', file, '--endpoint', first.url];
  const child = launch(command);
  const stopping = stopInSilence(child);
  while ((await inside.read('500', 'k500')) === undefined) await turn();
  await first.close();

  const stopped = await stopping;
  const { line } = JSON.parse(readFileSync(`${file}.import-state`, 'utf8'));
  const second = await startServer({ database, port });
  const rest = await say(command);
  await second.close();

  expect(stopped).toMatchObject({ code: 1, out: expect.stringMatching(/^[\d,]+ documents written .* 0 failed\n$/) });
  expect(stopped.err).toContain('Interrupted; the same command goes on where it was.');
  expect(stopped.err).not.toContain('cannot be reached');
  expect(rest).toMatchObject({ code: 0, out: expect.stringMatching(/^20,000 documents written .* 0 failed\n$/) });
  expect(rest.err).toContain(`tidemark: going on at line ${(line + 1).toLocaleString('en-US')} of ${file}`);
});

test('an export whose server has gone says that it waits, ends with Ctrl-C, and goes on where it was', async () => {
  const inside = await make('exported');
  for (const id of numbers(500)) await inside.upsert({ id, pk: 'a' });
  const file = join(folder, 'part.jsonl');
  const port = await steadyPort();
  const first = await startServer({ database, port });
  const where = ['db/exported', file, '--endpoint', first.url];
  const child = launch(['export', ...where, '--page', '1']);
  const stopping = stopInSilence(child);
  while ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) await turn();
  await first.close();

  const stopped = await stopping;
  const written = ids(readFileSync(file, 'utf8')).length;
  const state = JSON.parse(readFileSync(`${file}.export-state`, 'utf8'));
  const second = await startServer({ database, port });
  const rest = await say(['export', ...where]);
  await second.close();

  expect(stopped.code).toBe(1);
  expect(stopped.err).toContain('The export has stopped; the same command goes on where it was.');
  expect(stopped.err).not.toContain('cannot be reached');
  expect(state.documents).toBe(written);
  expect(rest).toMatchObject({ code: 0, err: expect.stringContaining('500 documents') });
  expect(ids(readFileSync(file, 'utf8')).sort()).toEqual(numbers(500).sort());
});

test('an export to standard output that Ctrl-C ends without a server says with what it goes on', async () => {
  const inside = await make('piped');
  for (const id of numbers(500)) await inside.upsert({ id, pk: 'a' });
  const server = await startServer({ database });
  const child = launch(['export', 'db/piped', '--page', '1', '--endpoint', server.url]);
  const stopping = stopInSilence(child);
  await alive(child, once(child.stdout, 'data'));
  await server.close();

  const { code, out, err } = await stopping;

  expect(code).toBe(1);
  expect(err).toMatch(/The export has stopped; go on with --continuation '.+'\n/);
  expect(err).toMatch(new RegExp(`^tidemark: ${ids(out).length} documents?, `, 'm'));
});

/** Any web server: it knows nothing of what it is asked for. */
async function stranger(status: number): Promise<{ server: Server; url: string }> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status, { 'content-type': 'text/html' });
    response.end('<!DOCTYPE HTML>\n<html><body><h1>Error response</h1></body></html>\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // It listens on a port.
  return { server, url: `http://127.0.0.1:${port}` };
}

const everywhere = [
  ['health'],
  ['tail', 'db/c'],
  ['export', 'db/c'],
  ['import', 'db/c'],
  ['import', 'db/c', '--partition-key', '/pk'],
  ['lag', 'db/c', '--leases', 'db/leases'],
];

test.each([
  [404, everywhere],
  [401, [['tail', 'db/c']]],
  [500, [['lag', 'db/c', '--leases', 'db/leases']]],
])('an answer %i of another web server is told as such, without its page', async (status, commands) => {
  const { server, url } = await stranger(status);

  for (const command of commands) {
    const { code, out, err } = await say([...command, '--endpoint', url]);

    const words = `tidemark: The answer (${status}) of ${url} is none of Cosmos DB: something else answers there, another program or a proxy. --endpoint, `;
    expect([command[0], code, out, err]).toEqual([command[0], 1, '', expect.stringContaining(words)]);
    expect(err).not.toMatch(/<|SDK|TIDEMARK_KEY/);
  }
  server.close();
});
