// One host: it makes its leases, delivers, checkpoints, renews, and lets go.

import { describe, expect, test } from 'vitest';
import { FaultyStore } from './faulty-store.ts';
import { leaseSettings, SmallGroup } from './small-group.ts';

describe('one host', () => {
  test('[F1] makes leases, delivers every change, stores positions, and releases on stop', async () => {
    const group = new SmallGroup(3);
    for (let i = 0; i < 30; i += 1) group.feed.write(['10', '60', 'C0'][i % 3] as string);
    const host = await group.started('a');
    await group.clock.advance(5000);

    const delivered = new Set(group.delivered.map(({ id }) => id));
    const owned = await group.leases();
    await group.during(host.processor.stop());

    expect(delivered.size).toBe(30);
    expect(owned.map(({ owner }) => owner)).toEqual(['a', 'a', 'a']);
    expect((await group.leases()).map(({ owner }) => owner)).toEqual([null, null, null]);
    expect((await group.leases()).map(({ position }) => position)).not.toContain(null);
    expect(host.processor.state).toBe('stopped');
    expect(group.clock.sleeperCount).toBe(0);
    expect(group.impossible).toEqual([]);
  });

  test('[F32] renews what is idle and keeps its leases for an hour', async () => {
    const group = new SmallGroup(2);
    const host = await group.started('a');

    await group.clock.advance(3_600_000);
    group.feed.write('10');
    await group.clock.advance(5000);

    expect(host.delivered).toHaveLength(1);
    expect(host.events.filter(({ type }) => type === 'lease.acquired')).toHaveLength(2);
    await group.during(host.processor.stop());
  });

  test('[I12] an idle host writes each lease once a renewal, beats as often, and lists once a tick', async () => {
    const group = new SmallGroup(4);
    const store = new FaultyStore(group.store);
    const host = await group.started('a', { store });
    await group.clock.advance(120_000);
    store.calls.length = 0;

    await group.clock.advance(600_000);

    const renewals = 600_000 / leaseSettings.renewMs + 1;
    const count = (operation: string): number => store.calls.filter((call) => call.operation === operation).length;
    expect(store.writes('..').length).toBeLessThanOrEqual(4 * renewals);
    expect(store.writes('.x.host').length).toBeLessThanOrEqual(renewals);
    expect(store.writes('.x.position').length).toBeLessThanOrEqual(4);
    expect(count('list')).toBeLessThanOrEqual((1.15 * 600_000) / leaseSettings.acquireMs);
    expect(count('read')).toBe(0);
    await group.during(host.processor.stop());
  });

  test('[S14] [I11] a store that can be read and not be written is not asked in a hot loop', async () => {
    const group = new SmallGroup(2);
    const store = new FaultyStore(group.store);
    const host = await group.started('a', { store });
    await group.clock.advance(10_000);
    store.calls.length = 0;
    store.leaveWritesOpen(2000);

    group.feed.write('10');
    group.feed.write('C0');
    await group.clock.advance(40_000);
    const calls = store.calls.length;
    store.fault = () => undefined;
    await group.clock.advance(6000);

    expect(calls).toBeLessThan(100);
    expect(host.delivered).toHaveLength(2);
    expect(host.events.filter(({ type }) => type === 'lease.acquired')).toHaveLength(2);
    expect((await group.leases()).map(({ owner }) => owner)).toEqual(['a', 'a']);
    await group.during(host.processor.stop());
  });

  test('[S14] [I11] a host whose leases have run out while nothing could be written does not ask in a hot loop either', async () => {
    const group = new SmallGroup(2);
    const store = new FaultyStore(group.store);
    const host = await group.started('a', { store });
    store.calls.length = 0;
    store.leaveWritesOpen(2000);

    await group.clock.advance(720_000);
    const calls = store.calls.length;
    store.fault = () => undefined;
    await group.clock.advance(60_000);

    expect(calls).toBeLessThan(1200);
    expect((await group.leases()).map(({ owner }) => owner)).toEqual(['a', 'a']);
    expect(host.processor.status.ranges.map(({ state }) => state)).toEqual(['running', 'running']);
    await group.during(host.processor.stop());
  });
});
