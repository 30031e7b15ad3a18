// Web pages of other origins (CORS), with what a browser sends.

import { startServer } from '@tidemark/server';
import { expect, test } from 'vitest';
import { signedHeaders } from './harness.ts';

const page = 'https://app.example';
const docs = '/dbs/db/colls/c/docs';

async function withServer(
  corsOrigin: string | readonly string[] | undefined,
  run: (send: (verb: string, path: string, headers?: Record<string, string>) => Promise<Response>) => Promise<void>,
): Promise<void> {
  await using server = await startServer({ memory: true, ...(corsOrigin === undefined ? {} : { corsOrigin }) });
  const send = (verb: string, path: string, headers: Record<string, string> = {}) =>
    fetch(new URL(path, server.url), { method: verb, headers, signal: AbortSignal.timeout(120_000) });
  const create = (path: string, body: object) =>
    fetch(new URL(path, server.url), {
      method: 'POST',
      headers: signedHeaders('POST', path),
      body: JSON.stringify(body),
    });
  await create('/dbs', { id: 'db' });
  await create('/dbs/db/colls', { id: 'c', partitionKey: { paths: ['/pk'], version: 2 } });
  await run(send);
}

const preflight = (origin: string): Record<string, string> => ({
  origin,
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'authorization,x-ms-date,x-ms-whatever',
});

test('[B1] [SEC12] by default no page of another origin is let in', async () => {
  await withServer(undefined, async (send) => {
    const answer = await send('GET', docs, { ...signedHeaders('GET', docs), origin: page });
    expect(answer.status).toBe(200);
    expect(answer.headers.has('access-control-allow-origin')).toBe(false);
    const asked = await send('OPTIONS', docs, preflight(page));
    expect(asked.status).toBeGreaterThanOrEqual(400);
    expect(asked.headers.has('access-control-allow-origin')).toBe(false);
  });
});

test('[B1] [SEC12] pages of the origins in the list are, and can read what clients read', async () => {
  await withServer([page, 'http://localhost:3000'], async (send) => {
    for (const origin of [page, 'http://localhost:3000']) {
      const asked = await send('OPTIONS', docs, preflight(origin));
      expect(asked.status).toBe(204);
      expect(Object.fromEntries(asked.headers)).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-allow-headers': 'authorization,x-ms-date,x-ms-whatever',
        vary: 'Origin',
      });
      for (const verb of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        expect(asked.headers.get('access-control-allow-methods')).toContain(verb);
      }
      expect(Number(asked.headers.get('access-control-max-age'))).toBeGreaterThan(0);
    }
    const read = await send('GET', docs, { ...signedHeaders('GET', docs), origin: page, 'a-im': 'Incremental Feed' });
    expect(read.status).toBe(304);
    expect(read.headers.get('access-control-allow-origin')).toBe(page);
    const exposed = read.headers.get('access-control-expose-headers') ?? '';
    for (const name of [
      'etag',
      'x-ms-continuation',
      'x-ms-session-token',
      'x-ms-substatus',
      'preference-applied',
      'lsn',
    ]) {
      expect(exposed.split(', ')).toContain(name);
    }
    // A page sees why it failed, too.
    const refused = await send('GET', docs, { origin: page });
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, page]);

    const other = await send('GET', docs, { ...signedHeaders('GET', docs), origin: 'https://evil.example' });
    expect([other.headers.has('access-control-allow-origin'), other.headers.get('vary')]).toEqual([false, 'Origin']);
    const stranger = await send('OPTIONS', docs, preflight('https://evil.example'));
    expect([stranger.status, stranger.headers.has('access-control-allow-origin')]).toEqual([403, false]);
    expect(await stranger.json()).toMatchObject({ code: 'Forbidden' });
  });
});

test('[B1] with * all are, event streams as well, and into a private network', async () => {
  await withServer('*', async (send) => {
    const asked = await send('OPTIONS', docs, { ...preflight(page), 'access-control-request-private-network': 'true' });
    expect(Object.fromEntries(asked.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-private-network': 'true',
    });
    const headers = { ...signedHeaders('GET', docs), origin: page, accept: 'text/event-stream' };
    const stream = await send('GET', docs, headers);
    expect([stream.status, stream.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    const reader = stream.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    expect(Buffer.from(value ?? []).toString()).toMatch(/^retry: \d+\n/);
    await reader?.cancel();
    const plain = await send('OPTIONS', docs, { origin: page });
    expect(plain.status).toBeGreaterThanOrEqual(400);
  });
});

test('[B1] what is no origin is refused at the start', async () => {
  for (const wrong of ['app.example', 'https://app.example/', 'https://app.example/x', '']) {
    await expect(startServer({ memory: true, corsOrigin: [wrong] }), wrong).rejects.toMatchObject({
      code: 'bad-request',
    });
  }
});
