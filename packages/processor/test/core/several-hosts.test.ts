// Hosts that come, go, die and fight over leases.

import { describe, expect, test } from 'vitest';
import { FaultyStore } from './faulty-store.ts';
import type { TestHost } from './small-group.ts';
import { leasePrefix, leaseSettings, SmallGroup } from './small-group.ts';

const keys = ['08', '18', '28', '38', '48', '58', '68', '78', '88', '98', 'A8', 'B8', 'C8', 'D8', 'E8', 'F8'];

function writeSome(group: SmallGroup, count: number): void {
  for (let i = 0; i < count; i += 1) group.feed.write(keys[i % keys.length] as string);
}

async function counts(group: SmallGroup): Promise<Record<string, number>> {
  const result: Record<string, number> = {};
  for (const { owner } of await group.leases()) result[String(owner)] = (result[String(owner)] ?? 0) + 1;
  return result;
}

function closes(host: TestHost): number {
  return host.events.filter(({ type }) => type === 'range.closed').length;
}

function opens(host: TestHost): number {
  return host.events.filter(({ type }) => type === 'range.opened').length;
}

function isOnce(group: SmallGroup): boolean {
  return new Set(group.delivered.map(({ id }) => id)).size === group.delivered.length;
}

describe('several hosts', () => {
  test('[F6] [F7] [I8] a host that joins gets its half by hand over: no duplicate, one write for each range moved', async () => {
    const group = new SmallGroup(16);
    const store = new FaultyStore(group.store);
    const a = await group.started('a', { store });
    writeSome(group, 160);
    await group.clock.advance(20_000);
    const before = store.writes('..').length;

    const b = await group.started('b', { store, pump: { pollMs: 100_000 } });
    writeSome(group, 160);
    await group.clock.advance(2000);
    const moves = store.writes('..').filter(({ body }) => body?.['Owner'] === 'b').length;

    expect(await counts(group)).toEqual({ a: 8, b: 8 });
    expect(moves).toBe(8);
    expect(store.writes('..').length - before).toBeLessThan(60);
    await group.clock.advance(200_000);
    expect(isOnce(group)).toBe(true);
    expect(new Set(group.delivered.map(({ id }) => id)).size).toBe(320);
    await group.during(a.processor.stop());
    await group.during(b.processor.stop());
    expect([opens(a), opens(b)]).toEqual([closes(a), closes(b)]);
    expect(group.impossible).toEqual([]);
  });

  test('[S37] ten hosts that start together settle with at most 1.2 lease writes for each lease', async () => {
    const group = new SmallGroup(100);
    const store = new FaultyStore(group.store);
    const hosts = Array.from({ length: 10 }, (_, i) => group.host(`h${i}`, { store }));

    await group.during(Promise.all(hosts.map(({ processor }) => processor.start())));
    await group.clock.advance(2 * leaseSettings.acquireMs);

    expect(Object.values(await counts(group))).toEqual(Array.from({ length: 10 }, () => 10));
    const changes = store.writes('..').filter(({ operation }) => operation === 'replace');
    const renewals = hosts.flatMap(({ events }) => events).filter(({ type }) => type === 'lease.renewed').length;
    expect(changes.length - renewals).toBeLessThanOrEqual(120);
    await group.during(Promise.all(hosts.map(({ processor }) => processor.stop())));
    expect(group.clock.sleeperCount).toBe(0);
  });

  test('[S1] [S5] [I7] leases of a host that is cut off are taken in one tick, after it has fenced itself', async () => {
    const group = new SmallGroup(8);
    const cut = new FaultyStore(group.store);
    const a = await group.started('a', { store: cut });
    const b = await group.started('b');
    await group.clock.advance(30_000);
    writeSome(group, 16);
    await group.clock.advance(5000);
    const cutAtMs = group.clock.monotonicMs();
    cut.fault = () => 'hang';

    await group.clock.advance(leaseSettings.expirationMs + leaseSettings.acquireMs + 2000);

    expect(await counts(group)).toEqual({ b: 8 });
    const fencedAtMs = cutAtMs + leaseSettings.expirationMs - leaseSettings.fenceMarginMs;
    writeSome(group, 16);
    await group.clock.advance(5000);
    expect(a.delivered.every(({ atMs }) => atMs <= fencedAtMs)).toBe(true);
    expect(opens(a)).toBe(closes(a));
    expect(a.events.filter((event) => event.type === 'range.closed' && event.reason === 'fenced').length).toBe(4);
    expect(new Set(group.delivered.map(({ id }) => id)).size).toBe(32);
    await group.during(b.processor.stop());
    await group.during(a.processor.stop({ drainMs: 1000 }));
    expect(group.impossible).toEqual([]);
  });

  test('[S8] a wall clock that is wrong by minutes moves no lease', async () => {
    const group = new SmallGroup(4);
    const a = await group.started('a');
    const b = await group.started('b');
    await group.clock.advance(60_000);
    const before = [a, b].map(({ events }) => events.filter(({ type }) => type === 'lease.acquired').length);

    group.clock.jump(90_000);
    await group.clock.advance(600_000);
    group.clock.jump(-300_000);
    await group.clock.advance(600_000);

    const after = [a, b].map(({ events }) => events.filter(({ type }) => type === 'lease.acquired').length);
    expect(after).toEqual(before);
    await group.during(Promise.all([a.processor.stop(), b.processor.stop()]));
  });

  test('[S39] [I8] a host that stops hands its ranges to the others at once, without a duplicate', async () => {
    const group = new SmallGroup(8);
    const a = await group.started('a');
    const b = await group.started('b');
    await group.clock.advance(15_000);
    writeSome(group, 64);
    await group.clock.advance(500);

    await group.during(a.processor.stop());
    await group.clock.advance(1000);

    expect(await counts(group)).toEqual({ b: 8 });
    writeSome(group, 64);
    await group.clock.advance(5000);
    expect(isOnce(group)).toBe(true);
    expect(new Set(group.delivered.map(({ id }) => id)).size).toBe(128);
    await group.during(b.processor.stop());
  });

  test('[S39] with a stable name and kept leases nothing moves to others', async () => {
    const group = new SmallGroup(8);
    const a = await group.started('a');
    const b = await group.started('b');
    await group.clock.advance(15_000);
    const before = b.events.filter(({ type }) => type === 'lease.acquired').length;

    await group.during(a.processor.stop({ keepLeases: true }));
    const again = await group.started('a');
    await group.clock.advance(20_000);

    expect(await counts(group)).toEqual({ a: 4, b: 4 });
    expect(again.events.filter(({ type }) => type === 'lease.acquired').length).toBe(4);
    expect(b.events.filter(({ type }) => type === 'lease.acquired').length).toBe(before);
    await group.during(Promise.all([again.processor.stop(), b.processor.stop()]));
  });

  test('[S30] [D3] the older of two processes of one name stops, and nothing goes back', async () => {
    const group = new SmallGroup(2);
    const older = await group.started('a');
    writeSome(group, 32);
    await group.clock.advance(5000);

    const newer = await group.started('a');
    await group.clock.advance(20_000);
    writeSome(group, 32);
    await group.clock.advance(5000);

    expect(await older.processor.stopped).toMatchObject({ code: 'instance-taken' });
    expect(newer.processor.state).toBe('running');
    expect((await group.leases()).map(({ owner }) => owner)).toEqual(['a', 'a']);
    expect(newer.delivered).toHaveLength(32);
    expect(isOnce(group)).toBe(true);
    expect(opens(older)).toBe(closes(older));
    await group.during(newer.processor.stop());
  });

  test('[S40] [S56] a handler that takes longer than a hand over is aborted, and its batch goes to the new owner', async () => {
    const group = new SmallGroup(2);
    const aborted: string[] = [];
    const a = await group.started('a', {
      handle: ({ context, lease }) =>
        new Promise((_, reject) =>
          context.signal.addEventListener('abort', () => {
            aborted.push(lease.leaseToken);
            reject(context.signal.reason);
          }),
        ),
    });
    writeSome(group, 16);
    await group.clock.advance(3000);

    const b = await group.started('b');
    await group.clock.advance(leaseSettings.handoffMs + 5000);

    expect(aborted).toHaveLength(1);
    expect(b.delivered).toHaveLength(8);
    await group.during(Promise.all([a.processor.stop({ drainMs: 1000 }), b.processor.stop()]));
  });

  test('[S36] stale lists cost failed swaps, and no lease of another', async () => {
    const group = new SmallGroup(4);
    const a = await group.started('a', { settings: { lease: { handoffMs: 0 } } });
    const stale = new FaultyStore(group.store);
    const old = await group.store.list(leasePrefix);
    await group.clock.advance(30_000);
    const b = group.host('b', { store: stale, settings: { lease: { handoffMs: 0 } } });
    stale.list = async () => old;
    stale.isWatched = false;
    await group.during(b.processor.start());

    await group.clock.advance(100_000);

    expect(await counts(group)).toEqual({ a: 4 });
    expect(stale.writes('..').length).toBeLessThan(200);
    await group.during(Promise.all([a.processor.stop(), b.processor.stop()]));
  });

  test('[S38] more hosts than ranges: the rest waits and takes over', async () => {
    const group = new SmallGroup(2);
    const hosts = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) hosts.push(await group.started(name));
    await group.clock.advance(30_000);
    const spread = Object.values(await counts(group));

    for (const host of hosts.slice(0, 4)) await group.during(host.processor.stop());
    await group.clock.advance(2000);

    expect(spread).toEqual([1, 1]);
    expect(await counts(group)).toEqual({ e: 2 });
    await group.during((hosts[4] as TestHost).processor.stop());
  });

  test('[S41] a host that asked for its share and died leaves no lease behind', async () => {
    const group = new SmallGroup(4);
    const cut = new FaultyStore(group.store);
    const a = await group.started('a');
    const b = group.host('b', { store: cut });
    await group.during(b.processor.start());
    cut.fault = () => 'hang';

    await group.clock.advance(3 * leaseSettings.expirationMs);

    expect(await counts(group)).toEqual({ a: 4 });
    expect(a.processor.status.hosts).toEqual(['a']);
    await group.during(b.processor.stop({ drainMs: 100 }));
    await group.during(a.processor.stop());
  });

  test('[S11] after an outage of the store every range has one owner, and those who had it keep it', async () => {
    const group = new SmallGroup(6);
    const store = new FaultyStore(group.store);
    const a = await group.started('a', { store });
    const b = await group.started('b', { store });
    await group.clock.advance(30_000);
    const before = await group.leases();
    store.fault = () => new Error('the network is away');

    await group.clock.advance(3 * leaseSettings.expirationMs);
    const fenced = [a, b].flatMap(({ events }) =>
      events.filter((event) => event.type === 'range.closed' && event.reason === 'fenced'),
    );
    store.fault = () => undefined;
    await group.clock.advance(30_000);
    writeSome(group, 48);
    await group.clock.advance(5000);

    expect(fenced).toHaveLength(6);
    expect((await group.leases()).map(({ owner }) => owner)).toEqual(before.map(({ owner }) => owner));
    expect(isOnce(group)).toBe(true);
    expect(group.delivered).toHaveLength(48);
    await group.during(Promise.all([a.processor.stop(), b.processor.stop()]));
    expect(group.clock.sleeperCount).toBe(0);
  });
});

describe('documents that somebody spoilt', () => {
  test('[D10] leases and heartbeats of strange shape hold up nobody', async () => {
    const group = new SmallGroup(2);
    const a = await group.started('a');
    const unshowable = { toString: 1, valueOf: 1 };
    const spoilt: [string, object][] = [
      ['..half', { LeaseToken: '\ud800', Owner: null, FeedRange: { Range: { min: '', max: '01' } } }],
      ['..odd', { LeaseToken: unshowable, Owner: unshowable, properties: [], FeedRange: 5 }],
      ['..proto', JSON.parse('{"LeaseToken":"__proto__","properties":{"__proto__":"x"},"Owner":null}')],
      ['.x.host.half', { instance: '\ud800', nonce: 'n', beat: 1e300, avoided: unshowable }],
      ['.x.host.twin', { instance: 'a', nonce: 'other', beat: unshowable }],
      ['.x.retry.0', { items: { a: [unshowable, unshowable] }, batches: [[1]], starts: [unshowable, 'x'] }],
      ['.x.position.odd', { token: unshowable, min: 5, max: [], position: {} }],
    ];
    for (const [name, body] of spoilt) await group.store.create({ id: `${leasePrefix}${name}`, ...body });

    const b = await group.started('b');
    await group.clock.advance(120_000);
    group.feed.write('10');
    group.feed.write('90');
    await group.clock.advance(5000);
    await group.during(a.processor.stop());
    group.feed.write('10');
    group.feed.write('90');
    await group.clock.advance(90_000);

    expect(new Set(group.delivered.map(({ id }) => id)).size).toBe(4);
    const failures = [...a.events, ...b.events].filter(
      (event) => event.type === 'health' && event.problem === 'lease-store-failing',
    );
    expect(failures).toEqual([]);
    await group.during(b.processor.stop());
  });
});
