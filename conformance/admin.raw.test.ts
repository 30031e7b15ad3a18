// The admin API over real sockets: signed and with a bearer key, by operators and by strangers.

import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openDatabase, restoreDatabase } from '@tidemark/engine';
import { startServer, wellKnownKey } from '@tidemark/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RawResponse } from './harness.ts';
import { World } from './harness.ts';
import { adminIn, feedOf, inRange, makeIn, pk, putIn } from './raw.ts';

const otherKey = Buffer.alloc(64, 7).toString('base64');

let world: World;
let backups: string;

beforeAll(async () => {
  backups = await mkdtemp(join(tmpdir(), 'tidemark-backups-'));
  world = await World.open({ backupFolder: backups });
});

afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await rm(backups, { recursive: true, force: true });
});

const admin = (verb: string, path: string, body?: unknown, key?: string): Promise<RawResponse> =>
  adminIn(world, verb, path, body, key);

async function finished(job: RawResponse): Promise<RawResponse> {
  const location = job.headers.get('location') ?? '';
  for (;;) {
    const seen = await admin('GET', location);
    if (seen.json.state !== 'running') return seen;
  }
}

describe('who may use it', () => {
  test('health without a key says ok and nothing more; with the key the details', async () => {
    const open = await (await fetch(new URL('/_tidemark/health', world.url))).json();
    const keyed = await admin('GET', '/_tidemark/health');

    expect(open).toEqual({ status: 'ok' });
    expect(keyed.status).toBe(200);
    expect(keyed.json).toMatchObject({ status: 'ok', engine: { status: 'ok' }, index: { behind: expect.any(Number) } });
    expect(keyed.json.disk).toMatchObject({ folder: world.folder, freeBytes: expect.any(Number) });
    expect(keyed.headers.get('cache-control')).toBe('no-store');
  });

  test('[M18] a wrong key is refused everywhere, and a missing one everywhere but for health', async () => {
    const wrong = await admin('GET', '/_tidemark/health', undefined, otherKey);
    const none = await fetch(new URL('/_tidemark/jobs', world.url));
    const nowhere = await fetch(new URL('/_tidemark/nowhere', world.url));

    expect([wrong.status, none.status, nowhere.status]).toEqual([401, 401, 401]);
    expect(wrong.json.message).toContain(String.raw`get\n\n_tidemark/health\n`);
    expect(await none.json()).toMatchObject({ code: 'Unauthorized' });
  });

  test('[SEC5] a signature for one path is none for another', async () => {
    const sign = { type: '', link: '_tidemark/health' };

    expect((await world.fetch('GET', '/_tidemark/jobs', { sign })).status).toBe(401);
    expect((await world.fetch('GET', '/_tidemark/health', { sign })).status).toBe(200);
  });

  test('curl gives the key as bearer', async () => {
    const curl = async (key: string): Promise<string> => {
      const flags = ['-s', '-o', '/dev/null', '-w', '%{http_code}', '-H', `Authorization: Bearer ${key}`];
      return (await promisify(execFile)('curl', [...flags, `${world.url}/_tidemark/jobs`])).stdout;
    };

    expect([await curl(wellKnownKey), await curl(otherKey)]).toEqual(['200', '401']);
  });

  test('[M18] [SEC11] from another machine the key is taken over HTTPS only', async (context) => {
    const outside = Object.values(networkInterfaces())
      .flatMap((each) => each ?? [])
      .find(({ internal, family }) => !internal && family === 'IPv4')?.address;
    if (outside === undefined) return context.skip('this machine has no address but its own');
    await using server = await startServer({ memory: true, host: '0.0.0.0', key: otherKey });
    const statusOf = async (scheme: string): Promise<string> => {
      const flags = ['-s', '-k', '-o', '/dev/null', '-w', '%{http_code}', '-H', `Authorization: Bearer ${otherKey}`];
      const url = `${scheme}://${outside}:${server.port}/_tidemark/jobs`;
      return (await promisify(execFile)('curl', [...flags, url])).stdout;
    };

    expect([await statusOf('http'), await statusOf('https')]).toEqual(['401', '200']);
  });

  test('a load balancer may ask for the head alone', async () => {
    const answer = await fetch(new URL('/_tidemark/health', world.url), { method: 'HEAD' });

    expect([answer.status, await answer.text()]).toEqual([200, '']);
  });

  test('what is not there, and what a path does not do, is said', async () => {
    const nowhere = await admin('GET', '/_tidemark/nowhere');
    const verb = await admin('DELETE', '/_tidemark/health');
    const broken = await world.fetch('GET', '/_tidemark/%zz', { sign: { type: '', link: '_tidemark/%zz' } });

    expect([nowhere.status, verb.status, broken.status]).toEqual([404, 405, 400]);
    expect(verb.json.message).toContain('GET');
  });
});

describe('[B8] ranges', () => {
  test('a split and a merge by request: the ranges cover the keys, and the feed goes on without a gap', async () => {
    const made = await makeIn(world);
    const path = `/_tidemark/dbs/db/colls/${made.id}`;
    for (let i = 0; i < 20; i += 1) await putIn(world, made, { id: `a${i}`, pk: `key${i}` });
    const before = await feedOf(world, made);

    const split = await admin('POST', `${path}/split`, { range: '0' });
    for (let i = 0; i < 20; i += 1) await putIn(world, made, { id: `b${i}`, pk: `key${i}` });
    const listed = await admin('GET', `${path}/ranges`);
    const stale = await feedOf(world, made, inRange('0'));
    const merged = await admin('POST', `${path}/merge`, { ranges: ['2', '1'] });
    const after = await feedOf(world, made, { 'if-none-match': before.headers.get('etag') ?? '' });

    expect(split.status).toBe(200);
    expect(split.json.children.map((child: { id: string }) => child.id)).toEqual(['1', '2']);
    expect(listed.json.count).toBe(2);
    expect(listed.json.ranges[0]).toMatchObject({ id: '1', minInclusive: '', parents: ['0'], floorLsn: 0 });
    expect(listed.json.ranges[1]).toMatchObject({ id: '2', maxExclusive: 'FF', sizeBytes: expect.any(Number) });
    expect(listed.json.ranges[0].maxExclusive).toBe(listed.json.ranges[1].minInclusive);
    expect([stale.status, stale.headers.get('x-ms-substatus')]).toEqual([410, '1002']);
    expect(merged.json).toMatchObject({ ranges: ['1', '2'], range: { id: '3', minInclusive: '', maxExclusive: 'FF' } });
    expect(after.json.Documents.map((each: { id: string }) => each.id).sort()).toEqual(
      Array.from({ length: 20 }, (_, i) => `b${i}`).sort(),
    );
  });

  test('a split at a partition key: it is the first of the second range', async () => {
    const made = await makeIn(world);
    await putIn(world, made, { id: 'x', pk: 'middle' });

    const { json } = await admin('POST', `/_tidemark/dbs/db/colls/${made.id}/split`, { partitionKey: 'middle' });
    const [left, right] = json.children;
    const found = await world.fetch('GET', `${made.docs}/x`, { headers: pk('middle') });

    expect(left.maxExclusive).toBe(right.minInclusive);
    expect(found.headers.get('x-ms-session-token')).toMatch(new RegExp(`^${right.id}:`));
  });

  test('what cannot be done is refused with its reason', async () => {
    const made = await makeIn(world);
    const path = `/_tidemark/dbs/db/colls/${made.id}`;
    const tries: [path: string, body: unknown, status: number, words: string][] = [
      [`${path}/split`, { rnage: '0' }, 400, "'rnage'"],
      [`${path}/split`, '[1]', 400, 'JSON object'],
      [`${path}/split`, '{', 400, 'JSON'],
      [`${path}/split`, { range: 0 }, 400, 'string'],
      [`${path}/split`, { range: '7' }, 410, '7'],
      [`${path}/split`, { at: 'ZZ' }, 400, 'ZZ'],
      [`${path}/split`, { at: 'AA', partitionKey: 'x' }, 400, 'not both'],
      [`${path}/merge`, { ranges: ['0'] }, 400, 'two neighbours'],
      [`${path}/merge`, {}, 400, 'two neighbours'],
      ['/_tidemark/dbs/db/colls/none/split', {}, 404, 'none'],
      ['/_tidemark/dbs/none/colls/c/split', {}, 404, 'none'],
    ];
    for (const [at, body, status, words] of tries) {
      const answer = await admin('POST', at, body);
      expect([at, body, answer.status]).toEqual([at, body, status]);
      expect(answer.json.message).toContain(words);
    }
  });
});

describe('jobs', () => {
  test('a check says what it found', async () => {
    const begun = await admin('POST', '/_tidemark/check');
    const ended = await finished(begun);

    expect(begun.status).toBe(202);
    expect(ended.json).toMatchObject({ kind: 'check', state: 'done', result: { isClean: true, problems: [] } });
    expect(ended.json.progress.done).toBe(ended.json.progress.total);
  });

  test('a backup made while it runs can be restored', async () => {
    const made = await makeIn(world);
    await putIn(world, made, { id: 'kept', pk: 'p' });

    const ended = await finished(await admin('POST', '/_tidemark/backup', { name: 'monday' }));
    const again = await finished(await admin('POST', '/_tidemark/backup', { name: 'monday' }));
    const folder = join(backups, 'restored');
    await restoreDatabase({ backup: join(backups, 'monday'), folder });
    await using restored = await openDatabase({ folder });

    expect(ended.json).toMatchObject({ state: 'done', result: { name: 'monday', folder: join(backups, 'monday') } });
    expect(again.json).toMatchObject({ state: 'failed', error: { message: expect.stringContaining('not empty') } });
    expect(await restored.container('db', made.id).read('kept', 'p')).toBeDefined();
  });

  test('[SEC13] a backup goes nowhere but into its folder', async () => {
    for (const name of ['../x', '/etc/x', '.hidden', 'a/b', '', 'x'.repeat(101), 'a\\b']) {
      const answer = await admin('POST', '/_tidemark/backup', { name });
      expect([name, answer.status]).toEqual([name, 400]);
    }
    await using other = await World.open();
    const sign = { type: '', link: '_tidemark/backup' };
    const off = await other.fetch('POST', '/_tidemark/backup', { sign });

    expect([off.status, off.json.code]).toEqual([403, 'Forbidden']);
    expect(off.json.message).toContain('--backup-folder');
  });

  test('a job that nobody knows is not found', async () => {
    expect((await admin('GET', '/_tidemark/jobs/999')).status).toBe(404);
    expect((await admin('GET', '/_tidemark/jobs')).json.count).toBeGreaterThan(0);
  });
});
