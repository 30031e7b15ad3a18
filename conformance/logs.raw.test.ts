// What the log says, and what it must never say.

import { request } from 'node:http';
import type { Database } from '@tidemark/engine';
import { startServer, wellKnownKey } from '@tidemark/server';
import { describe, expect, test } from 'vitest';
import { rawFetch, World } from './harness.ts';
import { adminIn, makeIn, pk, putIn } from './raw.ts';

class Lines {
  readonly all: string[] = [];

  write(line: string): void {
    this.all.push(line);
  }

  get parsed(): Record<string, unknown>[] {
    return this.all.map((line) => JSON.parse(line));
  }
}

/** One that shows wherever it turns up, encoded or not. */
const secret = 'sesame0pen';

describe('secrets', () => {
  test('[M18] [SEC9] no key, token, header, query, id of a document or content reaches the log, at the level that tells most', async () => {
    const logStream = new Lines();
    {
      await using world = await World.open({ logLevel: 'debug', logStream, chaos: true });
      const made = await makeIn(world);
      const base = `/dbs/db/colls/${made.id}`;
      const document = { id: secret, pk: secret, [secret]: secret };
      await putIn(world, made, document);
      await putIn(world, made, document);
      const verbs = ['GET', 'PUT', 'PATCH', 'DELETE', 'POST', 'OPTIONS'];
      for (const verb of verbs) {
        const body = verb === 'GET' || verb === 'OPTIONS' ? {} : { body: `{"${secret}":` };
        for (const headers of secretHeaders()) {
          await world.fetch(verb, `${made.docs}/${secret}`, { headers, ...body });
          await world.fetch(verb, made.docs, { headers, ...body });
        }
      }
      await world.fetch('POST', made.docs, { headers: pk('p'), body: { id: `${secret}/`, pk: 'p' } });
      await world.fetch('POST', made.docs, { headers: pk('p'), body: { id: 'x', pk: secret } });
      await world.fetch('GET', `${made.docs}/${secret}%2f`, { headers: pk('p') });
      await world.fetch('GET', `/dbs/db/users/${secret}/permissions/${secret}`);
      await world.fetch('GET', `/offers/${secret}`);
      for (const query of [`?token=${secret}`, `?authorization=${secret}&a=${secret}`, `?${secret}`]) {
        await world.fetch('GET', made.docs + query, { sign: { type: 'docs', link: base.slice(1) } });
        await world.fetch('GET', made.docs + query, { headers: { accept: 'application/json' } });
        await fetch(new URL(`/_tidemark/health${query}`, world.url));
        for (const place of ['/dbs/db', base]) await world.fetch('GET', place + encodeURIComponent(query));
      }
      await fetch(new URL('/_tidemark/jobs', world.url), { headers: { authorization: `Bearer ${secret}` } });
      await adminIn(world, 'POST', '/_tidemark/backup', { name: `../${secret}` });
      await adminIn(world, 'GET', `/_tidemark/jobs/${secret}`);
      await fetch(new URL(`/${secret}/${secret}`, world.url));
      await goneBeforeItsEnd(world.url, made.docs);
    }
    const text = logStream.all.join('');

    expect(logStream.all.length).toBeGreaterThan(50);
    expect(logStream.parsed.filter(({ msg }) => msg === 'request').length).toBeGreaterThan(50);
    for (const form of formsOf(secret)) expect(text).not.toContain(form);
    for (const form of formsOf(wellKnownKey)) expect(text).not.toContain(form);
    expect(text).not.toMatch(/authorization|type=master|sig=|Bearer/i);
  });
});

function secretHeaders(): Record<string, string>[] {
  return [
    { authorization: secret },
    { authorization: `Bearer ${secret}` },
    { authorization: encodeURIComponent(`type=master&ver=1.0&sig=${secret}`) },
    { authorization: encodeURIComponent(`type=resource&ver=1&sig=${secret}`) },
    { 'x-ms-date': secret },
    pk(secret),
    { 'x-ms-documentdb-partitionkey': `[${secret}` },
    { ...pk('p'), 'if-match': secret, 'if-none-match': secret },
    { 'x-ms-continuation': secret, 'x-ms-session-token': secret, 'x-ms-max-item-count': secret },
    { 'a-im': secret },
    { 'a-im': 'Incremental Feed', 'if-none-match': secret, 'x-ms-documentdb-partitionkeyrangeid': secret },
    { 'x-ms-start-epk': secret, 'x-ms-end-epk': secret, cookie: secret, 'user-agent': secret, [secret]: secret },
    { 'content-type': 'application/query+json', 'x-ms-documentdb-isquery': 'true' },
  ];
}

function formsOf(text: string): string[] {
  const base64 = Buffer.from(text).toString('base64').replace(/=+$/, '');
  return [text, encodeURIComponent(text), base64, Buffer.from(text).toString('hex')];
}

function goneBeforeItsEnd(url: string, path: string): Promise<void> {
  return new Promise((resolve) => {
    const outgoing = request(new URL(path, url), {
      method: 'POST',
      headers: { 'content-length': 1_000, cookie: secret },
    });
    outgoing.on('error', () => resolve());
    outgoing.on('response', (incoming) => {
      incoming.resume();
      incoming.on('close', () => resolve());
    });
    outgoing.write(`{"id":"${secret}"`, () => outgoing.destroy());
  });
}

describe('lines', () => {
  test('a request is told by its operation, its place and its outcome, under the activity id that the client was given', async () => {
    const logStream = new Lines();
    await using world = await World.open({ logLevel: 'debug', logStream });
    const made = await makeIn(world);
    const answer = await world.fetch('GET', `${made.docs}/none`, { headers: pk('p') });

    expect(logStream.parsed.at(-1)).toMatchObject({
      level: 20,
      msg: 'request',
      activityId: answer.headers.get('x-ms-activity-id'),
      operation: 'read',
      database: 'db',
      container: made.id,
      status: 404,
      charge: Number(answer.headers.get('x-ms-request-charge')),
      ms: expect.any(Number),
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
  });

  test('at level info nothing is told of requests that go well or are the client’s fault', async () => {
    const logStream = new Lines();
    await using world = await World.open({ logLevel: 'info', logStream, chaos: true });
    const made = await makeIn(world);
    await world.fetch('GET', `${made.docs}/none`, { headers: pk('p') });
    await world.fetch('GET', '/dbs', { sign: { key: Buffer.alloc(64).toString('base64') } });
    const quiet = logStream.parsed.filter(({ msg }) => msg !== 'started');
    await adminIn(world, 'POST', `/_tidemark/dbs/db/colls/${made.id}/split`);
    const told = logStream.parsed.at(-1);
    await adminIn(world, 'POST', '/_tidemark/faults', { kind: '503', count: 1 });
    await world.fetch('GET', '/dbs');

    expect(quiet).toEqual([]);
    expect(told).toMatchObject({
      level: 30,
      database: 'db',
      container: made.id,
      what: expect.stringContaining('/split'),
    });
    expect(logStream.parsed.at(-1)).toMatchObject({ level: 40, msg: 'request failed', status: 503, fault: '1' });
  });

  test('[SEC9] a defect is told with its stack and activity id, but the client learns nothing of it', async () => {
    const logStream = new Lines();
    const defects: unknown[] = [];
    const broken = {
      health: { status: 'ok', message: undefined, clockJumpMs: 0 },
      databases: () => {
        JSON.parse(`${secret} is no JSON`);
      },
    } as unknown as Database;
    await using server = await startServer({
      database: broken,
      logLevel: 'info',
      logStream,
      onDefect: (error) => defects.push(error),
    });
    const answer = await rawFetch(server.url, 'GET', '/dbs', {});
    const line = logStream.parsed.find(({ msg }) => msg === 'defect');

    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain(secret);
    expect(line).toMatchObject({ level: 50, activityId: answer.headers.get('x-ms-activity-id') });
    expect(line).toMatchObject({ error: { name: 'SyntaxError', stack: expect.stringContaining('logs.raw.test.ts') } });
    expect(logStream.all.join('')).not.toContain(secret);
    expect(defects).toHaveLength(1);
  });

  test('a level that is none is refused', async () => {
    const logLevel = 'loud' as 'info';
    await expect(startServer({ database: {} as Database, logLevel })).rejects.toThrow("not 'loud'");
  });
});
