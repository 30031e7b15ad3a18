import { describe, expect, test } from 'vitest';
import {
  closings,
  epochs,
  finish,
  hostOf,
  leaseOfChange,
  makeScene,
  ownedBy,
  problems,
  repeated,
  settled,
  writeMany,
} from './scene.ts';

describe('networks and clocks', () => {
  test('[S5] a host that is cut off from the leases stops delivering before another may begin', async () => {
    const { world, hosts } = await makeScene();
    const [zombie] = hosts;
    if (zombie === undefined) throw new Error('there are two');
    for (let i = 0; i < 150; i += 1) world.schedule.after(i * 1000, () => world.write(`k${i % 20}`, `d${i}`));

    world.faults.begin({ kind: 'partition-store' }, zombie);
    await world.run(160_000);

    // That nobody got changes after the next owner had begun is watched by the oracle.
    expect(closings(zombie)).toContain('fenced');
    expect(problems(zombie)).toContain('lease-store-failing');
    await finish(world);
  });

  test('[S6] [I13] a host that cannot read the feed says so, and gives its ranges to one that can', async () => {
    const { world, hosts } = await makeScene();
    const [blind] = hosts;
    if (blind === undefined) throw new Error('there are two');

    const heal = world.faults.begin({ kind: 'partition-feed' }, blind);
    writeMany(world, 50);
    await world.runUntil(() => world.oracle.owed().length === 0, 400_000);

    expect(world.oracle.owed()).toEqual([]);
    expect(closings(blind)).toContain('feed-failed');
    expect(problems(blind)).toContain('feed-failing');
    heal();
    await finish(world);
  });

  test('[S7] [I13] a handler that always fails is tried again with growing pauses and keeps its range', async () => {
    let isBroken = true;
    const { world, hosts } = await makeScene({
      hosts: 1,
      handler: () => {
        if (isBroken) throw new Error('the sink is away');
      },
    });
    const before = epochs(world);

    const change = world.write('k1', 'only');
    await world.run(120_000);

    expect(epochs(world)).toBe(before);
    // 0.1 s doubling to 10 s: about 7 to begin with, then one each 10 s.
    expect(world.oracle.deliveriesOf(change)).toBeGreaterThan(8);
    expect(world.oracle.deliveriesOf(change)).toBeLessThan(30);
    expect(problems(hosts[0] as (typeof hosts)[0])).toContain('handler-failing');
    isBroken = false;
    await finish(world);
  });

  test('[S8] a wall clock that is 90 s wrong, and jumps, moves no range', async () => {
    const { world, hosts } = await makeScene({ hosts: 3 });
    await world.run(60_000);
    const before = epochs(world);

    for (let i = 0; i < 20; i += 1) {
      hosts[0]?.clock.jump(i % 2 === 0 ? 90_000 : -180_000);
      hosts[1]?.clock.jump(i % 3 === 0 ? 180_000 : -90_000);
      await world.run(15_000);
      world.write('k1', `d${i}`);
    }

    expect(epochs(world)).toBe(before);
    await finish(world);
  });

  test('[S9] the margin of the fence bears a clock that runs 10 % wrong, also when its host is cut off', async () => {
    for (const rate of [0.9, 1.1]) {
      const { world, hosts } = await makeScene({ lease: { fenceMarginMs: 12_000 } });
      const [odd] = hosts;
      if (odd === undefined) throw new Error('there are two');
      await world.run(60_000);
      odd.clock.drift(rate);
      const before = epochs(world);
      await world.run(300_000);
      expect(epochs(world)).toBe(before);

      for (let i = 0; i < 150; i += 1) world.schedule.after(i * 1000, () => world.write(`k${i % 20}`, `d${i}`));
      const heal = world.faults.begin({ kind: 'partition-store' }, odd);
      await world.run(160_000);

      heal();
      await finish(world);
    }
  });

  test('[S10] a throttled lease store stops no delivery while leases last, and moves no range', async () => {
    const { world } = await makeScene();
    await world.run(30_000);
    const before = epochs(world);

    const heal = world.faults.begin({ kind: 'throttled', port: 'store' });
    const changes = writeMany(world, 40);
    await world.run(20_000);
    const delivered = changes.filter((change) => world.oracle.deliveriesOf(change) > 0).length;
    heal();
    await settled(world);

    expect(delivered).toBeGreaterThan(0);
    expect(epochs(world)).toBe(before);
    expect(repeated(world)).toEqual([]);
    await finish(world);
  });

  test('[S10] a lease store that refuses most requests for two minutes loses nothing', async () => {
    const { world } = await makeScene({ hosts: 3 });

    const heal = world.faults.begin({ kind: 'throttled', port: 'store', share: 0.7 });
    for (let i = 0; i < 120; i += 1) world.schedule.after(i * 1000, () => world.write(`k${i % 20}`, `d${i}`));
    await world.run(120_000);
    heal();

    await finish(world);
  });

  test('[S11] a lease store that is away for longer than leases live: all are fenced, and each range has one owner again', async () => {
    const { world, hosts } = await makeScene({ hosts: 3 });

    const heal = world.faults.begin({ kind: 'unavailable', port: 'store' });
    for (let i = 0; i < 100; i += 1) world.schedule.after(i * 1000, () => world.write(`k${i % 20}`, `d${i}`));
    await world.run(120_000);
    expect(hosts.every((host) => closings(host).includes('fenced') || ownedBy(world, host).length === 0)).toBe(true);
    heal();

    await finish(world);
  });

  test('[S12] a checkpoint that is throttled or hears nothing skips no page', async () => {
    const { world } = await makeScene({ pump: { itemsMax: 3 } });

    const heals = [
      world.faults.begin({ kind: 'throttled', port: 'store', share: 0.5 }),
      world.faults.begin({ kind: 'lost-response', port: 'store', share: 0.3 }),
    ];
    const changes = writeMany(world, 100);
    await world.run(60_000);
    for (const heal of heals) heal();

    await finish(world);
    expect(changes.every((change) => world.oracle.deliveriesOf(change) > 0)).toBe(true);
  });

  test('[S13] refused writes of an own lease never make a host believe that it lost it', async () => {
    const { world } = await makeScene({ pump: { itemsMax: 2 } });
    await world.run(30_000);
    const before = epochs(world);

    const heal = world.faults.begin({ kind: 'conflict-storm', port: 'store', share: 0.5 });
    for (let i = 0; i < 100; i += 1) world.schedule.after(i * 300, () => world.write(`k${i % 20}`, `d${i}`));
    await world.run(35_000);
    heal();

    expect(epochs(world)).toBe(before);
    await finish(world);
  });

  test('[S14] a write that was done and is answered with a timeout, then with 412, is recognised as its own', async () => {
    const { world } = await makeScene();
    await world.run(30_000);
    const before = epochs(world);

    const heals = [
      world.faults.begin({ kind: 'own-conflict', port: 'store', share: 0.4 }),
      world.faults.begin({ kind: 'lost-response', port: 'store', share: 0.2 }),
    ];
    const changes = writeMany(world, 60);
    await world.run(30_000);
    for (const heal of heals) heal();
    await settled(world);

    expect(epochs(world)).toBe(before);
    expect(changes.every((change) => world.oracle.deliveriesOf(change) === 1)).toBe(true);
    await finish(world);
  });

  test('[S36] a list that shows old owners: swaps fail cleanly, nobody releases what is not his', async () => {
    const { world } = await makeScene({ hosts: 3 });
    const heal = world.faults.begin({ kind: 'stale-list', port: 'store' });

    const guest = world.start();
    await world.run(120_000);
    await world.until(world.stop(guest));
    writeMany(world, 30);
    await world.run(60_000);
    heal();

    await finish(world);
  });

  test('[S53] a waiting read whose connection died silently is noticed, and no change is missed', async () => {
    const { world, hosts } = await makeScene({ hosts: 1 });
    const [host] = hosts;
    const heal = world.faults.begin({ kind: 'lost-response', port: 'feed' }, host);
    await world.run(25_000);

    const change = world.write('k1', 'only');
    await world.run(5000);
    expect(world.oracle.deliveriesOf(change)).toBe(0);
    heal();

    expect(await world.runUntil(() => world.oracle.isResolved(change), 60_000)).toBe(true);
    await finish(world);
  });

  test('[S54] hosts whose waiting reads all fail at once come back one after the other', async () => {
    const { world } = await makeScene({ hosts: 3, ranges: 40 });
    await world.run(20_000);
    const sent = (): number => world.network.sent.get('feed wait') ?? 0;

    const heal = world.faults.begin({ kind: 'unavailable', port: 'feed' });
    for (let i = 0; i < 40; i += 1) world.write(`k${i}`, `wake${i}`);
    await world.run(20_000);
    heal();
    const before = sent();
    const counts: number[] = [];
    for (let i = 0; i < 20; i += 1) {
      await world.run(250);
      counts.push(sent() - before - counts.reduce((sum, count) => sum + count, 0));
    }

    // 40 ranges that retried in step would all come in one quarter of a second.
    expect(Math.max(...counts)).toBeLessThan(35);
    await finish(world);
  });

  test('[S63] a lease store that takes no writes halts ranges, skips nothing, and says so', async () => {
    const { world, hosts } = await makeScene();
    world.leases.forbidden.add('replace');
    const changes = writeMany(world, 40);
    await world.run(100_000);

    expect(hosts.some((host) => problems(host).length > 0)).toBe(true);
    world.leases.forbidden.delete('replace');
    await finish(world);
    expect(changes.every((change) => world.oracle.isResolved(change))).toBe(true);
  });

  test('[S64] credentials that are refused for a while: no hot loop, it is told, and it goes on', async () => {
    const { world, hosts } = await makeScene();
    const before = [...world.network.sent.values()].reduce((sum, count) => sum + count, 0);

    const heal = world.faults.begin({ kind: 'unauthorized' });
    writeMany(world, 20);
    await world.run(120_000);
    const requests = [...world.network.sent.values()].reduce((sum, count) => sum + count, 0) - before;
    heal();

    expect(requests).toBeLessThan(2000);
    expect(hosts.some((host) => problems(host).includes('credentials-refused'))).toBe(true);
    await finish(world);
  });

  test('a change that is written is read by whoever has its key', async () => {
    const { world } = await makeScene();

    const change = world.write('k1', 'only');
    await settled(world);

    const [delivery] = world.oracle.deliveries.filter(({ changes }) => changes.includes(change));
    expect(delivery?.actor.instance).toBe(hostOf(world, leaseOfChange(world, change)).instance);
    await finish(world);
  });
});
