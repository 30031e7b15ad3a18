import { BatchError } from '@tidemark/processor';
import { ModelDocuments } from '@tidemark/processor/testing';
import { describe, expect, test } from 'vitest';
import {
  closings,
  finish,
  hostOf,
  isRunning,
  leaseOf,
  leaseOfChange,
  leases,
  makeScene,
  makeWorld,
  problems,
  repeated,
  settled,
  timesDelivered,
  writeMany,
} from './scene.ts';

describe('ranges that split and merge', () => {
  test('[S21] [I13] a feed that says again and again that a range is gone which exists is told of as failing', async () => {
    const { world, hosts } = await makeScene({ ranges: 1, hosts: 1 });
    const [host] = hosts;
    await world.run(10_000);

    const heal = world.faults.begin({ kind: 'false-gone' }, host);
    const change = world.write('k1', 'first');
    await world.run(20_000);
    expect(hosts.flatMap(problems)).toContain('feed-failing');
    heal();
    await settled(world);

    expect(timesDelivered(world, [change])).toEqual([1]);
    await finish(world);
  });

  test('[S15] a split in the middle of a batch: children begin after what is acknowledged, the parent goes', async () => {
    const { world } = await makeScene({ ranges: 1, handler: async (_, __, { ground }) => ground.clock.sleep(1500) });
    const changes = writeMany(world, 60);
    await world.run(2500);

    world.split('0');
    writeMany(world, 60, 20, 'after');
    await settled(world);

    expect(
      leases(world)
        .map(({ token }) => token)
        .sort(),
    ).toEqual(['1', '2']);
    expect(changes.every((change) => world.oracle.isResolved(change))).toBe(true);
    await finish(world);
  });

  test('[S16] a split with pages that were read and not acknowledged, and a crash: the children deliver them again', async () => {
    let isHolding = true;
    const { world, hosts } = await makeScene({
      ranges: 1,
      hosts: 2,
      base: {},
      pump: { checkpoint: { kind: 'manual' }, readAheadPages: 5, itemsMax: 5 },
      handler: (_, context) => {
        if (!isHolding) void context.checkpoint().catch(() => undefined);
      },
    });
    const changes = writeMany(world, 25);
    await world.run(5000);
    const owner = hostOf(world, leaseOf(world, '0'));

    world.split('0');
    await world.runUntil(() => leases(world).length === 2, 60_000, 20);
    world.kill(owner);
    isHolding = false;

    await finish(world);
    expect(timesDelivered(world, changes).every((times) => times > 1)).toBe(true);
    expect(hosts.length).toBe(2);
  });

  test('[S17] a crash between the children, and between children and parent, is finished by any host', async () => {
    for (const childrenBefore of [1, 2]) {
      const { world } = await makeScene({ ranges: 1, hosts: 2 });
      writeMany(world, 30);
      await settled(world);
      const owner = hostOf(world, leaseOf(world, '0'));

      world.split('0');
      await world.runUntil(() => leases(world).length > childrenBefore, 60_000, 0.2);
      world.kill(owner);
      writeMany(world, 30, 20, 'after');

      await finish(world);
      expect(
        leases(world)
          .map(({ token }) => token)
          .sort(),
      ).toEqual(['1', '2']);
    }
  });

  test('[S18] a parent that may not be deleted seeds nothing when its child splits', async () => {
    const { world, hosts } = await makeScene({ ranges: 1 });
    world.leases.forbidden.add('remove');
    writeMany(world, 50);
    await settled(world);

    world.split('0');
    await settled(world);
    writeMany(world, 50, 20, 'between');
    await settled(world);
    world.split('1');
    await settled(world);
    await world.run(100_000);

    expect(repeated(world)).toEqual([]);
    expect(hosts.some((host) => problems(host).includes('parent-not-removed'))).toBe(true);
    await finish(world);
  });

  test('[S19] two hosts that are told of the same split make one set of children', async () => {
    const { world } = await makeScene({ ranges: 1, hosts: 3 });
    writeMany(world, 30);
    await settled(world);
    const owner = hostOf(world, leaseOf(world, '0'));

    world.split('0');
    await world.run(2);
    world.freeze(owner);
    await world.runUntil(() => leases(world).length >= 2, 200_000);
    world.thaw(owner);

    await finish(world);
    expect(leases(world).length).toBe(2);
  });

  test('[S20] a merge of a range that is ahead with one that is behind: each slice goes on from its own position', async () => {
    const { world } = await makeScene({ ranges: 2, handler: async (_, __, { ground }) => ground.clock.sleep(200) });
    for (let i = 0; i < 60; i += 1) world.write('k1', `one${i}`);
    writeMany(world, 10);
    await world.run(1000);

    world.merge('0');
    writeMany(world, 60, 20, 'after');

    await finish(world);
    expect(leases(world).length).toBe(2);
  });

  test('[S21] a split, a merge and a split within one lease interval converge', async () => {
    const { world } = await makeScene({ ranges: 2 });
    writeMany(world, 40);

    world.split('0');
    await world.run(300);
    const [first] = world.container.ranges;
    world.merge(first?.id ?? '');
    await world.run(300);
    world.split(world.container.ranges[0]?.id ?? '');
    writeMany(world, 40, 20, 'after');

    await finish(world);
  });

  test('[S22] a container that was deleted and made anew: old positions are not used, the start says so', async () => {
    const leasesOfBoth = new ModelDocuments({ nowMs: () => 0 });
    const before = makeWorld({ leases: leasesOfBoth });
    before.start();
    writeMany(before, 20);
    await finish(before);

    const after = makeWorld({ leases: leasesOfBoth, containerRid: 'd1c2==' });
    const host = after.start();
    await after.run(10_000);

    expect(host.state).toBe('ended');
    expect(host.startError).toMatchObject({ code: 'source-replaced' });
  });

  test('[S23] a position that is too old fails loudly, or goes on from now with the gap told', async () => {
    for (const onPositionRefused of ['fail', 'from-now'] as const) {
      const { world, hosts } = await makeScene({
        hosts: 1,
        ranges: 1,
        retentionMs: 100_000,
        base: { mode: 'all-versions', start: 'now', onPositionRefused },
      });
      const [first] = hosts;
      if (first === undefined) throw new Error('there is one');
      world.oracle.isTampered = true;
      world.kill(first);
      writeMany(world, 10);
      await world.run(300_000);
      // What is gone from the history is owed by nobody.
      world.oracle.requiredFrom = world.container.changes.length;

      const second = world.start();
      await world.run(120_000);
      const late = world.write('k1', 'late');
      await world.run(60_000);

      expect(problems(second)).toContain('position-refused');
      expect(world.oracle.deliveriesOf(late)).toBe(onPositionRefused === 'fail' ? 0 : 1);
      expect(closings(second).length).toBeGreaterThan(onPositionRefused === 'fail' ? 0 : -1);
    }
  });

  test('[S50] a transaction that is larger than a page is not cut, and positions lie between transactions', async () => {
    const { world } = await makeScene({ ranges: 1, pump: { itemsMax: 10 } });

    for (let i = 0; i < 20; i += 1) {
      const writes = Array.from({ length: 50 }, (_, j) => ({ id: `t${i}-${j}`, document: {} }));
      world.commit('k1', writes);
    }
    await settled(world);

    const sizes = world.oracle.deliveries.map(({ changes }) => changes.length);
    expect(sizes.every((size) => size % 50 === 0)).toBe(true);
    await finish(world);
  });
});

describe('changes that cannot be handled', () => {
  const parking = (attemptsMax: number, action: 'park-item' | 'park-key') => ({
    failure: {
      retry: { attemptsMax, firstMs: 100, factor: 2, maxMs: 10_000, jitter: 0.2 },
      action,
      bisect: true,
      classify: undefined,
    },
  });
  const isPoison = (value: unknown): boolean => (value as { readonly kind?: unknown }).kind === 'poison';

  test('[S24] a poison change is parked after its attempts, which survive a restart; there is one letter; the rest flows', async () => {
    const { world, hosts } = await makeScene({
      hosts: 1,
      ranges: 1,
      pump: { ...parking(6, 'park-item'), itemsMax: 1 },
      handler: (values) => {
        if (values.some(isPoison)) throw new Error('poison');
      },
    });
    const poison = world.write('k1', 'bad', { kind: 'poison' });
    const rest = writeMany(world, 20);
    await world.runUntil(() => world.oracle.deliveriesOf(poison) >= 3, 60_000, 10);
    await world.run(50);

    world.kill(hosts[0] as (typeof hosts)[0]);
    world.start();
    await settled(world);

    expect(world.oracle.deliveriesOf(poison)).toBeLessThanOrEqual(7);
    expect(world.deadLetters.list('').filter(({ body }) => body['itemId'] === 'bad').length).toBe(1);
    expect(rest.every((change) => world.oracle.isResolved(change))).toBe(true);
    await finish(world);
  });

  test('[S25] one change of a hundred that fails is found by halving, and those before it are not repeated often', async () => {
    const { world } = await makeScene({
      hosts: 1,
      ranges: 1,
      pump: { ...parking(3, 'park-item'), itemsMax: 100 },
      handler: (values) => {
        if (values.some(isPoison)) throw new Error('poison');
      },
    });
    const writes = Array.from({ length: 100 }, (_, i) => ({
      id: `d${i}`,
      document: { kind: i === 56 ? 'poison' : 'fine' },
    }));

    const changes = world.commit('k1', writes);
    await settled(world);

    expect(Math.max(...timesDelivered(world, changes.slice(0, 56)))).toBeLessThanOrEqual(8);
    expect(world.deadLetters.list('').some(({ body }) => body['itemId'] === 'd56')).toBe(true);
    await finish(world);
  });

  test('[S26] a change that cannot be parsed is parked as bytes, and its page goes on', async () => {
    const { world } = await makeScene({ ranges: 1, pump: { ...parking(3, 'park-item') } });

    world.write('k1', 'before');
    world.write('k1', 'broken', { isBroken: true });
    world.write('k1', 'after');
    await settled(world);

    const letters = world.deadLetters.list('').filter(({ body }) => typeof body['raw'] === 'string');
    expect(letters.length).toBe(1);
    await finish(world);
  });

  test('[S27] [I13] dead letters that cannot be written: the range stands still, skips nothing, and says so', async () => {
    const { world, hosts } = await makeScene({
      hosts: 1,
      ranges: 1,
      pump: { ...parking(2, 'park-item') },
      handler: (values) => {
        if (values.some(isPoison)) throw new Error('poison');
      },
    });
    const heal = world.faults.begin({ kind: 'unavailable', port: 'dead-letters' });
    const poison = world.write('k1', 'bad', { kind: 'poison' });
    await world.run(60_000);

    expect(world.oracle.isResolved(poison)).toBe(false);
    expect(leaseOf(world, '0').lsn ?? 0).toBeLessThan(poison.lsn);
    expect(problems(hosts[0] as (typeof hosts)[0])).toContain('dead-letters-failing');
    heal();
    await finish(world);
    expect(world.oracle.isResolved(poison)).toBe(true);
  });

  test('[S28] [I13] a handler that hangs is told of, aborted, and given up with its range; stop returns', async () => {
    const { world } = await makeScene({ ranges: 4 });
    const change = world.write('k1', 'only');
    const host = hostOf(world, leaseOfChange(world, change));
    const release = world.faults.begin({ kind: 'handler-hangs' }, host);
    const second = world.write('k1', 'next');

    await world.run(90_000);

    expect(isRunning(world, change) || isRunning(world, second)).toBe(true);
    expect(problems(host)).toContain('handler-slow');
    expect(problems(host)).toContain('handler-hung');
    await world.until(world.stop(host, 10_000));
    expect(world.violations).toEqual([]);
    release();
    await finish(world);
  });

  test('[S62] parked changes of a key and later ones are handled in their order', async () => {
    let isBroken = true;
    const { world } = await makeScene({
      hosts: 1,
      ranges: 1,
      pump: { ...parking(2, 'park-key') },
      handler: (values) => {
        const failed = values.flatMap((value, index) =>
          isBroken && isPoison(value) ? [{ index, error: new Error('poison') }] : [],
        );
        if (failed.length > 0) throw new BatchError(failed);
      },
    });
    world.write('k1', 'bad', { kind: 'poison' });
    world.write('k1', 'behind', { kind: 'fine' });
    world.write('k2', 'other', { kind: 'fine' });
    await settled(world);
    isBroken = false;
    world.write('k1', 'later', { kind: 'fine' });
    await settled(world);

    const parked = world.deadLetters.list('').filter(({ body }) => typeof body['itemId'] === 'string');
    expect(parked.map(({ body }) => body['itemId']).sort()).toEqual(['bad', 'behind', 'later']);
    await finish(world);
  });
});
