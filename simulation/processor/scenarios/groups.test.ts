import { checkTakeover } from '@tidemark/processor/testing';
import { describe, expect, test } from 'vitest';
import {
  acquisitions,
  balanced,
  closings,
  epochs,
  finish,
  hostOf,
  isRunning,
  leaseOf,
  leaseOfChange,
  leases,
  leaseWrites,
  makeScene,
  makeWorld,
  ownedBy,
  problems,
  repeated,
  settled,
  writeMany,
} from './scene.ts';

const prefix = 'groupworld.example_d1==_d1c1==';

describe('groups', () => {
  test('[S31] a processor for something else under the same name does not start, and is told who is there', async () => {
    const world = makeWorld({
      settingsOf: (settings, index) => ({ ...settings, purpose: index === 0 ? 'mails' : 'search' }),
    });
    world.start();
    await settled(world);

    const other = world.start();
    await world.run(10_000);

    expect(other.startError).toMatchObject({ code: 'group-mismatch' });
    expect(String(other.startError)).toContain('mails');
    await finish(world);
  });

  test('[S32] a lease that is deleted is made again from where it was, and it is told', async () => {
    const { world, hosts } = await makeScene();
    const changes = writeMany(world, 60);
    await settled(world);
    await world.run(120_000);

    world.oracle.bearHoles(400_000);
    const lease = world.leases.read(`${prefix}..1`);
    if (lease === undefined) throw new Error('there is a lease 1');
    world.leases.remove(lease);
    writeMany(world, 20, 20, 'after');
    await settled(world);

    expect(changes.every((change) => world.oracle.deliveriesOf(change) === 1)).toBe(true);
    expect(hosts.some((host) => problems(host).includes('lease-deleted'))).toBe(true);
    await finish(world);
  });

  test('[S33] all leases deleted, the marker deleted, a lock left behind: all is built again', async () => {
    const { world } = await makeScene();
    writeMany(world, 40);
    await settled(world);
    await world.run(120_000);

    world.oracle.bearHoles(600_000);
    world.leases.create({ id: `${prefix}.lock`, owner: 'somebody who died' });
    for (const document of world.leases.list(`${prefix}..`)) world.leases.remove(document);
    const marker = world.leases.read(`${prefix}.info`);
    if (marker !== undefined) world.leases.remove(marker);
    writeMany(world, 40, 20, 'after');
    await settled(world);

    const late = world.start();
    await world.runUntil(() => late.state === 'running', 120_000);
    expect(late.state).toBe('running');
    await finish(world);
  });

  test('[S33] a lock that a crash left behind is taken over, whatever its time to live', async () => {
    const world = makeWorld();
    world.leases.create({ id: `${prefix}.lock`, owner: 'somebody who died' });

    world.start();
    await settled(world);

    await finish(world);
  });

  test('[S34] a lease that is there twice stops nobody; one of the two counts, and it is told', async () => {
    const { world, hosts } = await makeScene({ partitionKeyPath: '/partitionKey' });
    const lease = world.leases.read(`${prefix}..1`);
    if (lease === undefined) throw new Error('there is a lease 1');

    world.oracle.doubled('1');
    world.leases.create({ ...lease.body, id: lease.id, partitionKey: '3f2504e0-4f89-11d3-9a0c-0305e82c3301' });
    writeMany(world, 60);
    await world.runUntil(() => world.oracle.owed().length === 0, 300_000);
    await world.run(100_000);

    expect(world.oracle.owed()).toEqual([]);
    expect(hosts.some((host) => problems(host).includes('duplicate-lease'))).toBe(true);
    expect(world.violations).toEqual([]);
  });

  test('[S35] a position that somebody sets back by hand is put forward again, and it is told', async () => {
    const { world, hosts } = await makeScene();
    const changes = writeMany(world, 40);
    await settled(world);
    const lease = leases(world).find(({ lsn }) => (lsn ?? 0) > 3);
    const document = lease && world.leases.read(lease.id);
    if (lease === undefined || document === undefined) throw new Error('some lease has come far');

    world.oracle.isTampered = true;
    world.leases.replace(document, { ...document.body, ContinuationToken: '"1"' });
    await world.run(60_000);
    world.oracle.isTampered = false;

    expect(leaseOf(world, lease.token).lsn).toBe(lease.lsn);
    expect(hosts.some((host) => problems(host).includes('lease-edited'))).toBe(true);
    expect(changes.every((change) => world.oracle.deliveriesOf(change) === 1)).toBe(true);
    await finish(world);
  });

  test('[S37] ten hosts that start together on 100 ranges settle within two ticks with few writes', async () => {
    const world = makeWorld({ ranges: 100 });
    for (let i = 0; i < 10; i += 1) world.start();

    await world.runUntil(() => world.alive.every((host) => ownedBy(world, host).length === 10), 60_000, 100);
    const creations = 100;

    expect(world.alive.map((host) => ownedBy(world, host).length)).toEqual(Array.from({ length: 10 }, () => 10));
    expect(world.nowMs).toBeLessThan(2 * world.settings.lease.acquireMs + 5000);
    expect(leaseWrites(world) - creations).toBeLessThanOrEqual(120);
    await finish(world);
  });

  test('[S38] from one host to fifty and back: each range has an owner, the others idle', async () => {
    const { world } = await makeScene({ hosts: 1, ranges: 8 });
    const guests = Array.from({ length: 49 }, () => world.start());
    writeMany(world, 60);
    await balanced(world);
    expect(world.alive.every((host) => ownedBy(world, host).length <= 1)).toBe(true);

    for (const guest of guests) void world.stop(guest);
    await world.runUntil(() => world.alive.length === 1, 120_000);
    writeMany(world, 60, 20, 'after');

    await finish(world);
    expect(repeated(world)).toEqual([]);
  });

  test('[S39] a rolling deploy with new names hands every range over: nothing comes twice', async () => {
    const { world, hosts } = await makeScene({ hosts: 3, ranges: 6 });
    for (let i = 0; i < 200; i += 1) world.schedule.after(i * 1000, () => world.write(`k${i % 20}`, `d${i}`));

    for (const host of hosts) {
      world.start();
      await world.run(30_000);
      await world.until(world.stop(host));
      await world.run(20_000);
    }

    await finish(world);
    expect(repeated(world)).toEqual([]);
  });

  test('[S39] a rolling deploy with the same names moves no range', async () => {
    const { world, hosts } = await makeScene({ hosts: 3, ranges: 6 });
    await balanced(world);
    const owners = leases(world).map(({ token, owner }) => `${token} ${owner}`);

    for (const host of hosts) {
      const stop = host.program?.stop as (options: object) => Promise<void>;
      host.state = 'stopping';
      await world.until(stop.call(host.program, { drainMs: 10_000, keepLeases: true }));
      host.state = 'ended';
      world.start(host.instance);
      await world.run(20_000);
    }

    await balanced(world);
    expect(leases(world).map(({ token, owner }) => `${token} ${owner}`)).toEqual(owners);
    await finish(world);
  });

  test('[S40] a range moves while its owner is in a batch: with a hand over nothing comes twice', async () => {
    const { world } = await makeScene({
      hosts: 1,
      ranges: 4,
      handler: async (_, __, { ground }) => ground.clock.sleep(3000),
    });
    const [change] = writeMany(world, 80);
    await world.runUntil(() => change !== undefined && isRunning(world, change), 60_000, 50);

    world.start();
    await balanced(world);

    expect(repeated(world)).toEqual([]);
    expect(world.alive.every((host) => ownedBy(world, host).length === 2)).toBe(true);
    await finish(world);
  });

  test('[S40] without hand over the robbed host is aborted, and what was in flight comes again', async () => {
    const { world, hosts } = await makeScene({
      hosts: 1,
      ranges: 4,
      lease: { handoffMs: 0 },
      handler: async (_, context, { ground }) => ground.clock.sleep(8000, context.signal),
    });
    writeMany(world, 80);
    await world.run(2000);

    world.start();
    await balanced(world);

    expect(closings(hosts[0] as (typeof hosts)[0])).toContain('lease-lost');
    await finish(world);
  });

  test('[S41] who should get a range dies, who has it dies, or both: no range is orphaned', async () => {
    for (const dying of ['owner', 'newcomer', 'both'] as const) {
      const { world, hosts } = await makeScene({
        hosts: 2,
        ranges: 6,
        handler: async (_, __, { ground }) => ground.clock.sleep(2000),
      });
      writeMany(world, 100);
      await world.run(1000);
      const newcomer = world.start();
      await world.runUntil(() => hosts.some((host) => closings(host).includes('handed-over')), 60_000, 5);
      const [owner] = hosts;

      if (dying !== 'newcomer' && owner !== undefined) world.kill(owner);
      if (dying !== 'owner') world.kill(newcomer);

      await finish(world);
    }
  });

  test('[S42] a pause during a batch: what is in flight finishes and is stored, nobody reads, and it resumes exactly there', async () => {
    const { world, hosts } = await makeScene({ handler: async (_, __, { ground }) => ground.clock.sleep(500) });
    const first = writeMany(world, 20);
    await world.run(700);
    const [host, other] = hosts;
    if (host?.program?.pause === undefined || other === undefined) throw new Error('it can be paused');

    await world.until(host.program.pause());
    await world.run(30_000);
    const delivered = world.oracle.deliveries.length;
    const later = writeMany(world, 20, 20, 'later');
    await world.run(60_000);
    expect(world.oracle.deliveries.length).toBe(delivered);
    expect(later.every((change) => world.oracle.deliveriesOf(change) === 0)).toBe(true);

    world.kill(other);
    await world.until(host.program.resume?.() ?? Promise.resolve());
    await settled(world);
    expect(first.every((change) => world.oracle.deliveriesOf(change) === 1)).toBe(true);
    await finish(world);
  });

  test('[F18] where leases can be watched, a range that is let go is taken at once and not at the next tick', async () => {
    const { world, hosts } = await makeScene({ hosts: 2 });
    await balanced(world);
    const [leaving, staying] = hosts;
    if (leaving === undefined || staying === undefined) throw new Error('there are two');

    await world.until(world.stop(leaving));
    const stoppedMs = world.nowMs;
    await world.runUntil(() => staying.events.filter(({ type }) => type === 'range.opened').length >= 4, 60_000, 20);

    expect(world.nowMs - stoppedMs).toBeLessThan(world.settings.lease.acquireMs / 4);
    await finish(world);
  });

  test('[S44] a restart after a start from now without traffic misses nothing that was written meanwhile', async () => {
    const { world, hosts } = await makeScene({ hosts: 1, base: { start: 'now' } });
    await world.until(world.stop(hosts[0] as (typeof hosts)[0]));

    const changes = writeMany(world, 40);
    await world.run(100_000);
    world.start();

    await finish(world);
    expect(changes.every((change) => world.oracle.deliveriesOf(change) === 1)).toBe(true);
  });

  test('[S45] what is written when start() has returned is delivered', async () => {
    const world = makeWorld({ base: { start: 'now' } });
    const host = world.start();
    await world.runUntil(() => host.state === 'running', 60_000, 0.5);

    const changes = writeMany(world, 40);

    await finish(world);
    expect(changes.every((change) => world.oracle.deliveriesOf(change) === 1)).toBe(true);
  });

  test('[S46] two hosts with different starts: the first one counts, the second is told', async () => {
    const world = makeWorld({
      settingsOf: (settings, index) => ({ ...settings, start: index === 0 ? 'beginning' : 'now' }),
    });
    writeMany(world, 40);
    world.start();
    await world.run(5000);
    const second = world.start();
    await world.runUntil(() => second.state === 'running', 60_000);

    await finish(world);
    expect(problems(second)).toContain('start-differs');
    expect(world.container.changes.every((change) => world.oracle.isResolved(change))).toBe(true);
  });

  test('[S47] a group keeps its mode: a host with the other one is refused', async () => {
    const world = makeWorld({
      settingsOf: (settings, index) => ({ ...settings, mode: index === 0 ? 'latest' : 'all-versions' }),
    });
    world.start();
    await settled(world);

    const other = world.start();
    await world.run(10_000);

    expect(other.startError).toMatchObject({ code: 'mode-mismatch' });
    await finish(world);
  });

  test('[S48] a range that was idle for days has a position of today', async () => {
    const { world } = await makeScene({ ranges: 1, hosts: 1 });
    world.write('k1', 'one');
    for (let i = 0; i < 50; i += 1) world.remove('k1', 'one');
    for (let i = 0; i < 100; i += 1) {
      world.write('k1', 'passing');
      world.remove('k1', 'passing');
    }
    await world.run(3 * 24 * 3600_000);

    expect(leaseOf(world, '0').lsn).toBe(world.container.ranges[0]?.tailLsn);
    await finish(world);
  });

  test('[S49] an empty feed whose LSN moves is not behind', async () => {
    const { world } = await makeScene({ ranges: 1, hosts: 1 });
    for (let i = 0; i < 20; i += 1) {
      world.write('k1', 'passing');
      world.remove('k1', 'passing');
      await world.run(40_000);
    }

    expect(leaseOf(world, '0').lsn).toBe(world.container.ranges[0]?.tailLsn);
    await finish(world);
  });

  test('[S51] a hot key keeps its order and does not slow the others, with 64 lanes', async () => {
    const { world } = await makeScene({
      ranges: 1,
      hosts: 1,
      pump: { lanes: 64, itemsMax: 50, readAheadPages: 8 },
      handler: async (_, __, { ground }) => ground.clock.sleep(50),
    });
    for (let i = 0; i < 300; i += 1) world.write(i % 20 === 0 ? `cold${i}` : 'hot', `d${i}`);
    await settled(world);

    await finish(world);
  });

  test('[S52] a slow key holds the position back; after a crash only what was unfinished comes again', async () => {
    const { world, hosts } = await makeScene({
      ranges: 1,
      hosts: 1,
      pump: { lanes: 8, itemsMax: 20, readAheadPages: 4 },
      handler: async (values, context, { ground }) => {
        const isSlow = values.some((value) => (value as { readonly id: string }).id === 'slow');
        await ground.clock.sleep(isSlow ? 50_000 : 5, context.signal);
      },
    });
    world.write('snail', 'slow');
    const changes = writeMany(world, 30);
    await world.run(30_000);
    expect(leaseOf(world, '0').lsn ?? 0).toBeLessThan(changes.at(-1)?.lsn ?? 0);

    world.kill(hosts[0] as (typeof hosts)[0]);
    world.start();
    await settled(world);

    expect(repeated(world).map(({ id }) => id)).toEqual(['slow']);
    await finish(world);
  });

  test('[S1] the leases of a host that is killed at rest have new owners in time [I7]', async () => {
    const { world, hosts } = await makeScene({ hosts: 4, ranges: 12 });
    await balanced(world);
    const [victim] = hosts;
    if (victim === undefined) throw new Error('there are four');

    world.kill(victim);
    await checkTakeover(world, victim);

    expect(world.alive.flatMap(acquisitions)).toContain('expired');
    const change = world.write('k1', 'only');
    await settled(world);
    expect(hostOf(world, leaseOfChange(world, change)).id).not.toBe(victim.id);
    expect(epochs(world)).not.toContain(victim.instance);
    await finish(world);
  });
});
