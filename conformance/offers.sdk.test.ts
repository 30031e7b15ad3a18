// Throughput: offers through the SDK and through plain requests, and the ranges that follow them.

import { ChangeFeedStartFrom } from '@azure/cosmos';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { RawResponse } from './harness.ts';
import { World } from './harness.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

let names = 0;
const name = (): string => `offers${++names}`;

const query = (text: string, parameters: readonly object[] = []): Promise<RawResponse> =>
  world.fetch('POST', '/offers', {
    headers: { 'content-type': 'application/query+json', 'x-ms-documentdb-isquery': 'True' },
    body: { query: text, parameters },
  });
/** Offers are signed by their rid alone, in lower case. */
const offerAt = (verb: string, rid: string, options: object = {}): Promise<RawResponse> =>
  world.fetch(verb, `/offers/${rid}`, { sign: { link: rid.toLowerCase() }, ...options });
const create = (path: string, body: object, headers: Record<string, string> = {}): Promise<RawResponse> =>
  world.fetch('POST', path, { headers, body });
const pk = { paths: ['/pk'], version: 2 };

describe('offers', () => {
  test('[wire 6] a container has an offer of the shape that clients read', async () => {
    const container = await world.container({ throughput: 500 });
    const { resource: definition } = await container.read();
    const { resource, offer } = await container.readOffer();

    expect(resource).toMatchObject({
      offerVersion: 'V2',
      offerType: 'Invalid',
      resource: definition?._self,
      offerResourceId: definition?._rid,
      content: { offerThroughput: 500, offerIsRUPerMinuteThroughputEnabled: false },
    });
    expect(resource?.id).toHaveLength(4);
    expect(resource?._rid).toBe(resource?.id);
    expect(resource?._self).toContain(resource?.id);
    expect(resource?.content).not.toHaveProperty('offerAutopilotSettings');
    expect((await offer?.read())?.resource).toEqual(resource);
    const { resources: all } = await world.client.offers.readAll().fetchAll();
    expect(all).toContainEqual(resource);
  });

  test('[wire 6] [M16] the SDK changes an offer, and the change outlives a restart', async () => {
    const container = await world.container();
    const { resource, offer } = await container.readOffer();
    expect(resource?.content?.offerThroughput).toBe(400);
    const changed = await offer?.replace({ ...resource, content: { offerThroughput: 900 } } as never);
    expect(changed?.resource?.content?.offerThroughput).toBe(900);
    expect(changed?.resource?._etag).not.toBe(resource?._etag);

    await world.restart();
    const again = await world.client.database('db').container(container.id).readOffer();
    expect(again.resource).toEqual(changed?.resource);
  });

  test('[wire 6] who has an offer: a container by default, a database when it is asked for, nobody who shares one', async () => {
    const { database: plain } = await world.client.databases.create({ id: name() });
    const { database: shared } = await world.client.databases.create({ id: name(), throughput: 700 });
    expect((await plain.readOffer()).resource).toBeUndefined();
    expect((await shared.readOffer()).resource).toMatchObject({
      resource: (await shared.read()).resource?._self,
      content: { offerThroughput: 700 },
    });
    const definition = { id: 'c', partitionKey: { paths: ['/pk'] } };
    const own = await plain.containers.create(definition);
    const sharing = await shared.containers.create(definition);
    const dedicated = await shared.containers.create({ ...definition, id: 'd', maxThroughput: 4_000 });
    expect((await own.container.readOffer()).resource?.content?.offerThroughput).toBe(400);
    expect((await sharing.container.readOffer()).resource).toBeUndefined();
    expect((await dedicated.container.readOffer()).resource?.content).toMatchObject({
      offerThroughput: 400,
      offerAutopilotSettings: { maxThroughput: 4_000 },
    });
  });

  test('[wire 6] an offer goes with its container, and with the database around it', async () => {
    const { database } = await world.client.databases.create({ id: name(), throughput: 400 });
    const { container } = await database.containers.create({
      id: 'c',
      partitionKey: { paths: ['/pk'] },
      throughput: 400,
    });
    const ofContainer = (await container.readOffer()).resource?.id as string;
    const ofDatabase = (await database.readOffer()).resource?.id as string;
    expect((await offerAt('GET', ofContainer)).status).toBe(200);
    await container.delete();
    expect((await offerAt('GET', ofContainer)).status).toBe(404);
    expect((await offerAt('PUT', ofContainer, { body: { content: { offerThroughput: 500 } } })).status).toBe(404);
    await database.delete();
    expect((await offerAt('GET', ofDatabase)).status).toBe(404);
  });

  test('[wire 6] what the service does not take is 400 and says why', async () => {
    const db = (await world.sdkDatabase()).id;
    const autoscale = (settings: string) => ({ 'x-ms-cosmos-offer-autopilot-settings': settings });
    const manual = (value: string) => ({ 'x-ms-offer-throughput': value });
    for (const [headers, words] of [
      [{ ...manual('400'), ...autoscale('{"maxThroughput":4000}') }, /not both/],
      [manual('300'), /between 400 and 1000000 inclusive in increments of 100/],
      [manual('450'), /increments of 100/],
      [manual('4e2'), /increments of 100/],
      [manual('many'), /increments of 100/],
      [autoscale('{"maxThroughput":1500}'), /increments of 1000/],
      [autoscale('{"maxThroughput":400}'), /between 1000 and/],
      [autoscale('nonsense'), /must be JSON/],
    ] as const) {
      for (const [path, body] of [
        [`/dbs/${db}/colls`, { id: name(), partitionKey: pk }],
        ['/dbs', { id: name() }],
      ] as const) {
        const response = await create(path, body, headers);
        expect([response.status, response.json.code], response.text).toEqual([400, 'BadRequest']);
        expect(response.json.message).toMatch(words);
      }
    }
    const level = await create('/dbs', { id: name() }, { 'x-ms-offer-type': 'S1' });
    expect([level.status, level.json.message]).toEqual([501, expect.stringContaining("'S1'")]);
  });

  test('[wire 6] an offer cannot be made into another one, nor changed past another change', async () => {
    const container = await world.container();
    const { resource } = await container.readOffer();
    const rid = resource?.id as string;
    for (const changed of [{ id: 'AAAA' }, { _rid: 'AAAA' }, { resource: 'dbs/x/' }, { offerResourceId: 'x' }]) {
      const response = await offerAt('PUT', rid, { body: { ...resource, ...changed } });
      expect(response.status, response.text).toBe(400);
    }
    const content = { offerThroughput: 800 };
    const twice = { body: { ...resource, content }, headers: { 'if-match': String(resource?._etag) } };
    expect((await offerAt('PUT', rid, twice)).status).toBe(200);
    expect((await offerAt('PUT', rid, twice)).status).toBe(412);
    expect((await offerAt('PUT', rid, { body: { ...resource, content: {} } })).status).toBe(400);
    expect((await offerAt('PUT', rid, { body: [] })).status).toBe(400);
    const bad = await world.client
      .offer('NotARid')
      .replace({ id: 'NotARid' } as never)
      .catch((error) => error.code);
    expect([400, 401]).toContain(bad);
    expect((await offerAt('DELETE', rid)).status).toBe(405);
  });

  test('[wire 6] the query for an offer in every spelling, and any other query of offers', async () => {
    const container = await world.container({ throughput: 600 });
    const self = (await container.read()).resource?._self as string;
    for (const text of [
      `SELECT * from root where root.resource = "${self}"`,
      `select  *\nFROM root WHERE root.resource='${self}'`,
      `SELECT * FROM root r WHERE r.resource = "${self}"`,
      `SELECT * FROM offers AS o WHERE o.resource = @self`,
    ]) {
      const { status, json, headers } = await query(text, [{ name: '@self', value: self }]);
      expect([status, json.Offers?.length, json._count, headers.get('x-ms-item-count')], text).toEqual([
        200,
        1,
        1,
        '1',
      ]);
      expect(json.Offers[0].content.offerThroughput).toBe(600);
    }
    const none = await query('SELECT * FROM root WHERE root.resource = "dbs/AAAAAA==/"');
    expect([none.status, none.json]).toEqual([200, { _rid: '', Offers: [], _count: 0 }]);
    const ids = await query('SELECT VALUE root.id FROM root WHERE root.content.offerThroughput = 600');
    expect(ids.json.Offers).toContain(self && (await container.readOffer()).resource?.id);
    expect((await query('SELECT * FROM root WHERE root.id = "x"')).json.Offers).toEqual([]);
  });

  test('[wire 6] from manual to autoscale and back', async () => {
    const container = await world.container({ throughput: 4_100 });
    const rid = (await container.readOffer()).resource?.id as string;
    const refused = await offerAt('PUT', rid, {
      body: { id: rid, content: { offerAutopilotSettings: { maxThroughput: 9_000 } } },
    });
    expect([refused.status, refused.json.message]).toEqual([
      400,
      expect.stringContaining('migrate-offer-to-autopilot'),
    ]);
    const toAutoscale = { headers: { 'x-ms-cosmos-migrate-offer-to-autopilot': 'true' }, body: { id: rid } };
    const scaled = await offerAt('PUT', rid, toAutoscale);
    expect(scaled.json.content).toMatchObject({
      offerThroughput: 500,
      offerAutopilotSettings: { maxThroughput: 5_000 },
    });
    scaled.json.content.offerAutopilotSettings.maxThroughput = 6_000;
    const raised = await offerAt('PUT', rid, { body: scaled.json });
    expect(raised.json.content.offerAutopilotSettings).toEqual({ maxThroughput: 6_000 });
    expect((await offerAt('PUT', rid, { body: { id: rid, content: { offerThroughput: 900 } } })).status).toBe(400);
    const toManual = { headers: { 'x-ms-cosmos-migrate-offer-to-manual-throughput': 'True' }, body: raised.json };
    const manual = await offerAt('PUT', rid, toManual);
    expect(manual.json.content.offerThroughput).toBe(6_000);
    expect(manual.json.content).not.toHaveProperty('offerAutopilotSettings');
  });
});

describe('ranges that follow the throughput', () => {
  test('[wire 17.22] [engine 8] raising an offer splits until there are enough, and no change is lost or doubled', async () => {
    const container = await world.container({ throughput: 6_000 });
    const inside = world.inside(container);
    const { resource, offer } = await container.readOffer();
    await container.items.create({ id: 'first', pk: 'a' });
    const raised = await offer?.replace({ ...resource, content: { offerThroughput: 21_000 } } as never);
    expect(raised?.headers['x-ms-offer-replace-pending']).toBe('true');
    expect(raised?.headers['x-ms-cosmos-min-throughput']).toBe('400');
    let written = 0;
    await vi.waitFor(async () => {
      written += 1;
      await container.items.create({ id: String(written), pk: `key ${written}` });
      const { headers } = await offerAt('GET', resource?.id as string);
      expect(headers.get('x-ms-offer-replace-pending')).toBe('false');
    }, 120_000);
    expect(inside.ranges).toHaveLength(4);
    const ranges = await world.fetch('GET', `/dbs/db/colls/${container.id}/pkranges`);
    expect(ranges.json._count).toBe(4);

    const seen: string[] = [];
    const feed = container.items.getChangeFeedIterator({ changeFeedStartFrom: ChangeFeedStartFrom.Beginning() });
    for (;;) {
      const page = await feed.readNext();
      if (page.statusCode === 304) break;
      seen.push(...page.result.map((each: { id: string }) => each.id));
    }
    const all = ['first', ...Array.from({ length: written }, (_, index) => String(index + 1))];
    expect(seen.toSorted()).toEqual(all.toSorted());
    const lowered = await offer?.replace({ ...resource, content: { offerThroughput: 400 } } as never);
    expect(lowered?.headers['x-ms-offer-replace-pending']).toBe('false');
    expect(inside.ranges).toHaveLength(4);
  });
});

describe('lists', () => {
  test('[wire 4] databases, containers and offers come in pages, whatever is created and deleted meanwhile', async () => {
    const owner = name();
    await world.client.databases.create({ id: owner });
    const ids = Array.from({ length: 7 }, (_, index) => `page${index}`);
    for (const id of ids) await create(`/dbs/${owner}/colls`, { id, partitionKey: pk });
    const seen: string[] = [];
    let continuation: string | null = null;
    do {
      const headers: Record<string, string> = { 'x-ms-max-item-count': '2' };
      if (continuation !== null) headers['x-ms-continuation'] = continuation;
      const page: RawResponse = await world.fetch('GET', `/dbs/${owner}/colls`, { headers });
      seen.push(...page.json.DocumentCollections.map(({ id }: { id: string }) => id));
      continuation = page.headers.get('x-ms-continuation');
      // What was listed may go, and what was not stays to be listed.
      await world.fetch('DELETE', `/dbs/${owner}/colls/${seen[0]}`);
    } while (continuation !== null);
    expect(seen).toEqual(ids);
    const { resources } = await world.client.database(owner).containers.readAll({ maxItemCount: 3 }).fetchAll();
    expect(resources.map(({ id }) => id)).toEqual(ids.slice(1));
    for (const path of ['/dbs', '/offers', `/dbs/${owner}/colls`]) {
      const headers = { 'x-ms-continuation': 'nonsense' };
      const bad = await world.fetch('GET', path, { headers });
      expect([bad.status, bad.json.message]).toEqual([400, expect.stringContaining('Invalid Continuation Token')]);
    }
  });

  test('[wire 6] a container made anew under the same name has another rid and another offer', async () => {
    const container = await world.container({ throughput: 800 });
    const before = (await container.read()).resource;
    const offerBefore = (await container.readOffer()).resource;
    await container.delete();
    await world.client.database('db').containers.create({ id: container.id, partitionKey: { paths: ['/pk'] } });
    const after = (await container.read()).resource;
    const offerAfter = (await container.readOffer()).resource;
    expect(after?._rid).not.toBe(before?._rid);
    expect(offerAfter?.id).not.toBe(offerBefore?.id);
    expect(offerAfter?.content?.offerThroughput).toBe(400);
  });
});
