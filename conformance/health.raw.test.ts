// What is wrong with the disk below a server, and how an operator learns of it.

import { Database } from '@tidemark/engine';
import type { IndexStore } from '@tidemark/engine/internal';
import { EmbeddedEngine, maintainOnce, memoryFiles, systemEnvironment } from '@tidemark/engine/internal';
import type { RunningServer } from '@tidemark/server';
import { startServer } from '@tidemark/server';
import { FaultFiles, MemoryIndexDisk } from '@tidemark/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RawResponse } from './harness.ts';
import { rawFetch } from './harness.ts';
import { pk } from './raw.ts';

let files: FaultFiles;
let database: Database;
let server: RunningServer;
let indexFailure: Error | undefined;
const lines: string[] = [];

beforeEach(async () => {
  files = new FaultFiles(memoryFiles());
  indexFailure = undefined;
  lines.length = 0;
  const environment = systemEnvironment();
  const engine = await EmbeddedEngine.open({
    files,
    index: { open: faultyIndex, discard: async () => {} },
    environment,
    segments: { sync: 'full', segmentBytesMin: 16 * 1024, segmentBytesMax: 16 * 1024 },
    isRestored: false,
  });
  database = new Database(engine, { files, environment, runsMaintenance: false, release: async () => {} });
  await database.createDatabase('db');
  await database.createContainer('db', { id: 'c', partitionKey: { paths: ['/pk'], kind: 'Hash', version: 2 } });
  server = await startServer({ database, logLevel: 'info', logStream: { write: (line) => lines.push(line) } });
});

afterEach(async () => {
  await server.close();
  await database.close();
});

async function faultyIndex(): Promise<IndexStore> {
  const index = await new MemoryIndexDisk().open();
  const apply = index.apply.bind(index);
  index.apply = (changes) => (indexFailure === undefined ? apply(changes) : Promise.reject(indexFailure));
  return index;
}

function write(n: number): Promise<RawResponse> {
  const headers = { ...pk('p'), 'x-ms-documentdb-is-upsert': 'True' };
  const body = { id: `d${n}`, pk: 'p', text: 'x'.repeat(500) };
  return rawFetch(server.url, 'POST', '/dbs/db/colls/c/docs', { headers, body });
}

function health(): Promise<RawResponse> {
  return rawFetch(server.url, 'GET', '/_tidemark/health', { sign: { type: '', link: '_tidemark/health' } });
}

async function healthOfStranger(): Promise<[status: number, body: unknown]> {
  const answer = await fetch(new URL('/_tidemark/health', server.url));
  return [answer.status, await answer.json()];
}

const told = (msg: string): Record<string, unknown>[] =>
  lines.map((line) => JSON.parse(line)).filter((line) => line.msg === msg);

const read = (): Promise<RawResponse> => rawFetch(server.url, 'GET', '/dbs/db/colls/c/docs/d0', { headers: pk('p') });

describe('[engine 12] a server that cannot do all of its work', () => {
  test('a full disk: writes are refused with the reason, reads go on, and health is 503 until there is room', async () => {
    await write(0);
    files.freeBytes = 0;
    let refused = await write(1);
    for (let n = 2; refused.status === 201 && n < 500; n += 1) refused = await write(n);
    const full = await health();
    const stranger = await healthOfStranger();
    const found = await read();
    files.freeBytes = Number.POSITIVE_INFINITY;
    await maintainOnce(database.engine);
    while ((await health()).status !== 200) await new Promise((resolve) => setImmediate(resolve));

    expect([refused.status, refused.json.code]).toEqual([507, 'InsufficientStorage']);
    expect(full.status).toBe(503);
    expect(full.json).toMatchObject({ status: 'degraded', engine: { status: 'disk-full' } });
    expect(full.json.engine.message).toContain('Free space');
    expect(stranger).toEqual([503, { status: 'degraded' }]);
    expect(found.status).toBe(200);
    expect((await write(1_000)).status).toBe(201);
    expect(told('degraded')).toMatchObject([{ health: 'disk-full', reason: expect.stringContaining('Free space') }]);
    expect(told('healthy again')).toHaveLength(1);
  });

  test('a flush that failed: the outcome is unknown, later writes are refused, reads go on, and health says why', async () => {
    await write(0);
    files.fail('sync', { path: /spare|\.seg$/ });
    const unknown = await write(1);
    const refused = await write(2);
    const { status, json } = await health();

    expect(unknown.status).toBe(408);
    expect([refused.status, refused.json.code]).toEqual([503, 'ServiceUnavailable']);
    expect([status, json.engine.status]).toEqual([503, 'read-only']);
    expect(json.engine.message).toContain('opened again');
    expect((await read()).status).toBe(200);
    expect(told('degraded')).toHaveLength(1);
  });

  test('an index that fails: nothing is refused, and health asks for a restart', async () => {
    await write(0);
    indexFailure = new Error('on fire');
    await write(1);
    await database.engine.settle().catch(() => {});
    const { status, json } = await health();

    expect([status, json.engine.status]).toEqual([503, 'index-failed']);
    expect(json.engine.message).toContain('open the database again');
    expect((await read()).status).toBe(200);
    expect((await write(2)).status).toBe(201);
  });
});
