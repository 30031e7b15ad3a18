// Lag of a group from its leases alone. The leases are those of a .NET host, so that nothing but the documents can be used.

import { VirtualClock } from '@tidemark/testing';
import { beforeEach, expect, test } from 'vitest';
import type { FeedSource } from '../src/feed/feed-source.ts';
import { MemoryFeedSource } from '../src/feed/memory-feed-source.ts';
import { ProcessorGroup } from '../src/operate.ts';
import type { DocumentStore } from '../src/store/document-store.ts';
import { MemoryDocumentStore } from '../src/store/memory-store.ts';

let clock: VirtualClock;
let source: MemoryFeedSource;
let leases: DocumentStore;
let prefix: string;

beforeEach(async () => {
  clock = new VirtualClock();
  source = new MemoryFeedSource({ clock });
  leases = new MemoryDocumentStore();
  const { account, databaseRid, containerRid } = await source.identity();
  prefix = `billing${account}_${databaseRid}_${containerRid}`;
  await leases.create({ id: `${prefix}.info` });
});

function group(of: FeedSource = source): ProcessorGroup {
  const environment = { clock, random: () => 0, fetch };
  return new ProcessorGroup({ source: of, leases, name: 'billing', environment });
}

async function dotnetLease(token: string, position: string | null, more: object = {}): Promise<void> {
  await leases.create({
    id: `${prefix}..${token}`,
    version: 0,
    LeaseToken: token,
    FeedRange: { Range: { min: '', max: 'FF' } },
    Owner: 'dotnet-host',
    ContinuationToken: position,
    properties: {},
    timestamp: '2026-01-01T00:00:00.0000000Z',
    Mode: 'Incremental Feed',
    ...more,
  });
}

async function positionNow(): Promise<string> {
  const [range] = await source.ranges();
  return (await source.read({ range: range?.id, mode: 'latest', from: 'now' })).position;
}

test('[S50] a transaction of many documents counts as many, although it is one LSN', async () => {
  await dotnetLease('0', await positionNow());
  const documents = Array.from({ length: 2_500 }, (_, n) => ({ id: `${n}`, pk: 'k' }));
  source.put(...documents.slice(0, 2_000));
  source.put(...documents.slice(2_000));

  const lag = await group().lag();

  expect(lag).toMatchObject({ items: 2_500, isAtLeast: false, mode: 'latest' });
  expect(lag.ranges).toMatchObject([{ leaseToken: '0', owner: 'dotnet-host', items: 2_500 }]);
});

test('[S49] LSNs that show nothing, as deletes in latest mode, are no lag', async () => {
  source.put({ id: 'a', pk: 'k' });
  await dotnetLease('0', await positionNow());
  source.put({ id: 'b', pk: 'k' });
  source.remove('k', 'b');

  expect(await group().lag()).toMatchObject({ items: 0, seconds: 0 });
});

test('[F23] seconds are the age of the oldest change that is not done', async () => {
  await dotnetLease('0', await positionNow());
  source.put({ id: 'a', pk: 'k' });
  await clock.advance(60_000);
  source.put({ id: 'b', pk: 'k' });
  await clock.advance(30_000);

  expect(await group().lag()).toMatchObject({ items: 2, seconds: 90 });
});

test('[F23] a lease without a position has an unknown lag, and so has the group', async () => {
  await dotnetLease('0', null);
  source.put({ id: 'a', pk: 'k' });

  const lag = await group().lag();

  expect(lag.items).toBeUndefined();
  expect(lag.seconds).toBeUndefined();
  expect(lag.ranges[0]?.reason).toMatch(/Nothing was checkpointed/);
});

test('a group that wrote down that it begins at the beginning has its lag counted from there', async () => {
  await dotnetLease('0', null);
  await leases.create({ id: `${prefix}.x.start.`, mode: 'latest', start: 'beginning' });
  source.put({ id: 'a', pk: 'k' });

  expect(await group().lag()).toMatchObject({ items: 1 });
});

test('a range that was split while nobody read it is counted in its children, once', async () => {
  for (let n = 0; n < 20; n += 1) source.put({ id: `${n}`, pk: `k${n}` });
  await dotnetLease('0', await positionNow());
  for (let n = 0; n < 30; n += 1) source.put({ id: `new${n}`, pk: `k${n}` });
  source.split('0');
  source.put({ id: 'after', pk: 'k1' });

  expect(await group().lag()).toMatchObject({ items: 31, ranges: [{ items: 31 }] });
});

test('a lease of an old version, without keys, is counted in the children too', async () => {
  await dotnetLease('0', await positionNow(), { version: undefined, FeedRange: undefined });
  source.put({ id: 'a', pk: 'k' });
  source.split('0');

  expect(await group().lag()).toMatchObject({ items: 1 });
});

test('a position that the feed refuses, and a feed that fails, make the lag unknown and not zero', async () => {
  await dotnetLease('0', '"nonsense"');
  source.put({ id: 'a', pk: 'k' });
  const { ranges, items } = await group().lag();
  expect(items).toBeUndefined();
  expect(ranges[0]?.reason).toMatch(/^invalid-continuation/);
});

test('counting stops where it is told to, and says so', async () => {
  await dotnetLease('0', await positionNow());
  for (let n = 0; n < 1_500; n += 1) source.put({ id: `${n}`, pk: 'k' });

  const lag = await group().lag({ itemsMax: 100 });

  expect(lag).toMatchObject({ isAtLeast: true });
  expect(lag.items).toBeGreaterThanOrEqual(100);
  expect(lag.items).toBeLessThan(1_500);
});

test('a group that is not there is an error, not a lag of zero', async () => {
  await expect(group().lag()).resolves.toMatchObject({ ranges: [], items: undefined, seconds: undefined });
  const other = new ProcessorGroup({ source, leases, name: 'other', environment: { clock, random: () => 0, fetch } });
  await expect(other.lag()).rejects.toMatchObject({ code: 'group-unknown' });
});

test('the status of a group of .NET hosts shows owners, positions and what is wrong', async () => {
  await dotnetLease('0', '"0"', { FeedRange: { Range: { min: '', max: '1F' } } });

  const status = await group().status();

  expect(status).toMatchObject({
    group: 'billing',
    isPaused: false,
    start: undefined,
    hosts: [{ instance: 'dotnet-host', capacity: undefined, ranges: 1 }],
    ranges: [{ leaseToken: '0', owner: 'dotnet-host', epoch: undefined, position: '"0"' }],
    problems: ["No lease has the keys from '1F' to 'FF'."],
  });
  expect(await group().groups()).toEqual(['billing']);
});

test('a host that has been quiet for longer than its leases last is not alive, and when it was heard of last is told', async () => {
  const seconds = (): number => Math.floor(clock.nowMs() / 1000);
  const began = seconds();
  const beat = (instance: string, more: object) =>
    leases.create({ id: `${prefix}.x.host.${instance}`, instance, nonce: instance, _ts: began, ...more });
  await dotnetLease('0', '"0"', { _ts: began });
  await beat('usual', {});
  await beat('patient', { expirationMs: 300_000 });

  await clock.advance(61_000);
  const { hosts, lastSignAt } = await group().status();

  expect(hosts).toMatchObject([
    { instance: 'dotnet-host', quietSeconds: 61, isAlive: false },
    { instance: 'patient', quietSeconds: 61, isAlive: true },
    { instance: 'usual', quietSeconds: 61, isAlive: false },
  ]);
  expect(lastSignAt).toBe(new Date(began * 1000).toISOString());
});

test('the names of groups are found, also where hosts call this machine by another name', async () => {
  const { databaseRid, containerRid } = await source.identity();
  await leases.create({ id: `marketinglocalhost_${databaseRid}_${containerRid}.info` });
  await leases.create({ id: `somebody's own document` });

  expect(await group().groups()).toEqual(['billing', 'marketing']);
});

test('a group is found when its hosts call this machine by another name, and never one whose name only begins alike', async () => {
  const elsewhere: FeedSource = {
    identity: async () => ({ ...(await source.identity()), account: '127.0.0.1' }),
    ranges: () => source.ranges(),
    read: (read) => source.read(read),
  };
  prefix = prefix.replace('billingmemory', 'billing2localhost');
  await dotnetLease('0', await positionNow());
  const open = (name: string): ProcessorGroup =>
    new ProcessorGroup({ source: elsewhere, leases, name, environment: { clock, random: () => 0, fetch } });

  expect(await open('billing2').lag()).toMatchObject({ items: 0, ranges: [{ leaseToken: '0' }] });
  await expect(open('billing').lag()).rejects.toMatchObject({ code: 'group-unknown' });
});
