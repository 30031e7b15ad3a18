// How groups begin: leases, locks, start positions, and who may join.

import { DatabaseError } from '@tidemark/model';
import { describe, expect, test } from 'vitest';
import { FaultyStore, forbidden, unavailable } from './faulty-store.ts';
import { leasePrefix, leaseSettings, SmallGroup } from './small-group.ts';

const now = { start: 'now' } as const;

describe('the start of a group', () => {
  test('[S45] [F38] what is written after start has resolved is delivered', async () => {
    const group = new SmallGroup(2);
    group.feed.write('10', 'before');
    const host = group.host('a', { settings: now });

    await group.during(host.processor.start());
    group.feed.write('10', 'after');
    await group.clock.advance(5000);

    expect(host.delivered.map(({ id }) => id)).toEqual(['after']);
    await group.during(host.processor.stop());
  });

  test('[S44] [D9] what is written while nobody runs is delivered after a start from now without traffic', async () => {
    const group = new SmallGroup(2);
    const first = group.host('a', { settings: now });
    await group.during(first.processor.start());
    await group.during(first.processor.stop());

    group.feed.write('10', 'while down');
    const second = await group.started('b', { settings: now });
    await group.clock.advance(5000);

    expect(second.delivered.map(({ id }) => id)).toEqual(['while down']);
    await group.during(second.processor.stop());
  });

  test('[S33] [D6] [F9] a lock that a dead host left behind is taken over, without time to live', async () => {
    const group = new SmallGroup(2);
    group.store.put({ id: `${leasePrefix}.lock`, ttl: 30 });

    const host = await group.started('a');

    expect((await group.leases()).map(({ token }) => token)).toEqual(['0', '1']);
    expect(await group.store.read(`${leasePrefix}.lock`)).toBeUndefined();
    expect(await group.store.read(`${leasePrefix}.info`)).toBeDefined();
    await group.during(host.processor.stop());
  });

  test('[I12] a lock that creations meet and reads do not show is asked for at leisure', async () => {
    const group = new SmallGroup(1);
    const store = new FaultyStore(group.store);
    store.fault = ({ operation, id }) =>
      operation === 'create' && id.endsWith('.lock') ? new DatabaseError('conflict', 'It exists.') : undefined;
    const host = group.host('a', { store });

    const starting = host.processor.start();
    starting.catch(() => {});
    await group.clock.advance(10_000);
    const asked = store.calls.filter(({ id }) => id.endsWith('.lock')).length;
    store.fault = () => undefined;
    await group.during(starting);

    expect(asked).toBeGreaterThan(4);
    expect(asked).toBeLessThan(50);
    await group.during(host.processor.stop());
  });

  test('[I12] ranges are not read at every look for leases whose ranges nobody knows any more', async () => {
    const group = new SmallGroup(1);
    const host = await group.started('a');
    for (const token of ['77', '78'])
      group.store.put({ id: `${leasePrefix}..${token}`, PartitionId: token, Owner: 'old', properties: {} });
    const ranges = group.feed.ranges.bind(group.feed);
    let asked = 0;
    group.feed.ranges = () => {
      asked += 1;
      return ranges();
    };

    await group.clock.advance(600_000);

    expect(asked).toBeGreaterThan(0);
    expect(asked).toBeLessThan(15);
    await group.during(host.processor.stop());
  });

  test('[S36] a list of before the group began makes nobody begin it anew', async () => {
    const group = new SmallGroup(1);
    const first = await group.started('a');
    group.feed.split('0', '80');
    await group.clock.advance(leaseSettings.acquireMs);
    const before = await group.leases();
    const store = new FaultyStore(group.store);
    let stale = 2;
    store.list = async (prefix) => {
      stale -= 1;
      return stale >= 0 ? [] : group.store.list(prefix);
    };

    const second = await group.started('b', { store });
    await group.clock.advance(leaseSettings.acquireMs);

    expect((await group.leases()).map(({ token }) => token)).toEqual(before.map(({ token }) => token));
    await group.during(Promise.all([first.processor.stop(), second.processor.stop()]));
  });

  test('[S33] a marker that was deleted is written again, and leases stay as they are', async () => {
    const group = new SmallGroup(2);
    group.feed.write('10');
    const first = await group.started('a');
    await group.clock.advance(3000);
    await group.during(first.processor.stop());
    const before = await group.leases();
    group.store.erase(`${leasePrefix}.info`);

    const second = group.host('b');
    await group.during(second.processor.start());

    expect((await group.leases()).map(({ position }) => position)).toEqual(before.map(({ position }) => position));
    expect(await group.store.read(`${leasePrefix}.info`)).toBeDefined();
    await group.during(second.processor.stop());
  });

  test('[F9] a bootstrap that died at any write is finished by the next host', async () => {
    for (let writes = 0; writes < 12; writes += 1) {
      const group = new SmallGroup(3);
      const dying = new FaultyStore(group.store);
      let left = writes;
      dying.fault = ({ operation }) => {
        if (operation !== 'list' && operation !== 'read') left -= 1;
        return left < 0 ? 'hang' : undefined;
      };
      const dead = group.host('dead', { store: dying });
      const starting = dead.processor.start().catch(() => {});
      await group.clock.advance(1000);

      const host = group.host('a');
      await group.during(host.processor.start());
      await group.during(dead.processor.stop({ drainMs: 100 }));
      await group.during(starting);
      group.feed.write('10');
      await group.clock.advance(80_000);

      expect((await group.leases()).map(({ token, owner }) => `${token} ${owner}`)).toEqual(['0 a', '1 a', '2 a']);
      expect(host.delivered).toHaveLength(1);
      await group.during(host.processor.stop());
    }
  });

  test('[S46] [D14] the first recorded start wins, and the second host says that its own is not used', async () => {
    const group = new SmallGroup(1);
    group.feed.write('10', 'old');
    const a = group.host('a', { settings: now });
    await group.during(a.processor.start());

    const b = await group.started('b', { settings: { start: 'beginning' } });
    await group.clock.advance(5000);

    expect(b.events).toContainEqual(expect.objectContaining({ type: 'health', problem: 'start-differs' }));
    expect(group.delivered).toEqual([]);
    await group.during(Promise.all([a.processor.stop(), b.processor.stop()]));
  });

  test('[S47] [D14] the other feed mode is refused, whichever lease says so', async () => {
    const group = new SmallGroup(2);
    const a = await group.started('a');
    await group.during(a.processor.stop());
    group.store.erase(`${leasePrefix}.x.start.`);

    const b = group.host('b', { settings: { mode: 'all-versions' } });

    await expect(group.during(b.processor.start())).rejects.toMatchObject({ code: 'mode-mismatch' });
    expect(b.processor.state).toBe('stopped');
    expect(await group.store.list(`${leasePrefix}.x.host`)).toEqual([]);
  });

  test('[S31] another purpose under the same name is refused, and the message names the owner', async () => {
    const group = new SmallGroup(1);
    const a = await group.started('a', { settings: { purpose: 'mail' } });

    const b = group.host('b', { settings: { purpose: 'search' } });

    await expect(group.during(b.processor.start())).rejects.toThrow(/"mail" \(run by a\)/);
    await group.during(a.processor.stop());
  });

  test('[S22] a container that was made anew is refused, or begins again by policy', async () => {
    const group = new SmallGroup(1);
    const a = await group.started('a');
    await group.during(a.processor.stop());
    group.feed.containerRid = 'other=';

    const b = group.host('b');
    const c = group.host('c', { settings: { onPositionRefused: 'from-beginning' } });

    await expect(group.during(b.processor.start())).rejects.toMatchObject({ code: 'source-replaced' });
    await group.during(c.processor.start());
    expect(c.events).toContainEqual(expect.objectContaining({ type: 'health', problem: 'source-replaced' }));
    await group.during(c.processor.stop());
  });

  test('[S55] stopping while it starts ends both, and a second start is refused', async () => {
    const group = new SmallGroup(2);
    group.store.put({ id: `${leasePrefix}.lock` });
    const host = group.host('a');
    const refused = expect(host.processor.start()).rejects.toMatchObject({ code: 'stopped' });
    await group.clock.advance(100);

    await group.during(host.processor.stop({ drainMs: 1000 }));

    await refused;
    await group.clock.advance(70_000);
    expect(group.clock.sleeperCount).toBe(0);
  });

  test('a store that is away at first is waited for; credentials that are refused are not', async () => {
    const group = new SmallGroup(2);
    const store = new FaultyStore(group.store);
    store.fault = () => unavailable;
    const patient = group.host('a', { store });
    const starting = patient.processor.start();
    await group.clock.advance(10_000);
    store.fault = () => undefined;
    await group.during(starting);
    const refused = new FaultyStore(group.store);
    refused.fault = () => forbidden;

    const hasty = group.host('b', { store: refused });

    await expect(group.during(hasty.processor.start())).rejects.toMatchObject({ code: 'forbidden' });
    await group.during(patient.processor.stop());
  });

  test('[S23] a position that the feed refuses: the range stands still and says so', async () => {
    const group = new SmallGroup(2);
    const a = await group.started('a');
    await group.during(a.processor.stop());
    spoilPosition(group, '0', 'rubbish');

    const b = await group.started('b');
    group.feed.write('10');
    group.feed.write('90');
    await group.clock.advance(10_000);

    expect(b.delivered).toHaveLength(1);
    expect(b.events).toContainEqual(
      expect.objectContaining({ type: 'health', problem: 'position-refused', leaseToken: '0' }),
    );
    expect((await group.leases())[0]).toMatchObject({ owner: 'b', position: 'rubbish' });
    await group.during(b.processor.stop());
  });

  test('[S23] by policy it goes on from now, and the gap is recorded', async () => {
    const group = new SmallGroup(1);
    const a = await group.started('a');
    await group.during(a.processor.stop());
    spoilPosition(group, '0', 'rubbish');
    group.feed.write('10', 'in the gap');

    const b = await group.started('b', { settings: { onPositionRefused: 'from-now' } });
    await group.clock.advance(3000);
    group.feed.write('10', 'later');
    await group.clock.advance(5000);

    expect(b.delivered.map(({ id }) => id)).toEqual(['later']);
    expect(b.events).toContainEqual(expect.objectContaining({ problem: 'position-refused' }));
    await group.during(b.processor.stop());
  });

  test('[S23] by policy everything is read again', async () => {
    const group = new SmallGroup(1);
    group.feed.write('10', 'first');
    const a = await group.started('a');
    await group.during(a.processor.stop());
    spoilPosition(group, '0', 'rubbish');

    const b = await group.started('b', { settings: { onPositionRefused: 'from-beginning' } });
    await group.clock.advance(leaseSettings.acquireMs);

    expect(b.delivered.map(({ id }) => id)).toEqual(['first']);
    await group.during(b.processor.stop());
  });
});

function spoilPosition(group: SmallGroup, token: string, position: string): void {
  const id = `${leasePrefix}..${token}`;
  void group.store.read(id).then((stored) => group.store.put({ ...stored?.body, id, ContinuationToken: position }));
}
