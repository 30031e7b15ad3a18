import { checkTakeover } from '@tidemark/processor/testing';
import { describe, expect, test } from 'vitest';
import {
  closings,
  epochs,
  finish,
  hostOf,
  isRunning,
  leaseOfChange,
  leaseWrites,
  makeScene,
  repeated,
  settled,
  writeMany,
} from './scene.ts';

describe('hosts that crash', () => {
  test('[S1] a host that is killed in a batch: what it had not stored comes again elsewhere, and nothing else', async () => {
    const { world } = await makeScene({ handler: async (_, __, { ground }) => ground.clock.sleep(3000) });
    const changes = writeMany(world, 60);
    const [first] = changes;
    if (first === undefined) throw new Error('nothing was written');
    await world.runUntil(() => isRunning(world, first), 60_000, 50);
    const victim = hostOf(world, leaseOfChange(world, first));
    await world.run(4000);
    const stored = new Map(world.oracle.liveLeases().map(({ token, lsn }) => [token, lsn ?? 0]));

    world.kill(victim);
    await checkTakeover(world, victim);

    await finish(world);
    expect(repeated(world).length).toBeGreaterThan(0);
    for (const change of repeated(world))
      expect(change.lsn).toBeGreaterThan(stored.get(leaseOfChange(world, change).token) ?? 0);
  });

  test('[S2] a host that is killed after the effect and before the checkpoint: the change comes once more', async () => {
    const { world } = await makeScene();
    const change = world.write('k1', 'only');
    const victim = hostOf(world, leaseOfChange(world, change));
    world.faults.begin({ kind: 'lost-request', port: 'store' }, victim);

    await world.runUntil(() => world.oracle.isResolved(change), 60_000, 10);
    world.kill(victim);

    await finish(world);
    expect(world.oracle.deliveriesOf(change)).toBe(2);
  });

  test('[S3] a host that is killed while the answer to its checkpoint is lost: the next one goes on from the new position', async () => {
    const { world } = await makeScene();
    const change = world.write('k1', 'only');
    const lease = leaseOfChange(world, change);
    const victim = hostOf(world, lease);
    world.faults.begin({ kind: 'lost-response', port: 'store' }, victim);

    await world.runUntil(() => (leaseOfChange(world, change).lsn ?? 0) >= change.lsn, 60_000, 10);
    world.kill(victim);

    await finish(world);
    expect(world.oracle.deliveriesOf(change)).toBe(1);
  });

  test('[S4] a host that is frozen in a handler for longer than its lease lives is fenced before it stores anything', async () => {
    const { world } = await makeScene({ handler: async (_, __, { ground }) => ground.clock.sleep(2000) });
    const change = world.write('k1', 'only');
    const frozen = hostOf(world, leaseOfChange(world, change));
    await world.runUntil(() => isRunning(world, change), 60_000, 20);

    world.freeze(frozen);
    await world.runUntil(() => leaseOfChange(world, change).owner !== frozen.instance, 200_000);
    await world.run(10_000);
    const thawedMs = world.nowMs;
    const position = leaseOfChange(world, change).position;
    world.thaw(frozen);
    await world.run(5000);

    expect(leaseWrites(world, thawedMs, frozen.id)).toBe(0);
    expect(leaseOfChange(world, change).position).toBe(position);
    expect(closings(frozen).some((reason) => reason === 'fenced' || reason === 'lease-lost')).toBe(true);
    await finish(world);
  });

  test('[S29] a handler that blocks its process for 90 s is fenced before any acknowledgement is stored', async () => {
    const { world } = await makeScene({ handler: async (_, __, { ground }) => ground.clock.sleep(10) });
    const change = world.write('k1', 'only');
    const blocked = hostOf(world, leaseOfChange(world, change));
    await world.runUntil(() => isRunning(world, change), 60_000, 1);

    world.freeze(blocked);
    await world.run(90_000);
    const resumedMs = world.nowMs;
    world.thaw(blocked);
    await world.run(1000);

    expect(leaseWrites(world, resumedMs, blocked.id)).toBe(0);
    await finish(world);
    expect(world.oracle.deliveriesOf(change)).toBe(2);
  });

  test('[S30] [F5] a second process of the same name takes over with a higher epoch; the first stops itself', async () => {
    const { world, hosts } = await makeScene({ hosts: 1 });
    writeMany(world, 50);
    const [first] = hosts;

    world.start(first?.instance);
    writeMany(world, 50, 20, 'later');
    await world.runUntil(() => first?.state === 'ended', 200_000);

    expect(first?.state).toBe('ended');
    await finish(world);
  });

  test('[S56] a stop with less time than the handler takes: aborted at the deadline, delivered elsewhere', async () => {
    const { world } = await makeScene({
      handler: async (_, context, { ground }) => {
        await ground.clock.sleep(30_000, context.signal);
        context.signal.throwIfAborted();
      },
    });
    const change = world.write('k1', 'only');
    const leaving = hostOf(world, leaseOfChange(world, change));
    await world.runUntil(() => isRunning(world, change), 60_000, 50);

    const beganMs = world.nowMs;
    await world.until(world.stop(leaving, 5000));

    expect(world.nowMs - beganMs).toBeLessThan(7000);
    await settled(world);
    expect(world.oracle.deliveriesOf(change)).toBe(2);
    await finish(world);
  });

  test('[S55] stops at full speed, twice, during a split and before the start has finished return by their deadline', async () => {
    const { world, hosts } = await makeScene({ hosts: 3 });
    writeMany(world, 200);
    const [fast, splitting] = hosts;
    if (fast === undefined || splitting === undefined) throw new Error('there are three');

    await world.run(20);
    const first = world.stop(fast, 10_000);
    void fast.program?.stop({ drainMs: 5000 });
    await world.until(first);
    for (const { id } of world.container.ranges.slice(0, 2)) world.split(id);
    await world.run(5);
    await world.until(world.stop(splitting, 10_000));
    const early = world.start();
    await world.run(3);
    await world.until(world.stop(early, 5000));

    expect(epochs(world)).not.toContain(fast.instance);
    await finish(world);
  });
});
