// Where the change feed starts, what part of a container it shows, and the ranges it is read by: wire 10, 11.1 to 11.3,
// sentence by sentence, with plain fetch.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { World } from './harness.ts';
import type { Headers, Made, RawDocument } from './raw.ts';
import {
  allVersions,
  etagOf,
  fromBeginning,
  idsOf,
  inRange,
  keysFrom,
  pageOf,
  past,
  pk,
  requestsTo,
  scopes,
} from './raw.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
  await world.sdkDatabase();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const { make, put, feed, drain, inside } = requestsTo(() => world);

describe('ranges', () => {
  const list = async (made: Made, headers: Headers = {}) => {
    const response = await world.fetch('GET', made.pkranges, { headers });
    const ranges: { id: string; parents: string[]; minInclusive: string; maxExclusive: string }[] =
      response.json?.PartitionKeyRanges ?? [];
    return { response, ranges, ids: ranges.map(({ id }) => id) };
  };

  test('[M3] [wire 10] the list has live leaves only, covers the keys, and names all ancestors, oldest first', async () => {
    const made = await make({ throughput: 12_000 });
    await inside(made).split('0');
    await inside(made).split('2');
    await inside(made).merge('3', '1');
    const { ranges, response } = await list(made);
    expect(ranges.map(({ id, parents }) => [id, parents])).toEqual([
      ['4', ['0', '2']],
      ['5', ['0', '2']],
      ['6', ['0', '3', '1']],
    ]);
    expect(ranges.map(({ minInclusive }) => minInclusive)).toEqual([
      '',
      ...ranges.slice(0, -1).map((r) => r.maxExclusive),
    ]);
    expect(ranges.at(-1)?.maxExclusive).toBe('FF');
    expect(response.headers.get('x-ms-item-count')).toBe('3');
    expect(response.headers.has('x-ms-continuation')).toBe(false);
  });

  test('[wire 10] [wire 17.11] read like a feed it ends in a 304 with an etag, and goes on with what is new', async () => {
    const made = await make();
    const like = (etag?: string): Headers => ({
      'a-im': 'Incremental Feed',
      'x-ms-max-item-count': '-1',
      ...(etag === undefined ? {} : past(etag)),
    });
    const first = await list(made, like());
    const etags = [etagOf(first.response)];
    const change = async (reshape: () => Promise<unknown>, expected: readonly string[]) => {
      await reshape();
      const next = await list(made, like(etags.at(-1)));
      expect(next.ids).toEqual(expected);
      etags.push(etagOf(next.response));
      const drained = await list(made, like(etags.at(-1)));
      expect([drained.response.status, drained.response.text, etagOf(drained.response)]).toEqual([
        304,
        '',
        etags.at(-1),
      ]);
      expect(drained.response.headers.get('x-ms-item-count')).toBe('0');
    };
    await change(() => inside(made).split('0'), ['1', '2']);
    await change(() => inside(made).split('2'), ['3', '4']);
    await change(() => inside(made).merge('1', '3'), ['5']);
    expect((await list(made, like(etags[0]))).ids).toEqual(['5', '4']);
    expect((await list(made, like())).ids).toEqual(['5', '4']);
    const { json } = await world.fetch('GET', made.docs.slice(0, -5));
    const byRid = await world.fetch('GET', `/${json._self}pkranges`, {
      headers: like(etags.at(-1)),
      sign: { link: json._rid.toLowerCase() },
    });
    expect(byRid.status).toBe(304);
  });

  test('[wire 10] [wire 11] a range that is gone is 410/1002 in every mode, an unknown one too; a key never sees it', async () => {
    const made = await make({ policy: true, throughput: 12_000 });
    for (let i = 0; i < 8; i += 1) await put(made, { id: `${i}`, pk: `k${i}` });
    await inside(made).split('0');
    await inside(made).merge('3', '1');
    for (const mode of [
      {},
      { ...allVersions, ...past('*') },
      { ...allVersions, ...past('"0"') },
      past('"1"'),
      past('*'),
    ]) {
      for (const id of ['0', '1', '3', '99', 'x']) {
        for (const keys of [{}, keysFrom('', 'FF')]) {
          const gone = await feed(made, { ...inRange(id), ...keys, ...(mode as Headers) });
          expect([gone.status, gone.headers.get('x-ms-substatus'), gone.json.code], id).toEqual([410, '1002', 'Gone']);
          expect(gone.json.message.length).toBeGreaterThan(10);
        }
      }
    }
    for (let i = 0; i < 8; i += 1) {
      expect(idsOf(await feed(made, { ...pk(`k${i}`), ...inRange('0') }))).toEqual([`${i}`]);
    }
  });

  test('[wire 10] [wire 11.5] after a merge a reader goes on with its etag and its part of the keys', async () => {
    const made = await make({ throughput: 12_000 });
    const [left, right] = inside(made).ranges;
    for (let i = 0; i < 20; i += 1) await put(made, { id: `${i}`, pk: `k${i}` });
    const low = await feed(made, { ...inRange('0'), ...pageOf(3) });
    const high = await feed(made, { ...inRange('1'), ...pageOf(4) });
    await inside(made).merge('0', '1');
    for (let i = 20; i < 30; i += 1) await put(made, { id: `${i}`, pk: `k${i}` });
    const scope = (range: { min: string; max: string } | undefined) => ({
      ...inRange('2'),
      ...keysFrom(range?.min ?? '', range?.max ?? ''),
      ...pageOf(2),
    });
    const rest = [
      ...(await drain(made, scope(left), etagOf(low))).pages,
      ...(await drain(made, scope(right), etagOf(high))).pages,
    ];
    const seen = [low, high, ...rest].flatMap(idsOf);
    expect(seen.map(Number).sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, i) => i));
  });

  test('[wire 11.3] the .NET client names a range together with its container', async () => {
    const made = await make();
    await put(made, { id: '1', pk: 'a' });
    const { rid } = inside(made).info;
    expect(idsOf(await feed(made, inRange(`${rid},0`)))).toEqual(['1']);
    const other = await feed(made, inRange(`AAAAAAAAAAA=,0`));
    expect([other.status, other.headers.get('x-ms-substatus')]).toEqual([410, '1002']);
    const listed = await world.fetch('GET', made.docs, { headers: inRange(`${rid},0`) });
    expect(idsOf(listed)).toEqual(['1']);
  });
});

describe('starts', () => {
  test('[wire 11.2] [wire 17.4] etag, then our own header, then a time, then the beginning; in every scope', async () => {
    const made = await make({ policy: true });
    await put(made, { id: '1', pk: 'a' });
    world.shiftMs += 3_000;
    const since = { 'if-modified-since': new Date(Date.now() + world.shiftMs).toUTCString() };
    world.shiftMs += 3_000;
    for (const id of ['2', '3']) await put(made, { id, pk: 'a' });
    for (const [name, scope] of Object.entries(scopes)) {
      const shown = async (headers: Headers) => idsOf(await feed(made, { ...scope, ...headers }));
      expect(await shown({}), name).toEqual(['1', '2', '3']);
      expect(await shown(since), name).toEqual(['2', '3']);
      expect(await shown({ ...since, 'x-tidemark-start': 'beginning' }), name).toEqual(['1', '2', '3']);
      expect(await shown({ ...since, 'x-tidemark-start': 'beginning', ...past('"2"') }), name).toEqual(['3']);
      for (const mode of [{}, allVersions]) {
        const now = await feed(made, { ...scope, ...since, ...mode, ...past('*') });
        expect([now.status, now.text, etagOf(now)], name).toEqual([304, '', '"3"']);
      }
      const own = await feed(made, { ...scope, 'x-tidemark-start': 'now' });
      expect([own.status, etagOf(own)], name).toEqual([304, '"3"']);
    }
  });

  test('[wire 11.2] now on an empty container is "0" in every scope and mode', async () => {
    const made = await make({ policy: true });
    for (const scope of Object.values(scopes)) {
      for (const mode of [{}, allVersions]) {
        const now = await feed(made, { ...scope, ...mode, ...past('*') });
        expect([now.status, etagOf(now), now.headers.get('x-ms-item-count')]).toEqual([304, '"0"', '0']);
      }
    }
    const many = await make({ throughput: 18_000 });
    const now = await feed(many, past('*'));
    expect(now.status).toBe(304);
    await put(many, { id: '1', pk: 'a' });
    expect(idsOf(await feed(many, past(etagOf(now))))).toEqual(['1']);
  });

  test('[wire 11.2] now is now: what is written meanwhile is shown after the etag and not with it', async () => {
    const made = await make();
    const writes = Array.from({ length: 40 }, (_, i) => put(made, { id: `${i}`, pk: `k${i}` }));
    const starts = await Promise.all(Array.from({ length: 40 }, () => feed(made, { ...inRange('0'), ...past('*') })));
    await Promise.all(writes);
    for (const now of starts) {
      expect(now.status).toBe(304);
      const lsn = Number(etagOf(now).slice(1, -1));
      const rest = (await drain(made, { ...inRange('0'), ...pageOf(-1) }, etagOf(now))).pages.flatMap(idsOf);
      expect(rest).toHaveLength(40 - lsn);
    }
  });

  test('[M7] [wire 11.2] a time is exact to the second in every scope', async () => {
    const made = await make({ policy: true });
    const seconds: number[] = [];
    for (const id of ['0', '1', '2', '3']) {
      const { json } = await put(made, { id, pk: 'a' });
      seconds.push(json._ts);
      world.shiftMs += 1_000;
    }
    expect(new Set(seconds).size).toBe(4);
    for (const scope of Object.values(scopes)) {
      for (const [i, second] of seconds.entries()) {
        const since = { 'if-modified-since': new Date(second * 1000).toUTCString() };
        const later = ['0', '1', '2', '3'].slice(i + 1);
        const page = await feed(made, { ...scope, ...since });
        expect(page.status === 304 ? [] : idsOf(page)).toEqual(later);
        const versions = await feed(made, { ...scope, ...allVersions, ...since });
        const shown = versions.json?.Documents.map(({ current }: { current: RawDocument }) => current.id) ?? [];
        expect(shown).toEqual(later);
        const own = { 'x-tidemark-start': new Date(second * 1000 + 500).toISOString() };
        expect((await feed(made, { ...scope, ...own })).json?.Documents.length ?? 0).toBe(later.length);
      }
    }
  });

  test('[wire 11.2] malformed positions are 400 in every scope and mode, and never a restart', async () => {
    const made = await make({ policy: true });
    await put(made, { id: '1', pk: 'a' });
    const etags = ['x', '"x"', 'W/"1"', '"1', '-1', '"-1"', '1.5', '1e3', '"01"', '99999999999999999999', '"c1:"'];
    const composites = ['"c1:FF"', '"c1:FF=x"', '"c1:1F=1"', '"c1:FF=1,1F=2"', '"c1:ff=1"', '"c1:1F=1,FF=2"x'];
    for (const scope of Object.values(scopes)) {
      for (const mode of [{}, allVersions]) {
        for (const etag of [...etags, ...composites]) {
          const { status, json } = await feed(made, { ...scope, ...mode, ...past(etag) });
          expect([status, json.code], etag).toEqual([400, 'BadRequest']);
        }
        for (const time of [
          'x',
          '5',
          '2020',
          'Wed',
          'Mon, 31 Feb 2020 99:00:00 GMT',
          '2020-01-01',
          '2099-02-30T00:00:00Z',
        ]) {
          const { status, json } = await feed(made, { ...scope, ...mode, 'if-modified-since': time });
          expect([status, json.code], time).toEqual([400, 'BadRequest']);
          expect((await feed(made, { ...scope, ...mode, 'x-tidemark-start': time })).status, time).toBe(400);
        }
      }
    }
  });

  test('[wire 11.2] a time that is none is told of every form that is read', async () => {
    const made = await make();
    await put(made, { id: '1', pk: 'a' });
    const forms = {
      'RFC 1123': 'Sun, 06 Nov 1994 08:49:37 GMT',
      'RFC 850': 'Sunday, 06-Nov-94 08:49:37 GMT',
      asctime: 'Sun Nov  6 08:49:37 1994',
      'RFC 3339': '1994-11-06T08:49:37Z',
    };
    for (const header of ['if-modified-since', 'x-tidemark-start']) {
      const { status, json } = await feed(made, { [header]: '6.11.1994' });
      expect([status, json.message]).toEqual([400, expect.stringContaining('RFC 1123, RFC 850, asctime or RFC 3339')]);
      for (const [form, time] of Object.entries(forms)) {
        const page = await feed(made, { [header]: time });
        expect([page.status, idsOf(page)], form).toEqual([200, ['1']]);
      }
    }
  });

  test('[wire 11.2] a position beyond the end is a 304 with the same etag', async () => {
    const made = await make({ policy: true });
    await put(made, { id: '1', pk: 'a' });
    for (const scope of Object.values(scopes)) {
      for (const mode of [{}, allVersions]) {
        const beyond = await feed(made, { ...scope, ...mode, ...past('"99"') });
        expect([beyond.status, etagOf(beyond)]).toEqual([304, '"99"']);
      }
    }
    const many = await make({ throughput: 12_000 });
    const beyond = await feed(many, past('"99"'));
    expect([beyond.status, etagOf(await feed(many, past(etagOf(beyond))))]).toEqual([304, etagOf(beyond)]);
  });
});

describe('scopes', () => {
  test('[wire 11.3] a part of the keys: intersected, in any case of letters, and refused where it is none', async () => {
    const made = await make({ throughput: 12_000 });
    for (let i = 0; i < 16; i += 1) await put(made, { id: `${i}`, pk: `k${i}` });
    const all = (await drain(made, keysFrom('', 'FF'))).pages.flatMap(idsOf);
    expect(all).toHaveLength(16);
    const half = inside(made).ranges[1]?.min ?? '';
    const lower = (await drain(made, keysFrom('', half.toLowerCase()))).pages.flatMap(idsOf);
    const upper = (await drain(made, keysFrom(half, 'FFFF'))).pages.flatMap(idsOf);
    expect([...lower, ...upper].sort()).toEqual([...all].sort());
    const wider = (await drain(made, { ...inRange('0'), ...keysFrom('', 'FF') })).pages.flatMap(idsOf);
    expect(wider.sort()).toEqual(lower.sort());
    const tail = inside(made).ranges[0]?.tailLsn;
    const outside = await feed(made, { ...inRange('0'), ...keysFrom(half, 'FF') });
    expect([outside.status, etagOf(outside)]).toEqual([304, `"${tail}"`]);
    const open = (await drain(made, { ...inRange('1'), 'x-ms-start-epk': half })).pages.flatMap(idsOf);
    expect(open.sort()).toEqual(upper.sort());
    for (const wrong of [keysFrom('2F', '1F'), keysFrom('xy', 'FF'), keysFrom('1', 'FF'), keysFrom('', '3FF')]) {
      expect((await feed(made, wrong)).status).toBe(400);
    }
    expect((await feed(made, { ...keysFrom('', 'FF'), 'x-ms-read-key-type': 'ResourceId' })).status).toBe(400);
  });

  test('[wire 11.3] of a partition key and a range id the partition key counts', async () => {
    const made = await make({ throughput: 12_000 });
    for (const key of ['a', 'b', 'c', 'd']) await put(made, { id: key, pk: key });
    for (const range of ['0', '1']) {
      expect(idsOf(await feed(made, { ...pk('b'), ...inRange(range), ...keysFrom('', '00') }))).toEqual(['b']);
    }
  });

  test('[M7] [wire 11.3] levels of a hierarchical key, also with holes', async () => {
    const container = await world.container({
      partitionKey: { paths: ['/tenant', '/user', '/session'], kind: 'MultiHash', version: 2 } as never,
      throughput: 12_000,
    });
    const made = { id: container.id, docs: `/dbs/db/colls/${container.id}/docs`, pkranges: '' };
    const documents = [
      { id: '1', tenant: 'x', user: 3, session: 's' },
      { id: '2', tenant: 'x', user: 3 },
      { id: '3', tenant: 'x' },
      { id: '4', tenant: 'y', user: 3, session: 's' },
    ];
    for (const document of documents) await container.items.create(document);
    const of = async (key: string) =>
      (await drain(made, { 'x-ms-documentdb-partitionkey': key })).pages.flatMap(idsOf).sort();
    expect(await of('["x"]')).toEqual(['1', '2', '3']);
    expect(await of('["x",3]')).toEqual(['1', '2']);
    expect(await of('["x",3,{}]')).toEqual(['2']);
    expect(await of('["x",{}]')).toEqual(['3']);
    expect(await of('["x",3,"s"]')).toEqual(['1']);
    expect(await of('["z"]')).toEqual([]);
    expect((await feed(made, { 'x-ms-documentdb-partitionkey': '["x",3,"s",1]' })).status).toBe(400);
  });

  test('[M5] [wire 11.3] the whole container over many ranges has an etag of its own, and echoes who served', async () => {
    const made = await make({ throughput: 60_000, policy: true });
    for (let i = 0; i < 40; i += 1) await put(made, { id: `${i}`, pk: `k${i}` });
    const { pages, etag } = await drain(made, pageOf(3));
    expect(
      pages
        .flatMap(idsOf)
        .map(Number)
        .sort((a, b) => a - b),
    ).toEqual(Array.from({ length: 40 }, (_, i) => i));
    for (const page of pages) {
      const range = page.headers.get('x-ms-documentdb-partitionkeyrangeid') ?? '';
      expect(page.headers.get('x-ms-session-token')).toBe(`${range}:-1#${page.headers.get('lsn')}`);
      for (const { pk: key } of page.json.Documents) {
        const { epk } = inside(made).partitionKey(key);
        expect(world.database.engine.rangeOf(inside(made).info.number, epk)).toBe(range);
      }
    }
    await put(made, { id: 'new', pk: 'k3' });
    expect(idsOf(await feed(made, past(etag)))).toEqual(['new']);
    const versions = await drain(made, { ...fromBeginning, ...pageOf(7) });
    expect(versions.pages.flatMap(({ json }) => json.Documents)).toHaveLength(41);
    // The position of the container is one of each of its ranges as well.
    const ofRange = await feed(made, { ...inRange('3'), ...past(etag) });
    expect([ofRange.status, etagOf(ofRange)]).toEqual([304, `"${inside(made).ranges[3]?.tailLsn}"`]);
  });
});
