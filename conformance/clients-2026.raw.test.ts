// What the SDKs of 2026 in other languages than JavaScript send, with plain fetch: Java, .NET, Go, Rust, Python.

import type { ConsistencyLevel } from '@tidemark/model';
import { consistencyLevels } from '@tidemark/model';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RawResponse } from './harness.ts';
import { clientOf, signedHeaders as signedFor, World } from './harness.ts';
import type { Headers, Made } from './raw.ts';
import { allVersions, fromBeginning, idsOf, inRange, keysFrom, past, pk, requestsTo, scopes } from './raw.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
  await world.sdkDatabase();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const { make, put, feed, drain, inside } = requestsTo(() => world);
const wrappedFeed: Headers = {
  'a-im': 'Incremental feed',
  'x-ms-cosmos-changefeed-wire-format-version': '2021-09-15',
};

describe('latest versions in envelopes, as Java, Go and Rust ask for them', () => {
  test('[wire 11.6] in every scope: the document without `_lsn`, and its figures; an answer is otherwise the same', async () => {
    const made = await make({ policy: true });
    const written = [];
    for (const id of ['1', '2', '3']) written.push((await put(made, { id, pk: 'a', n: { m: [1, 'é'] } })).json);
    for (const [name, scope] of Object.entries(scopes)) {
      const bare = await feed(made, scope);
      const wrapped = await feed(made, { ...scope, ...wrappedFeed });
      expect(wrapped.json.Documents, name).toEqual(
        written.map((current, i) => ({ current, metadata: { lsn: i + 1, crts: current._ts } })),
      );
      for (const header of ['etag', 'lsn', 'x-ms-item-count', 'x-ms-session-token']) {
        expect(wrapped.headers.get(header), name).toBe(bare.headers.get(header));
      }
      const { pages } = await drain(made, { ...scope, ...wrappedFeed, 'x-ms-max-item-count': '2' }, '"1"');
      expect(pages.flatMap(({ json }) => json.Documents.map((item: Envelope) => item.current.id))).toEqual(['2', '3']);
      expect((await feed(made, { ...scope, ...wrappedFeed, ...past('"3"') })).status).toBe(304);
    }
  });

  test('[wire 11.6] what cannot be served as it lies: a part of the keys, documents with a time to live, a deleted key', async () => {
    const container = await world.container({ defaultTtl: -1 });
    const made: Made = { id: container.id, docs: `/dbs/db/colls/${container.id}/docs`, pkranges: '' };
    for (const [id, key] of [
      ['1', 'a'],
      ['2', 'b'],
      ['3', 'a'],
      ['4', 'c'],
    ] as const) {
      await put(made, { id, pk: key, ...(id === '3' ? { ttl: 2 } : {}) });
    }
    await inside(made).deletePartition('c');
    world.shiftMs += 5_000;
    const shown = async (scope: Headers): Promise<unknown[]> =>
      (await feed(made, { ...scope, ...wrappedFeed })).json.Documents.map(({ current, metadata }: Envelope) => [
        current.id,
        metadata.lsn,
        '_lsn' in current,
      ]);
    const epk = Buffer.from(inside(made).partitionKey('a').epk).toString('hex').toUpperCase();
    expect(await shown({})).toEqual([
      ['1', 1, false],
      ['2', 2, false],
    ]);
    expect(await shown(keysFrom(epk, `${epk}FF`))).toEqual([['1', 1, false]]);
    expect(await shown(pk('b'))).toEqual([['2', 2, false]]);
  });

  test('[wire 11.1] without the header nothing is wrapped; another version is refused by its name, in both modes', async () => {
    const made = await make({ policy: true });
    await put(made, { id: '1', pk: 'a' });
    expect(idsOf(await feed(made))).toEqual(['1']);
    for (const mode of [{}, fromBeginning]) {
      const refused = await feed(made, { ...mode, 'x-ms-cosmos-changefeed-wire-format-version': '2027-01-01' });
      expect([refused.status, refused.json.message]).toEqual([400, expect.stringContaining('2027-01-01')]);
    }
  });

  test('[wire 11.7] `previous` of a version is what `current` of the version before was, member for member', async () => {
    const made = await make({ policy: true });
    await put(made, { id: '1', pk: 'a', n: 1 });
    await world.fetch('DELETE', `${made.docs}/1`, { headers: pk('a') });
    const { json } = await feed(made, { ...fromBeginning, ...wrappedFeed, ...allVersions });
    const [create, remove] = json.Documents;
    expect(Object.keys(create.current).sort()).toEqual([
      '_attachments',
      '_etag',
      '_rid',
      '_self',
      '_ts',
      'id',
      'n',
      'pk',
    ]);
    expect(remove.previous).toEqual(create.current);
    expect(remove.metadata).not.toHaveProperty('timeToLiveExpired');
  });
});

interface Envelope {
  readonly current: { readonly id: string };
  readonly metadata: { readonly lsn: number };
}

describe('starts', () => {
  test('[wire 11.2] a time in every form of HTTP, and with UTC as Go writes it', async () => {
    const made = await make({ policy: true });
    const { json } = await put(made, { id: '1', pk: 'a' });
    world.shiftMs += 2_000;
    await put(made, { id: '2', pk: 'a' });
    const time = new Date(json._ts * 1000);
    const [day, date, month, year, clock] = time.toUTCString().replace(',', '').split(' ') as string[];
    const days: Record<string, string> = { Tue: 'Tues', Wed: 'Wednes', Thu: 'Thurs', Sat: 'Satur' };
    const forms = [
      time.toUTCString(),
      time.toUTCString().replace('GMT', 'UTC'),
      `${days[day as string] ?? day}day, ${date}-${month}-${year?.slice(2)} ${clock} GMT`,
      `${day} ${month} ${String(Number(date)).padStart(2)} ${clock} ${year}`,
    ];
    for (const since of forms) {
      expect(idsOf(await feed(made, { 'if-modified-since': since })), since).toEqual(['2']);
      expect((await feed(made, { ...allVersions, 'if-modified-since': since })).json._count, since).toBe(1);
      expect(idsOf(await feed(made, { 'x-tidemark-start': since })), since).toEqual(['2']);
    }
  });

  test('[B2] [wire 11.7] a time before the retention is 400 with the sentence, also where nothing is gone yet', async () => {
    const made = await make({ policy: true });
    await put(made, { id: '1', pk: 'a' });
    const ago = (minutes: number): string => new Date(Date.now() + world.shiftMs - minutes * 60_000).toUTCString();
    for (const [name, scope] of Object.entries(scopes)) {
      const refused = await feed(made, { ...scope, ...allVersions, 'if-modified-since': ago(11) });
      expect([refused.status, refused.headers.has('x-ms-substatus')], name).toEqual([400, false]);
      expect(refused.json.message).toContain('You must read the change feed from within the retention period.');
      expect((await feed(made, { ...scope, ...allVersions, 'if-modified-since': ago(9) })).json._count, name).toBe(1);
      // An etag counts more than the time that clients keep sending, and our own header has its own rules.
      const goingOn = { ...scope, ...allVersions, 'if-modified-since': ago(11), ...past('"1"') };
      expect((await feed(made, goingOn)).status, name).toBe(304);
      const own = { ...goingOn, 'if-none-match': '', 'x-tidemark-start': new Date(0).toISOString() };
      expect((await feed(made, own)).json._count, name).toBe(1);
      expect((await feed(made, { ...scope, 'if-modified-since': ago(11) })).json._count, name).toBe(1);
    }
  });

  test('[wire 10] [wire 11] a range that is gone is 410/1002 before anything else is wrong with a request', async () => {
    const off = await make();
    const on = await make({ policy: true });
    for (const made of [off, on]) {
      await inside(made).split('0');
      const old = { 'if-modified-since': new Date(0).toUTCString() };
      for (const start of [{}, fromBeginning, past('*'), past('"0"'), old]) {
        for (const id of ['0', '99']) {
          const gone = await feed(made, { ...allVersions, ...start, ...inRange(id) });
          expect([gone.status, gone.headers.get('x-ms-substatus'), gone.json.code]).toEqual([410, '1002', 'Gone']);
        }
      }
    }
  });
});

describe('containers', () => {
  const create = (body: object, version = '2020-07-15'): Promise<RawResponse> =>
    world.fetch('POST', '/dbs/db/colls', { headers: { 'x-ms-version': version }, body });

  test('[wire 6] the version of a partition key may be text, as Java writes it, and comes back as a number', async () => {
    for (const [i, [version, number]] of (
      [
        [1, 1],
        [2, 2],
        ['1', 1],
        ['2', 2],
        ['V1', 1],
        ['V2', 2],
      ] as const
    ).entries()) {
      const made = await create({ id: `java${i}`, partitionKey: { paths: ['/pk'], kind: 'Hash', version } });
      expect([made.status, made.json.partitionKey]).toEqual([201, { paths: ['/pk'], kind: 'Hash', version: number }]);
      const body = { id: `java${i}`, partitionKey: { paths: ['/pk'], kind: 'Hash', version: `V${number}` } };
      expect((await world.fetch('PUT', `/dbs/db/colls/java${i}`, { body })).status).toBe(200);
    }
    for (const version of [0, 3, '0', '3', 'V3', 'v2', '', true, null, [2]]) {
      const refused = await create({ id: 'wrong', partitionKey: { paths: ['/pk'], kind: 'Hash', version } });
      expect([refused.status, refused.json.message], String(version)).toEqual([
        400,
        expect.stringContaining('version'),
      ]);
    }
    const levels = { paths: ['/a', '/b'], kind: 'MultiHash', version: 'V2' };
    expect((await create({ id: 'levels', partitionKey: levels })).json.partitionKey.version).toBe(2);
  });

  test('[wire 6] a definition that was sent without a version comes back without it to old clients', async () => {
    const partitionKey = { paths: ['/pk'], kind: 'Hash' };
    for (const [version, shown] of [
      ['2017-11-15', partitionKey],
      ['2018-06-18', partitionKey],
      ['2018-12-31', { ...partitionKey, version: 1 }],
      ['2020-07-15', { ...partitionKey, version: 1 }],
    ] as const) {
      const made = await create({ id: `old ${version}`, partitionKey }, version);
      expect([made.status, made.json.partitionKey], version).toEqual([201, shown]);
    }
    const newer = await create({ id: 'newer', partitionKey: { ...partitionKey, version: 2 } });
    const read = await world.fetch('GET', newer.json._self.replace(/^/, '/'), {
      headers: { 'x-ms-version': '2017-11-15' },
      sign: { link: newer.json._rid.toLowerCase() },
    });
    expect(read.json.partitionKey).toEqual({ ...partitionKey, version: 2 });
  });

  test('[wire 6] an index of another container is refused, and never made as a container that nobody fills', async () => {
    const partitionKey = { paths: ['/pk'], kind: 'Hash', version: 2 };
    const index = { sourceCollectionId: 'src', sourceCollectionRid: 'x', definition: 'SELECT c.id FROM c' };
    for (const name of ['globalSecondaryIndexDefinition', 'materializedViewDefinition']) {
      const refused = await create({ id: 'index', partitionKey, [name]: index });
      expect([refused.status, refused.json.message]).toEqual([400, expect.stringContaining(name)]);
    }
    expect((await world.fetch('GET', '/dbs/db/colls/index')).status).toBe(404);
  });

  test('[wire 6] [wire 11.7] a policy of previous images, through the SDK: kept as it came, changed, obeyed, taken away', async () => {
    const feature = { mode: 3, includedPaths: ['/n'], futureSetting: { value: true } };
    const policy = { supportedFeatures: { allVersionsAndDeletes: feature, containerCopy: { mode: 2 } } };
    const container = await world.container({
      changeFeedPolicy: { retentionDuration: 10 },
      previousImageRetentionPolicy: policy,
    } as never);
    const made: Made = { id: container.id, docs: `/dbs/db/colls/${container.id}/docs`, pkranges: '' };
    await container.items.create({ id: '1', pk: 'a', n: 1, m: 1 });
    await container.items.upsert({ id: '1', pk: 'a', n: 2, m: 2 });
    await container.item('1', 'a').delete();
    const previous = async (): Promise<unknown[]> =>
      (await feed(made, fromBeginning)).json.Documents.map((item: { previous?: object }) => item.previous);
    const replace = async (members: object): Promise<object> => {
      const { resource } = await container.read();
      const { previousImageRetentionPolicy: _, ...definition } = resource as unknown as Record<string, unknown>;
      return (await container.replace({ ...definition, ...members } as never)).resource as never;
    };

    expect((await container.read()).resource).toMatchObject({ previousImageRetentionPolicy: policy });
    expect(await previous()).toEqual([undefined, { n: 1 }, { n: 2 }]);
    const off = { previousImageRetentionPolicy: { supportedFeatures: { allVersionsAndDeletes: { mode: 0 } } } };
    expect(await replace(off)).toMatchObject(off);
    expect(await previous()).toEqual([undefined, undefined, undefined]);
    const wrong = { previousImageRetentionPolicy: { supportedFeatures: { allVersionsAndDeletes: { mode: '3' } } } };
    await expect(replace(wrong)).rejects.toMatchObject({ code: 400 });
    expect(await replace({})).not.toHaveProperty('previousImageRetentionPolicy');
    expect(await previous()).toEqual([undefined, undefined, expect.objectContaining({ id: '1', n: 2, m: 2 })]);
  });

  test('[wire 10] a range can be read by its id and its rid, and not be changed', async () => {
    const made = await make();
    const { json } = await world.fetch('GET', made.pkranges);
    const [range] = json.PartitionKeyRanges;
    for (const id of [range.id, encodeURIComponent(range._rid)]) {
      expect((await world.fetch('GET', `${made.pkranges}/${id}`)).json).toEqual(range);
    }
    expect((await world.fetch('GET', `${made.pkranges}/7`)).status).toBe(404);
    for (const verb of ['DELETE', 'PUT', 'PATCH', 'POST']) {
      for (const path of [made.pkranges, `${made.pkranges}/0`]) {
        const refused = await world.fetch(verb, path, verb === 'DELETE' ? {} : { body: {} });
        expect([refused.status, refused.json.code], `${verb} ${path}`).toEqual([405, 'MethodNotAllowed']);
      }
    }
  });
});

test('[wire 13] every write says in which range it was done, also one that was refused', async () => {
  const made = await make({ throughput: 12_000 });
  for (const key of ['a', 'b', 'c', 'd', 'e']) {
    const path = `${made.docs}/1`;
    const range = world.database.engine.rangeOf(inside(made).info.number, inside(made).partitionKey(key).epk);
    const body = { id: '1', pk: key };
    const headers = pk(key);
    const asBatch = { ...headers, 'x-ms-cosmos-is-batch-request': 'true', 'x-ms-cosmos-batch-atomic': 'true' };
    const operations = [{ operationType: 'Upsert', resourceBody: { id: '2', pk: key } }];
    const asBulk = { ...inRange(range), 'x-ms-cosmos-is-batch-request': 'true', 'x-ms-cosmos-batch-atomic': 'false' };
    const bulk = operations.map((each) => ({ ...each, partitionKey: JSON.stringify([key]) }));
    const collection = made.docs.slice(0, -'/docs'.length);
    const answers: readonly (readonly [number, () => Promise<RawResponse>])[] = [
      [201, () => world.fetch('POST', made.docs, { headers, body })],
      [409, () => world.fetch('POST', made.docs, { headers, body })],
      [200, () => put(made, body)],
      [200, () => world.fetch('PUT', path, { headers, body })],
      [412, () => world.fetch('PUT', path, { headers: { ...headers, 'if-match': '"x"' }, body })],
      [200, () => world.fetch('PATCH', path, { headers, body: [{ op: 'set', path: '/n', value: 1 }] })],
      [200, () => world.fetch('POST', made.docs, { headers: asBatch, body: operations })],
      [200, () => world.fetch('POST', made.docs, { headers: asBulk, body: bulk })],
      [204, () => world.fetch('DELETE', path, { headers })],
      [404, () => world.fetch('DELETE', path, { headers })],
      [
        200,
        () =>
          world.fetch('POST', `${collection}/operations/partitionkeydelete`, {
            headers,
            sign: { type: 'colls', link: collection.slice(1) },
          }),
      ],
    ];
    for (const [status, answer] of answers) {
      const { status: found, headers: shown } = await answer();
      expect([found, shown.get('x-ms-documentdb-partitionkeyrangeid')]).toEqual([status, range]);
    }
  }
});

describe('what disturbs nothing, and what is refused by its name', () => {
  const later = {
    'x-ms-client-id': 'f2a1ccd6-4f3c-4c6e-9f5d-0d9f3c0c5a11',
    'x-ms-cosmos-supported-serialization-formats': 'JsonText, CosmosBinary',
    'x-ms-cosmos-use-thinclient': 'True',
    'x-ms-thinclient-proxy-operation-type': 'Read',
    'x-ms-thinclient-proxy-resource-type': 'Document',
    'x-ms-cosmos-priority-level': 'low',
    'x-ms-cosmos-throughput-bucket': '5',
    'x-ms-cosmos-hub-region-processing-only': 'True',
    'x-ms-cosmos-workload-id': '7',
    'x-ms-noretry-449': 'true',
    'x-ms-cosmos-sdk-supportedcapabilities': '11',
    'x-ms-cosmos-query-optimisticdirectexecute': 'True',
  };

  test('[wire 1] [wire 15] headers of later clients change nothing, on every kind of request', async () => {
    const made = await make({ policy: true });
    const written = await world.fetch('POST', made.docs, {
      headers: { ...later, ...pk('a') },
      body: { id: '1', pk: 'a' },
    });
    expect(written.status).toBe(201);
    const read = await world.fetch('GET', `${made.docs}/1`, { headers: { ...later, ...pk('a') } });
    expect([read.json, read.headers.get('content-type')]).toEqual([written.json, 'application/json']);
    expect(idsOf(await feed(made, later))).toEqual(['1']);
    expect((await feed(made, { ...later, ...fromBeginning })).json._count).toBe(1);
    const account = await world.fetch('GET', '/', { headers: later });
    expect(account.json).toMatchObject({ enablePerPartitionFailoverBehavior: false });
    for (const name of ['_self', 'id', '_rid']) expect(account.json).toHaveProperty(name);
    for (const name of ['thinClientWritableLocations', 'thinClientReadableLocations']) {
      expect(account.json).not.toHaveProperty(name);
    }
  });

  test.each([
    ['x-ms-cosmos-priority-level', 'medium'],
    ['x-ms-cosmos-throughput-bucket', '6'],
    ['x-ms-cosmos-throughput-bucket', 'x'],
    ['x-ms-cosmos-read-consistency-strategy', 'Strongest'],
  ])('[wire 15] %s: %s is 400 and names the header', async (name, value) => {
    const refused = await world.fetch('GET', '/dbs/db', { headers: { [name]: value } });
    expect([refused.status, refused.json.message]).toEqual([400, expect.stringContaining(name)]);
  });

  test('[wire 14] the rid of another container is 400/1024 on whatever lies in a container', async () => {
    const made = await make();
    await put(made, { id: '1', pk: 'a' });
    const { rid } = inside(made).info;
    const container = made.docs.slice(0, -'/docs'.length);
    for (const path of [`${made.docs}/1`, made.docs, made.pkranges, container, `${container}/conflicts`]) {
      const asked = (intended: string): Promise<RawResponse> =>
        world.fetch('GET', path, {
          headers: { ...(path.includes('docs') ? pk('a') : {}), 'x-ms-cosmos-intended-collection-rid': intended },
        });
      const wrong = await asked('AQAAAIAAAAM=');
      expect([wrong.status, wrong.headers.get('x-ms-substatus')], path).toEqual([400, '1024']);
      expect((await asked(rid)).status, path).toBe(200);
    }
  });

  test('[wire 7] [wire 8] a body of binary JSON is 400 and names the variable, wherever a body is read', async () => {
    const made = await make();
    await put(made, { id: '1', pk: 'a' });
    const send = (verb: string, path: string, headers: Headers): Promise<Response> =>
      fetch(new URL(path, world.url), {
        method: verb,
        headers: { ...signedFor(verb, path), ...headers },
        body: Buffer.from([0x80, 0xea, 0x01, 0x02]),
      });
    const asBatch = { 'x-ms-cosmos-is-batch-request': 'true', 'x-ms-cosmos-batch-atomic': 'true' };
    for (const [verb, path, headers] of [
      ['POST', made.docs, {}],
      ['POST', made.docs, asBatch],
      ['PUT', `${made.docs}/1`, {}],
      ['PATCH', `${made.docs}/1`, {}],
    ] as const) {
      const refused = await send(verb, path, { ...pk('a'), ...headers });
      expect([refused.status, await refused.text()]).toEqual([
        400,
        expect.stringContaining('AZURE_COSMOS_BINARY_ENCODING_ENABLED'),
      ]);
    }
  });

  test.each([
    ['/operations/dtc', 'Distributed transactions'],
    ['/inference/semanticReranking', 'Semantic reranking'],
  ])('[wire 5] %s is 501 with a body of JSON, signed in whatever way', async (path, names) => {
    for (const authorization of ['type%3Dmaster%26ver%3D1.0%26sig%3Dx', 'Bearer x']) {
      const refused = await world.fetch('POST', path, { headers: { authorization }, body: { operations: [] } });
      expect([refused.status, refused.json.code]).toEqual([501, 'NotImplemented']);
      expect(refused.json.message).toContain(names);
    }
  });

  test('[wire 5] the probe of a thin client is 404, so that it stays on the gateway', async () => {
    const headers = { 'x-ms-thinclient-proxy-operation-type': 'ConnectivityProbe' };
    expect((await world.fetch('POST', '/connectivity-probe', { headers })).status).toBe(404);
  });
});

describe('the consistency of the account', () => {
  test.each(consistencyLevels)('[wire 13] %s: a request may ask for it and for what is weaker', async (consistency) => {
    await using strict = await World.open({ consistency });
    const client = clientOf(strict.url, undefined, { consistencyLevel: consistency as never });
    const { resource: account } = await client.getDatabaseAccount();
    expect(account?.consistencyPolicy).toBe(consistency);
    const container = await strict.container();
    const own = client.database('db').container(container.id);
    await own.items.create({ id: '1', pk: 'a' });
    expect((await own.item('1', 'a').read()).statusCode).toBe(200);
    client.dispose();
    const at = consistencyLevels.indexOf(consistency);
    for (const [i, level] of consistencyLevels.entries()) {
      const asked = clientOf(strict.url, undefined, { consistencyLevel: level as never });
      const reading = asked.database('db').container(container.id).item('1', 'a').read();
      if (i >= at) expect((await reading).statusCode, level).toBe(200);
      else
        await expect(reading, level).rejects.toMatchObject({
          code: 400,
          message: expect.stringContaining(consistency),
        });
      asked.dispose();
    }
  });

  test('[wire 13] a strategy of Java stands in the place of a level', async () => {
    for (const [consistency, strategy, status] of [
      ['Session', 'Eventual', 200],
      ['Session', 'Session', 404],
      ['Session', 'LatestCommitted', 200],
      ['Session', 'GlobalStrong', 400],
      ['Session', 'Default', 404],
      ['Eventual', 'Default', 200],
      ['Eventual', 'Session', 404],
      ['Strong', 'GlobalStrong', 200],
    ] as const) {
      await using strict = await World.open({ consistency });
      const container = await strict.container();
      await container.items.create({ id: '1', pk: 'a' });
      const headers = {
        ...pk('a'),
        'x-ms-cosmos-read-consistency-strategy': strategy,
        // Of a session that has seen more than there is.
        'x-ms-session-token': '0:-1#99',
      };
      const read = await strict.fetch('GET', `/dbs/db/colls/${container.id}/docs/1`, { headers });
      expect(read.status, `${consistency} ${strategy}`).toBe(status);
    }
  });

  test('[wire 13] a level that there is not is refused at the start', async () => {
    await expect(World.open({ consistency: 'Stronger' as ConsistencyLevel })).rejects.toThrow(
      /Strong, BoundedStaleness/,
    );
  });
});
