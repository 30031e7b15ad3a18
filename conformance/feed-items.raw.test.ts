// What the change feed shows: pages, answers, latest versions and all versions: wire 11.4 to 11.7, sentence by sentence, with
// plain fetch.

import { startServer } from '@tidemark/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RawResponse } from './harness.ts';
import { rawFetch, World } from './harness.ts';
import type { Headers, Made, RawDocument } from './raw.ts';
import { allVersions, fromBeginning, idsOf, inRange, keysFrom, pageOf, past, pk, requestsTo, scopes } from './raw.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
  await world.sdkDatabase();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const { make, put, feed, drain, inside } = requestsTo(() => world);
const remove = (made: Made, id: string, key: string): Promise<RawResponse> =>
  world.fetch('DELETE', `${made.docs}/${id}`, { headers: pk(key) });

function batch(made: Made, key: string, operations: readonly object[]): Promise<RawResponse> {
  const headers = { ...pk(key), 'x-ms-cosmos-is-batch-request': 'true', 'x-ms-cosmos-batch-atomic': 'true' };
  return world.fetch('POST', made.docs, { headers, body: operations });
}

describe('pages', () => {
  test('[wire 11.4] page sizes: exactly one, the default, as many as there are, and nonsense', async () => {
    const made = await make();
    const operations = (from: number) =>
      Array.from({ length: 100 }, (_, i) => ({
        operationType: 'Create',
        resourceBody: { id: `${from + i}`, pk: 'a' },
      }));
    await batch(made, 'b', [{ operationType: 'Create', resourceBody: { id: 'first', pk: 'b' } }]);
    for (let i = 0; i < 130; i += 1) await put(made, { id: `${i}`, pk: `k${i % 9}` });
    await batch(made, 'a', operations(1000));
    for (const scope of [{}, inRange('0'), keysFrom('', 'FF')]) {
      expect((await feed(made, { ...scope, ...pageOf(1) })).json._count).toBe(1);
      expect((await feed(made, scope)).json._count).toBe(100);
      expect((await feed(made, { ...scope, ...pageOf(-1) })).json._count).toBe(231);
      expect((await feed(made, { ...scope, ...pageOf(5_000_000) })).json._count).toBe(231);
      const { pages } = await drain(made, { ...scope, ...pageOf(50) });
      expect(pages.map(({ json }) => json._count)).toEqual([50, 50, 131]);
    }
    for (const wrong of ['0', '-2', 'x', '1.5', 'Infinity']) {
      expect((await feed(made, { 'x-ms-max-item-count': wrong })).status, wrong).toBe(400);
    }
  });

  test('[M6] [wire 11.4] a transaction is never cut, in both modes and every scope', async () => {
    const made = await make({ policy: true });
    const create = (id: string) => ({ operationType: 'Create', resourceBody: { id, pk: 'a' } });
    await put(made, { id: 'before', pk: 'a' });
    await batch(made, 'a', ['1', '2', '3'].map(create));
    await batch(made, 'a', [
      ...['4', '5'].map(create),
      { operationType: 'Upsert', resourceBody: { id: '1', pk: 'a' } },
      { operationType: 'Delete', id: '2' },
    ]);
    await put(made, { id: 'after', pk: 'a' });
    for (const scope of Object.values(scopes)) {
      const latest = await drain(made, { ...scope, ...pageOf(1) });
      expect(latest.pages.map(idsOf)).toEqual([['before'], ['3'], ['4', '5', '1'], ['after']]);
      const versions = await drain(made, { ...scope, ...fromBeginning, ...pageOf(1) });
      const shown = versions.pages.map(({ json }) =>
        json.Documents.map(
          (each: { current: RawDocument; metadata: { id?: string } }) => each.current.id ?? `-${each.metadata.id}`,
        ),
      );
      expect(shown).toEqual([['before'], ['1', '2', '3'], ['4', '5', '1', '-2'], ['after']]);
      for (const { json } of versions.pages) {
        expect(new Set(json.Documents.map((each: { metadata: { lsn: number } }) => each.metadata.lsn)).size).toBe(1);
      }
    }
  });

  test('[wire 11.5] [wire 17.1] [wire 17.2] a filtered reader advances over what is not its own, and never back', async () => {
    const made = await make({ policy: true });
    await put(made, { id: '1', pk: 'a' });
    const epk = Buffer.from(inside(made).partitionKey('a').epk).toString('hex').toUpperCase();
    const filters: readonly Headers[] = [
      pk('a'),
      { ...inRange('0'), ...keysFrom(epk, `${epk}FF`) },
      keysFrom(epk, `${epk}FF`),
    ];
    const positions = new Map<Headers, string>();
    for (let round = 1; round <= 3; round += 1) {
      for (let i = 0; i < 5; i += 1) await put(made, { id: `${i}`, pk: `other${i}` });
      const tail = inside(made).ranges[0]?.tailLsn;
      for (const filter of filters) {
        for (const mode of [{}, fromBeginning]) {
          const from = positions.get(filter);
          const { pages, etag } = await drain(made, { ...filter, ...mode }, from);
          expect(pages.flatMap(({ json }) => json.Documents)).toHaveLength(from === undefined ? 1 : 0);
          expect(etag).toBe(`"${tail}"`);
        }
        positions.set(filter, `"${tail}"`);
      }
    }
  });

  test('[wire 11.5] [wire 17.9] [wire 17.10] [wire 13] every answer carries the same headers, in both modes and versions', async () => {
    const made = await make({ policy: true });
    await put(made, { id: '1', pk: 'a' });
    await put(made, { id: '2', pk: 'a' });
    for (const scope of Object.values(scopes)) {
      for (const mode of [{}, allVersions]) {
        for (const [version, token] of [
          ['2017-11-15', '0:2'],
          ['2018-12-31', '0:-1#2'],
          ['2020-07-15', '0:-1#2'],
        ] as const) {
          for (const [etag, status, count] of [
            ['"1"', 200, '1'],
            ['"2"', 304, '0'],
          ] as const) {
            const page = await feed(made, { ...scope, ...mode, 'x-ms-version': version, ...past(etag) });
            expect([page.status, page.text === '']).toEqual([status, status === 304]);
            expect(Object.fromEntries(page.headers)).toMatchObject({
              etag: '"2"',
              lsn: '2',
              'x-ms-item-count': count,
              'x-ms-session-token': token,
              'x-ms-documentdb-partitionkeyrangeid': '0',
              'x-ms-content-path': inside(made).info.rid,
              'x-ms-alt-content-path': `dbs/db/colls/${made.id}`,
            });
            expect(Number(page.headers.get('x-ms-request-charge'))).toBeGreaterThan(0);
            expect(page.headers.get('x-ms-activity-id')).toMatch(/^[0-9a-f-]{36}$/);
            expect(page.headers.has('x-ms-continuation')).toBe(false);
          }
        }
      }
    }
  });
});

describe('latest versions', () => {
  test('[M5] [M9] [wire 11.6] each document once, at the end after a change, with `_lsn` and nothing else', async () => {
    const made = await make();
    for (const id of ['1', '2', '3', '4']) await put(made, { id, pk: 'a', n: 1 });
    await put(made, { id: '1', pk: 'a', n: 1 }); // identical content is a change all the same
    const patch = { operations: [{ op: 'incr', path: '/n', value: 1 }] };
    await world.fetch('PATCH', `${made.docs}/2`, { headers: pk('a'), body: patch });
    await remove(made, '3', 'a');
    const { json } = await feed(made);
    expect(json.Documents.map(({ id, _lsn }: { id: string; _lsn: number }) => [id, _lsn])).toEqual([
      ['4', 4],
      ['1', 5],
      ['2', 6],
    ]);
    for (const { _lsn, ...document } of json.Documents) {
      const read = await world.fetch('GET', `${made.docs}/${document.id}`, { headers: pk('a') });
      expect(document).toEqual(read.json);
      expect(_lsn).toBeTypeOf('number');
      expect(Object.keys(document)).not.toContain('_metadata');
    }
  });

  test('[M8] [wire 11.6] what expires produces nothing', async () => {
    const container = await world.container({ defaultTtl: -1 });
    const made = { id: container.id, docs: `/dbs/db/colls/${container.id}/docs`, pkranges: '' };
    await put(made, { id: '1', pk: 'a', ttl: 2 });
    await put(made, { id: '2', pk: 'a' });
    const { etag } = await drain(made, {});
    world.shiftMs += 5_000;
    expect(idsOf(await feed(made))).toEqual(['2']);
    await world.database.engine.sweep(inside(made).info.number);
    expect((await drain(made, {}, etag)).pages).toEqual([]);
    expect((await drain(made, pk('a'), etag)).pages).toEqual([]);
  });
});

describe('all versions', () => {
  test('[B2] [wire 11.7] [wire 17.7] the envelope, exactly', async () => {
    const made = await make({ policy: true });
    const first = (await put(made, { id: '1', pk: 'a', n: 1 })).json;
    world.shiftMs += 1_000;
    const second = (await put(made, { id: '1', pk: 'a', n: 2 })).json;
    world.shiftMs += 1_000;
    await remove(made, '1', 'a');
    const { json } = await feed(made, fromBeginning);
    const [create, replace, deletion] = json.Documents;
    expect(create).toEqual({
      current: first,
      metadata: { lsn: 1, crts: first._ts, operationType: 'create' },
    });
    expect(replace).toEqual({
      current: second,
      metadata: { lsn: 2, crts: second._ts, operationType: 'replace', previousImageLSN: 1 },
    });
    expect(deletion).toEqual({
      current: {},
      previous: second,
      metadata: {
        lsn: 3,
        crts: expect.any(Number),
        operationType: 'delete',
        previousImageLSN: 2,
        id: '1',
        partitionKey: { pk: 'a' },
      },
    });
    expect(deletion.metadata.crts).toBeGreaterThan(replace.metadata.crts);
    expect(replace.metadata.crts).toBeGreaterThan(create.metadata.crts);
    const formats = { 'x-ms-cosmos-changefeed-wire-format-version': '2021-09-15' };
    expect((await feed(made, { ...fromBeginning, ...formats })).json).toEqual(json);
  });

  test('[wire 11.7] an expiry, a delete by partition key, and every level of a hierarchical key', async () => {
    const container = await world.container({
      partitionKey: { paths: ['/tenant', '/user/id'], kind: 'MultiHash', version: 2 },
      changeFeedPolicy: { retentionDuration: 10 },
      defaultTtl: -1,
    } as never);
    const made = { id: container.id, docs: `/dbs/db/colls/${container.id}/docs`, pkranges: '' };
    await container.items.create({ id: '1', tenant: 't', user: { id: 1 }, ttl: 2 });
    await container.items.create({ id: '2', tenant: 't', user: { id: 2 } });
    await container.items.create({ id: '3', tenant: 't', user: {} });
    world.shiftMs += 5_000;
    await world.database.engine.sweep(inside(made).info.number);
    const key = { 'x-ms-documentdb-partitionkey': '["t",2]' };
    const path = `${made.docs.slice(0, -5)}/operations/partitionkeydelete`;
    const sign = { type: 'colls', link: made.docs.slice(1, -5) };
    expect((await world.fetch('POST', path, { headers: key, sign })).status).toBe(200);
    await world.fetch('DELETE', `${made.docs}/3`, { headers: { 'x-ms-documentdb-partitionkey': '["t",{}]' } });
    const deletions = async (): Promise<{ previous?: object; metadata: { id: string } }[]> =>
      (await feed(made, fromBeginning)).json.Documents.filter(
        ({ metadata }: { metadata: { operationType: string } }) => metadata.operationType === 'delete',
      );
    // The records of a delete by partition key are written by a job.
    while ((await deletions()).length < 3) await world.database.engine.sweep(inside(made).info.number);
    const byId = Object.fromEntries((await deletions()).map((each) => [each.metadata.id, each]));
    expect(byId['1']).toMatchObject({
      current: {},
      metadata: { timeToLiveExpired: true, previousImageLSN: 1, partitionKey: { tenant: 't', 'user/id': 1 } },
    });
    expect(byId['1']).not.toHaveProperty('previous');
    expect(byId['2']).toMatchObject({ current: {}, previous: { id: '2' } });
    expect(byId['2']?.metadata).not.toHaveProperty('timeToLiveExpired');
    expect(byId['3']?.metadata).toMatchObject({ id: '3', partitionKey: { tenant: 't' } });
  });

  test('[B2] [wire 11.2] [wire 17.8] the beginning is 400 with the sentence, unless our own header asks for it', async () => {
    const sentence = 'You must read the change feed from within the retention period.';
    const made = await make({ policy: true });
    await put(made, { id: '1', pk: 'a', n: 1 });
    for (const scope of Object.values(scopes)) {
      const refused = await feed(made, { ...scope, ...allVersions });
      expect([refused.status, refused.headers.has('x-ms-substatus')]).toEqual([400, false]);
      expect(refused.json.message).toContain(sentence);
      expect((await feed(made, { ...scope, ...fromBeginning })).json._count).toBe(1);
    }
    const old = { 'if-modified-since': new Date(Date.now() + world.shiftMs - 5_000).toUTCString() };
    world.shiftMs += 11 * 60_000;
    await put(made, { id: '1', pk: 'a', n: 2 });
    await world.database.engine.trim(inside(made).info.number);
    for (const scope of Object.values(scopes)) {
      const all = { ...scope, ...allVersions };
      for (const start of [old, past('"0"'), { 'x-tidemark-start': new Date(0).toISOString() }]) {
        const passed = await feed(made, { ...all, ...start });
        expect([passed.status, passed.json.message]).toEqual([400, expect.stringContaining(sentence)]);
      }
      const kept = await feed(made, { ...scope, ...fromBeginning });
      expect(kept.json.Documents.map(({ metadata }: { metadata: { lsn: number } }) => metadata.lsn)).toEqual([2]);
      const latest = await feed(made, scope);
      expect(latest.json._count).toBe(1);
    }
  });

  test('[B2] [wire 11.7] without history it is 400 and says what to set; `historyMs` sets it for all', async () => {
    const before = await make();
    await put(before, { id: '1', pk: 'a', n: 1 });
    const container = await world.container({ changeFeedPolicy: { retentionDuration: 0 } } as never);
    const off = { id: container.id, docs: `/dbs/db/colls/${container.id}/docs`, pkranges: '' };
    const own = await make({ policy: true });
    for (const start of [{}, past('*'), past('"0"'), fromBeginning]) {
      const refused = await feed(before, { ...allVersions, ...start });
      expect(refused.status).toBe(400);
      expect(refused.json.message).toContain('changeFeedPolicy');
      expect(refused.json.message).toContain('--history');
    }

    const { etag } = inside(before).info;
    await using server = await startServer({ database: world.database, historyMs: 3_600_000 });
    const versions = (made: Made) =>
      rawFetch(server.url, 'GET', made.docs, { headers: { ...fromBeginning, ...pageOf(-1) } });

    expect(inside(before).info).toMatchObject({ historyMs: 3_600_000, etag });
    expect(inside(own).info.historyMs).toBe(600_000);
    expect((await versions(off)).status).toBe(400);
    await put(before, { id: '1', pk: 'a', n: 2 });
    await put(before, { id: '1', pk: 'a', n: 3 });
    const shown = (await versions(before)).json.Documents;
    expect(shown.map(({ current }: { current: { n: number } }) => current.n)).toEqual([2, 3]);
    const later = await make();
    await put(later, { id: '1', pk: 'a' });
    await remove(later, '1', 'a');
    expect((await versions(later)).json._count).toBe(2);
    await world.database.keepHistory(0);
    expect((await versions(later)).status).toBe(400);
    expect((await versions(own)).status).toBe(304);
  });
});
