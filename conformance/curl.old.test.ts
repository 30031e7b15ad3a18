// The requests that the service's documentation prints, sent by curl: header for header, but for the host, the date and the signature.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunningServer } from '@tidemark/server';
import { startServer } from '@tidemark/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rawFetch, signedHeaders } from './harness.ts';
import type { Run } from './old-client.ts';
import { run } from './old-client.ts';

let server: RunningServer;
let folder: string;
beforeAll(async () => {
  const found = await run('curl', ['--version']).catch(() => undefined);
  if (found?.code !== 0) throw new Error('These tests need curl; on Debian: apt install curl.');
  folder = await mkdtemp(join(tmpdir(), 'tidemark-curl-'));
  server = await startServer({ memory: true });
  await writeFile(join(folder, 'ca.pem'), server.ca ?? '');
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

interface Answer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever it expects.
  readonly json: any;
}

/** Of .NET, whose percent signs are followed by small letters. */
function smallEncoded(authorization: string): string {
  return authorization.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
}

async function curl(path: string, printed: Readonly<Record<string, string>>): Promise<Answer> {
  const { authorization = '', 'x-ms-date': date = '' } = signedHeaders('GET', path);
  const headers = { 'x-ms-date': date, authorization: smallEncoded(authorization), ...printed };
  const args = Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]);
  const url = `https://localhost:${server.port}${path}`;
  const ran: Run = await run('curl', [
    '--silent',
    '--show-error',
    '--include',
    '--cacert',
    join(folder, 'ca.pem'),
    ...args,
    url,
  ]);
  expect([ran.code, ran.err]).toEqual([0, '']);
  const [head = '', text = ''] = ran.out.split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const pairs = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 2)];
  });
  return {
    status: Number(first.split(' ')[1]),
    headers: new Map(pairs),
    json: text === '' ? undefined : JSON.parse(text),
  };
}

async function post(path: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<void> {
  expect((await rawFetch(server.url, 'POST', path, { body, headers })).status).toBe(201);
}

const net = { 'Cache-Control': 'no-cache', 'User-Agent': 'Microsoft.Azure.Documents.Client/1.10.27.5' };
const version = { 'x-ms-version': '2016-07-11', Accept: 'application/json' };
/** As many as it takes to have a range with the id 16. */
const throughput = { 'x-ms-offer-throughput': '102000' };
const byKey = { partitionKey: { paths: ['/pk'], kind: 'Hash' } };

describe('[wire 1] [wire 3] requests as printed', () => {
  test('[M1] [M2] ReadDocumentFeed: a collection, then its documents page by page', async () => {
    await post('/dbs', { id: 'smalldb' });
    await post('/dbs/smalldb/colls', { id: 'serverlogs', ...byKey });
    for (const id of ['1', '2', '3']) {
      await post('/dbs/smalldb/colls/serverlogs/docs', { id, pk: id }, { 'x-ms-documentdb-partitionkey': `["${id}"]` });
    }

    const strong = { 'x-ms-consistency-level': 'Strong' };
    const collection = await curl('/dbs/smalldb/colls/serverlogs', { ...net, ...strong, ...version });
    expect([collection.status, collection.json.id]).toEqual([200, 'serverlogs']);

    const two = { ...net, ...strong, ...version, 'x-ms-max-item-count': '2' };
    const first = await curl('/dbs/smalldb/colls/serverlogs/docs', two);
    expect([first.status, first.json._count]).toEqual([200, 2]);
    const continuation = { 'x-ms-continuation': first.headers.get('x-ms-continuation') ?? '' };
    const second = await curl('/dbs/smalldb/colls/serverlogs/docs', { ...two, ...continuation });
    expect([second.json._count, second.headers.has('x-ms-continuation')]).toEqual([1, false]);
  });

  test('[M3] [wire 10] ReadPartitionKeyRanges', async () => {
    await post('/dbs', { id: 'bigdb' });
    await post('/dbs/bigdb/colls', { id: 'serverlogs', ...byKey }, throughput);

    const { status, headers, json } = await curl('/dbs/bigdb/colls/serverlogs/pkranges', {
      'x-ms-consistency-level': 'Session',
      ...version,
    });

    expect([status, headers.get('x-ms-item-count')]).toEqual([200, '17']);
    expect(headers.get('content-type')).toBe('application/json');
    expect(headers.get('x-ms-schemaversion')).toMatch(/^1\./);
    expect(json._rid).toMatch(/=$/);
    expect(json._count).toBe(17);
    expect(json.PartitionKeyRanges[0]).toMatchObject({ id: '0', minInclusive: '' });
    for (const name of ['_rid', 'maxExclusive', '_etag', 'ridPrefix', '_self', '_ts']) {
      expect(json.PartitionKeyRanges[0]).toHaveProperty(name);
    }
  });

  test('[M4] [M9] [wire 11] incremental ReadDocumentFeed of range 16 after an etag', async () => {
    await post('/dbs', { id: 'db3' });
    await post('/dbs/db3/colls', { id: 'bigcoll', ...byKey }, throughput);
    const path = '/dbs/db3/colls/bigcoll/docs';
    for (let i = 0; i < 200; i += 1) {
      await post(path, { id: `d${i}`, pk: `k${i}` }, { 'x-ms-documentdb-partitionkey': `["k${i}"]` });
    }
    const printed = { 'A-IM': 'Incremental feed', 'x-ms-documentdb-partitionkeyrangeid': '16', ...version };

    const whole = await curl(path, printed);
    const first = await curl(path, { ...printed, 'x-ms-max-item-count': '1' });
    const second = await curl(path, {
      'x-ms-max-item-count': '1',
      'If-None-Match': first.headers.get('etag') ?? '',
      ...printed,
    });

    expect(whole.json._count).toBeGreaterThan(2);
    expect([first.json.Documents, second.json.Documents]).toEqual([
      [whole.json.Documents[0]],
      [whole.json.Documents[1]],
    ]);
    expect(second.headers.get('etag')).toBe(`"${whole.json.Documents[1]._lsn}"`);
    expect(second.headers.get('etag')).not.toBe(whole.json.Documents[1]._etag);
    const drained = await curl(path, { ...printed, 'If-None-Match': whole.headers.get('etag') ?? '' });
    expect([drained.status, drained.headers.get('etag')]).toEqual([304, whole.headers.get('etag')]);
  });
});

test('curl without any signature learns what is missing', async () => {
  const { out } = await run('curl', ['--silent', server.url]);
  expect(JSON.parse(out)).toMatchObject({ code: 'Unauthorized', message: expect.stringContaining('authorization') });
});
