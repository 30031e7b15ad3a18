// Ranges that split and merge, and leases that somebody deletes or doubles.

import { DatabaseError } from '@tidemark/model';
import { describe, expect, test } from 'vitest';
import { FaultyStore, forbidden } from './faulty-store.ts';
import { leasePrefix, leaseSettings, SmallGroup } from './small-group.ts';

describe('split and merge', () => {
  test('[S15] children begin at the last acknowledged position, the parent is removed, order is kept', async () => {
    const group = new SmallGroup(1);
    const host = await group.started('a');
    for (let i = 0; i < 20; i += 1) group.feed.write(i % 2 === 0 ? '10' : '90');
    await group.clock.advance(2000);

    group.feed.split('0', '80');
    for (let i = 0; i < 20; i += 1) group.feed.write(i % 2 === 0 ? '10' : '90');
    await group.clock.advance(5000);

    expect((await group.leases()).map(({ token, owner }) => `${token} ${owner}`)).toEqual(['1 a', '2 a']);
    expect(host.delivered.map(({ id }) => id).sort()).toEqual(group.feed.changes.map(({ id }) => id).sort());
    expect(host.events).toContainEqual(
      expect.objectContaining({ type: 'range.split', leaseToken: '0', children: ['1', '2'] }),
    );
    expect((await group.leases()).map(({ epoch }) => epoch)).toEqual([2, 2]);
    await group.during(host.processor.stop());
    expect(group.impossible).toEqual([]);
  });

  test('[S20] a merge leaves each slice at its own position', async () => {
    const group = new SmallGroup(2);
    group.feed.write('10');
    const host = await group.started('a');
    await group.clock.advance(5000);
    const before = await group.leases();

    group.feed.merge('0', '1');
    group.feed.write('10');
    group.feed.write('90');
    await group.clock.advance(5000);

    expect((await group.leases()).map(({ token }) => token)).toEqual(['-80', '80-FF']);
    expect(before).toHaveLength(2);
    expect(host.delivered).toHaveLength(3);
    await group.during(host.processor.stop());
  });

  test('[S21] split, merge and split again in one lease interval', async () => {
    const group = new SmallGroup(1);
    const host = await group.started('a');

    group.feed.split('0', '80');
    await group.clock.advance(1500);
    group.feed.write('10');
    group.feed.merge('1', '2');
    await group.clock.advance(1500);
    group.feed.write('90');
    group.feed.split('3', '40');
    group.feed.write('30');
    group.feed.write('50');
    await group.clock.advance(20_000);

    expect((await group.leases()).map(({ token }) => token)).toEqual(['-40', '40-80', '80-FF']);
    expect(host.delivered).toHaveLength(4);
    await group.during(host.processor.stop());
    expect(group.impossible).toEqual([]);
  });

  test('[S17] a split that died at any write is finished by another host, without a double lease', async () => {
    for (let writes = 0; writes < 14; writes += 1) {
      const group = new SmallGroup(1);
      const dying = new FaultyStore(group.store);
      const a = await group.started('a', { store: dying });
      group.feed.write('10');
      group.feed.write('90');
      await group.clock.advance(3000);
      let left = writes;
      let isDead = false;
      dying.fault = ({ operation }) => {
        if (operation !== 'list' && operation !== 'read') left -= 1;
        if (left < 0) isDead = true;
        return isDead ? 'hang' : undefined;
      };
      group.feed.split('0', '80');
      group.feed.write('10');
      await group.clock.advance(5000);

      const b = await group.started('b');
      await group.clock.advance(2 * (leaseSettings.expirationMs + leaseSettings.acquireMs));
      group.feed.write('90');
      await group.clock.advance(5000);

      expect((await group.leases()).map(({ token }) => token)).toEqual(['1', '2']);
      expect(new Set(group.delivered.map(({ id }) => id)).size).toBe(4);
      await group.during(Promise.all([a.processor.stop({ drainMs: 100 }), b.processor.stop()]));
    }
  });

  test('[S18] [D4] a parent that may not be removed stays a tombstone, also when a child splits', async () => {
    const group = new SmallGroup(1);
    const store = new FaultyStore(group.store);
    store.fault = ({ operation, id }) => (operation === 'remove' && id.includes('..') ? forbidden : undefined);
    const a = await group.started('a', { store });
    for (let i = 0; i < 30; i += 1) group.feed.write(['10', '50', '90'][i % 3] as string);
    await group.clock.advance(3000);

    group.feed.split('0', '80');
    await group.clock.advance(5000);
    group.feed.split('1', '40');
    await group.clock.advance(leaseSettings.expirationMs * 2);
    for (let i = 0; i < 3; i += 1) group.feed.write(['10', '50', '90'][i] as string);
    await group.clock.advance(5000);

    const live = (await group.leases()).filter(({ owner }) => owner !== null).map(({ token }) => token);
    expect(live).toEqual(['2', '3', '4']);
    expect(a.delivered).toHaveLength(33);
    expect(a.events).toContainEqual(expect.objectContaining({ type: 'health', problem: 'parent-not-removed' }));
    await group.during(a.processor.stop());
  });

  test('[S18] [S64] a parent whose removal was refused for wrong credentials is removed when they are right again', async () => {
    const group = new SmallGroup(1);
    const store = new FaultyStore(group.store);
    const unauthorized = new DatabaseError('unauthorized', 'the key was rotated');
    store.fault = ({ operation, id }) => (operation === 'remove' && id.includes('..') ? unauthorized : undefined);
    const a = await group.started('a', { store });
    await group.clock.advance(3000);
    group.feed.split('0', '80');
    await group.clock.advance(leaseSettings.expirationMs * 2);
    expect((await group.leases()).map(({ token }) => token)).toEqual(['0', '1', '2']);

    store.fault = () => undefined;
    await group.clock.advance(leaseSettings.expirationMs);

    expect((await group.leases()).map(({ token }) => token)).toEqual(['1', '2']);
    await group.during(a.processor.stop());
  });

  test('[S19] two hosts that are told of the same split make one set of children', async () => {
    const group = new SmallGroup(1);
    const a = await group.started('a');
    const b = await group.started('b');
    group.feed.write('10');
    group.feed.write('90');
    await group.clock.advance(3000);

    group.feed.split('0', '80');
    await group.clock.advance(20_000);

    expect((await group.leases()).map(({ token, owner }) => `${token} ${owner}`).sort()).toHaveLength(2);
    expect(new Set((await group.leases()).map(({ owner }) => owner))).toEqual(new Set(['a', 'b']));
    expect(group.delivered).toHaveLength(2);
    await group.during(Promise.all([a.processor.stop(), b.processor.stop()]));
  });

  test('[D15] a lease of an old document without keys survives a split', async () => {
    const group = new SmallGroup(1);
    group.store.put({
      id: `${leasePrefix}..0`,
      PartitionId: '0',
      Owner: null,
      ContinuationToken: '"1"',
      properties: {},
      timestamp: '2026-01-01T00:00:00.0000000Z',
    });
    group.store.put({ id: `${leasePrefix}.info` });
    group.feed.write('10');
    group.feed.write('10', 'second');
    group.feed.split('0', '80');

    const host = await group.started('a');
    await group.clock.advance(5000);

    expect((await group.leases()).map(({ token }) => token)).toEqual(['1', '2']);
    expect(host.delivered.map(({ id }) => id)).toEqual(['second']);
    await group.during(host.processor.stop());
  });
});

describe('leases that somebody changed', () => {
  test('[S32] [D5] [F8] a lease that was deleted is made again from its last position, and told of', async () => {
    const group = new SmallGroup(2);
    const host = await group.started('a');
    for (let i = 0; i < 10; i += 1) group.feed.write('10');
    await group.clock.advance(3000);

    group.store.erase(`${leasePrefix}..0`);
    await group.clock.advance(100_000);
    group.feed.write('10', 'after');
    await group.clock.advance(5000);

    expect((await group.leases()).map(({ token, owner }) => `${token} ${owner}`)).toEqual(['0 a', '1 a']);
    expect(host.delivered).toHaveLength(11);
    expect(host.events).toContainEqual(expect.objectContaining({ type: 'health', problem: 'lease-deleted' }));
    expect(host.events).toContainEqual(expect.objectContaining({ type: 'healthy', problem: 'lease-deleted' }));
    await group.during(host.processor.stop());
  });

  test('[S33] all leases deleted while a host runs: made again, nothing lost, nothing twice', async () => {
    const group = new SmallGroup(3);
    const host = await group.started('a');
    for (const key of ['10', '60', 'C0']) group.feed.write(key);
    await group.clock.advance(30_000);

    for (const token of ['0', '1', '2']) group.store.erase(`${leasePrefix}..${token}`);
    group.store.erase(`${leasePrefix}.info`);
    await group.clock.advance(120_000);
    for (const key of ['10', '60', 'C0']) group.feed.write(key);
    await group.clock.advance(5000);

    expect(host.delivered).toHaveLength(6);
    await group.during(host.processor.stop());
  });

  test('[S34] [D10] two documents of one lease do not stop the group', async () => {
    const group = new SmallGroup(2);
    const host = await group.started('a');
    const stored = await group.store.read(`${leasePrefix}..0`);

    group.store.put({ ...stored?.body, id: `${leasePrefix}..0`, Owner: null }, 'some-guid');
    await group.clock.advance(100_000);
    group.feed.write('10');
    group.feed.write('90');
    await group.clock.advance(5000);

    expect(host.delivered).toHaveLength(2);
    expect(host.events).toContainEqual(expect.objectContaining({ type: 'health', problem: 'duplicate-lease' }));
    expect(await group.leases()).toHaveLength(2);
    await group.during(host.processor.stop());
  });

  test('[I6] two leases for the same keys: one is taken back, and nothing is lost', async () => {
    const group = new SmallGroup(2);
    const host = await group.started('a');
    const stored = await group.store.read(`${leasePrefix}..0`);
    const token = '-80';

    group.store.put({ ...stored?.body, id: `${leasePrefix}..${token}`, version: 1, LeaseToken: token, Owner: null });
    group.feed.write('10');
    await group.clock.advance(300_000);
    const before = host.delivered.length;
    group.feed.write('10');
    group.feed.write('90');
    await group.clock.advance(5000);

    expect((await group.leases()).map(({ token: each }) => each)).toEqual(['-80', '1']);
    expect(before).toBeGreaterThan(0);
    expect(host.delivered.length - before).toBe(2);
    expect(host.events).toContainEqual(expect.objectContaining({ type: 'health', problem: 'duplicate-lease' }));
    expect(host.events).toContainEqual(expect.objectContaining({ type: 'healthy', problem: 'duplicate-lease' }));
    await group.during(host.processor.stop());
  });

  test('[I6] a lease that another one was to replace stays when that one is gone by then', async () => {
    const group = new SmallGroup(1);
    let release = (): void => {};
    let held: Promise<void> | undefined;
    const host = await group.started('a', { handle: () => held });
    const stored = await group.store.read(`${leasePrefix}..0`);
    const token = '-FF';
    group.store.put({ ...stored?.body, id: `${leasePrefix}..${token}`, version: 1, LeaseToken: token, Owner: null });
    await group.clock.advance(60_000);
    held = new Promise((resolve) => {
      release = resolve;
    });
    group.feed.write('10');
    const draining = (): string | undefined =>
      host.processor.status.ranges.find(({ state }) => state === 'draining')?.leaseToken;
    for (let i = 0; i < 300 && draining() === undefined; i += 1) await group.clock.advance(1000);
    const stays = draining() ?? '';
    expect(['0', token]).toContain(stays);

    group.store.erase(`${leasePrefix}..${stays === '0' ? token : '0'}`);
    release();
    held = undefined;
    await group.clock.advance(20_000);
    group.feed.write('90');
    await group.clock.advance(5000);

    expect((await group.leases()).map(({ token: each, owner }) => `${each} ${owner}`)).toEqual([`${stays} a`]);
    expect(new Set(host.delivered.map(({ id }) => id)).size).toBe(2);
    expect(host.events).not.toContainEqual(expect.objectContaining({ type: 'health', problem: 'coverage-hole' }));
    await group.during(host.processor.stop());
  });

  test('[S21] a tombstone that may not be removed gives its id back when its keys are a lease again', async () => {
    const group = new SmallGroup(1);
    const store = new FaultyStore(group.store);
    store.fault = ({ operation, id }) => (operation === 'remove' && id.includes('..') ? forbidden : undefined);
    const host = await group.started('a', { store });
    await group.clock.advance(2000);

    group.feed.split('0', '80');
    await group.clock.advance(3000);
    group.feed.merge('1', '2');
    await group.clock.advance(3000);
    group.feed.split('3', '40');
    await group.clock.advance(3000);
    group.feed.merge('4', '5');
    await group.clock.advance(3000);
    group.feed.write('10');
    group.feed.write('60');
    group.feed.write('90');
    await group.clock.advance(20_000);

    expect(new Set(host.delivered.map(({ id }) => id)).size).toBe(3);
    expect(host.events.filter((event) => event.type === 'health' && event.problem === 'coverage-hole')).toEqual([]);
    await group.during(host.processor.stop());
  });
});
