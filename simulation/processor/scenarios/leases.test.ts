// Leases that end, are deleted, or are there beside each other: no change is lost with them.

import type { World } from '@tidemark/processor/testing';
import { describe, expect, test } from 'vitest';
import { finish, hostOf, leaseOf, leaseOfChange, leases, makeScene, problems, settled, writeMany } from './scene.ts';

const prefix = 'groupworld.example_d1==_d1c1==';

/** Somebody with access to the lease container removes a lease. */
function deleteLease(world: World, token: string): void {
  const lease = world.leases.read(`${prefix}..${token}`);
  if (lease === undefined) throw new Error(`there is no lease ${token}`);
  world.oracle.bearHoles(400_000);
  world.leases.remove(lease);
}

function noteOf(world: World, token: string): Readonly<Record<string, unknown>> | undefined {
  return world.leases.read(`${prefix}.x.position.${token}`)?.body;
}

function tokens(world: World): readonly string[] {
  return leases(world)
    .map(({ token }) => token)
    .sort();
}

describe('leases that share their keys', () => {
  test('[I6] [S21] two leases of the same keys whose range splits do not end because of each other', async () => {
    // Worlds in which both owners look before either has ended its lease.
    for (const round of [5, 6, 9]) {
      const { world } = await makeScene({
        seed: `two leases ${round}`,
        ranges: 2,
        base: { mode: 'all-versions', start: 'now' },
      });
      writeMany(world, 40);
      await settled(world);
      const former = world.leases.read(`${prefix}..0`);
      if (former === undefined) throw new Error('there is a lease 0');
      const merged = world.merge('0');
      await settled(world);
      const successor = tokens(world)[0] ?? '';
      await Promise.all(world.alive.map((host) => world.until(world.stop(host))));

      // Its tombstone was never written; the keys that it and its successor both have are split while nobody runs.
      world.leases.create({ ...former.body, id: former.id, Owner: null });
      const [low] = world.split(merged?.id ?? '') ?? [];
      world.split(low?.id ?? '');
      const later = writeMany(world, 40, 20, 'later');
      const heal = world.faults.begin({ kind: 'slow', port: 'store' });
      for (let i = 0; i < 2; i += 1) world.start();
      await world.runUntil(() => !tokens(world).some((token) => token === '0' || token === successor), 300_000);
      heal();

      await finish(world);
      expect(later.every((change) => world.oracle.isResolved(change))).toBe(true);
    }
  });
});

describe('leases that somebody deletes', () => {
  test('[S32] [I1] a successor of a split that is deleted in its first moment is made again where its parent was', async () => {
    const { world } = await makeScene({ ranges: 1, base: { mode: 'all-versions', start: 'now' } });
    writeMany(world, 40);
    await settled(world);

    world.split('0');
    await world.runUntil(() => tokens(world).join() === '1,2' && noteOf(world, '0') === undefined, 60_000, 0.5);
    // Nobody lives to write down where it was.
    for (const host of world.alive) world.kill(host);
    deleteLease(world, '1');
    const later = writeMany(world, 40, 20, 'later');
    world.start();

    await finish(world);
    expect(tokens(world)).toEqual(['1', '2']);
    expect(later.every((change) => world.oracle.isResolved(change))).toBe(true);
  });

  test('[S32] [I1] a split that is finished by another host leaves no successor without a note', async () => {
    const { world } = await makeScene({ ranges: 1, base: { mode: 'all-versions', start: 'now' } });
    writeMany(world, 40);
    await settled(world);
    const owner = hostOf(world, leaseOf(world, '0'));

    world.split('0');
    await world.runUntil(() => leases(world).length > 1, 60_000, 0.2);
    world.kill(owner);
    await world.runUntil(() => !tokens(world).includes('0') && noteOf(world, '0') === undefined, 300_000, 0.5);
    for (const host of world.alive) world.kill(host);
    deleteLease(world, '1');
    const later = writeMany(world, 40, 20, 'later');
    world.start();

    await finish(world);
    expect(later.every((change) => world.oracle.isResolved(change))).toBe(true);
  });

  test('[S32] [I1] a lease that is deleted before anybody has had it begins again where it was', async () => {
    const { world, hosts } = await makeScene({ hosts: 1, base: { mode: 'all-versions', start: 'now' } });
    const [first] = hosts;
    if (first === undefined) throw new Error('there is one');
    for (const token of ['0', '1', '2', '3']) expect(noteOf(world, token)).toBeDefined();

    // Leases are free for a moment only, so the note of the beginning is looked at, not the moment hit.
    const noted = world.leases.journal.findIndex(({ name }) => name === `${prefix}.x.position.0`);
    const made = world.leases.journal.findIndex(({ name }) => name === `${prefix}..0`);
    expect(noted).toBeGreaterThanOrEqual(0);
    expect(noted).toBeLessThan(made);
    await finish(world);
  });

  test('[S32] [I4] a lease that is made again goes on in later epochs, and so do the notes beside it', async () => {
    const { world } = await makeScene();
    writeMany(world, 40);
    await settled(world);
    const guest = world.start();
    await world.run(30_000);
    await world.until(world.stop(guest));
    await world.run(100_000);
    const lease = [...leases(world)].sort((a, b) => (b.epoch ?? 0) - (a.epoch ?? 0))[0];
    if (lease === undefined) throw new Error('some lease has moved');
    expect(lease.epoch).toBeGreaterThan(1);

    for (let i = 0; i < 2; i += 1) {
      const before = leaseOf(world, lease.token).epoch ?? 0;
      const deletedMs = world.nowMs;
      deleteLease(world, lease.token);
      await world.run(1000);
      await settled(world);
      expect(leaseOf(world, lease.token).epoch).toBeGreaterThan(before);
      writeMany(world, 40, 20, `round ${i} `);
      await settled(world);
      await world.run(120_000);
      expect(noteOf(world, lease.token)).toMatchObject({ position: leaseOf(world, lease.token).position });
      expect(world.nowMs).toBeGreaterThan(deletedMs);
    }
    await finish(world);
  });

  test('[S32] [I5] a lease that is made again over a tombstone keeps its epoch and the later position', async () => {
    const { world } = await makeScene({ hosts: 1 });
    world.leases.forbidden.add('remove');
    writeMany(world, 40);
    await settled(world);
    await world.run(100_000);
    writeMany(world, 40, 20, 'later');
    await settled(world);
    const before = leaseOf(world, '1');
    const lease = world.leases.read(`${prefix}..1`);
    if (lease === undefined) throw new Error('there is a lease 1');
    expect(noteOf(world, '1')?.['position']).not.toBe(before.position);

    // As a copy is buried whose other document is then deleted.
    world.oracle.bearHoles(400_000);
    const properties = { ...(lease.body['properties'] as object), 'tidemark.gone': '' };
    world.leases.replace(lease, { ...lease.body, Owner: null, properties });
    await world.runUntil(() => tokens(world).includes('1'), 300_000, 1);

    expect(leaseOf(world, '1')).toMatchObject({ epoch: (before.epoch ?? 0) + 1, position: before.position });
    await finish(world);
  });

  test('[S32] [I4] a lease whose owner cannot hear that it was deleted is not made again while that owner may deliver', async () => {
    const { world, hosts } = await makeScene({ handler: async (_, __, { ground }) => ground.clock.sleep(100) });
    await world.run(60_000);
    const change = world.write('k1', 'first');
    await settled(world);
    const { token } = leaseOfChange(world, change);
    const cutOff = hostOf(world, leaseOfChange(world, change));
    for (let i = 0; i < 100; i += 1) world.schedule.after(i * 1000, () => world.write('k1', `d${i}`));

    const heal = world.faults.begin({ kind: 'partition-store' }, cutOff);
    await world.run(1000);
    deleteLease(world, token);
    const deletedMs = world.nowMs;
    await world.runUntil(() => tokens(world).includes(token), 300_000, 10);

    expect(world.nowMs - deletedMs).toBeGreaterThanOrEqual(world.settings.lease.expirationMs);
    const last = world.oracle.deliveries.filter(({ actor }) => actor.id === cutOff.id).at(-1);
    expect(last?.beganMs).toBeGreaterThan(deletedMs);
    expect(last?.beganMs).toBeLessThan(world.nowMs);
    heal();
    await finish(world);
    expect(hosts.some((host) => problems(host).includes('lease-deleted'))).toBe(true);
  });

  test('[S32] [I4] a lease that is deleted again as soon as it is made again is not made a third time at once', async () => {
    const { world } = await makeScene({ ranges: 2 });
    writeMany(world, 40);
    await settled(world);
    const remade = async (): Promise<number> => {
      deleteLease(world, '0');
      const deletedMs = world.nowMs;
      await world.runUntil(() => tokens(world).includes('0') && leaseOf(world, '0').owner !== undefined, 300_000, 0.5);
      return world.nowMs - deletedMs;
    };

    await remade();
    // Whoever has it by now may hold it for as long as a lease holds.
    for (let i = 0; i < 3; i += 1) expect(await remade()).toBeGreaterThanOrEqual(world.settings.lease.expirationMs);

    await finish(world);
  });

  test.each(['fail', 'from-now'] as const)(
    '[S32] [I1] a busy range, whose lease is written with every checkpoint, has a note of its position (%s)',
    async (onPositionRefused) => {
      const base = { mode: 'all-versions', start: 'now', onPositionRefused } as const;
      const { world, hosts } = await makeScene({ hosts: 1, ranges: 1, retentionMs: 600_000, base });
      // Longer than versions are kept.
      for (let i = 0; i < 180; i += 1) {
        world.write(`k${i % 7}`, `d${i}`);
        await world.run(5_000);
      }
      for (const host of hosts) world.kill(host);
      deleteLease(world, '0');
      const owed = writeMany(world, 10, 20, 'owed');
      await world.run(20_000);
      world.start();

      await finish(world);
      expect(owed.every((change) => world.oracle.isResolved(change))).toBe(true);
    },
  );

  test('[S23] [S32] a position that was set anew is noted before it is set', async () => {
    const base = { mode: 'all-versions', start: 'now', onPositionRefused: 'from-now' } as const;
    const { world, hosts } = await makeScene({ hosts: 1, ranges: 1, retentionMs: 100_000, base });
    writeMany(world, 5);
    await world.run(80_000);
    for (const host of hosts) world.kill(host);
    writeMany(world, 10);
    await world.run(300_000);
    // What is gone from the history is owed by nobody.
    world.oracle.requiredFrom = world.container.changes.length;
    const refused = leaseOf(world, '0').position;
    const second = world.start();
    await world.runUntil(() => leaseOf(world, '0').position !== refused, 200_000, 0.5);

    expect(noteOf(world, '0')).toMatchObject({ position: leaseOf(world, '0').position });
    world.kill(second);
    deleteLease(world, '0');
    const owed = writeMany(world, 10, 20, 'owed');
    await world.run(2_000);
    world.start();
    await finish(world);
    expect(owed.every((change) => world.oracle.isResolved(change))).toBe(true);
  });

  test('[S15] [S32] the note of a parent goes after its lease, and that after the notes and leases of its successors', async () => {
    const { world } = await makeScene({ ranges: 1, base: { mode: 'all-versions', start: 'now' } });
    writeMany(world, 40);
    await settled(world);
    expect(noteOf(world, '0')).toBeDefined();
    world.split('0');
    await world.runUntil(() => noteOf(world, '0') === undefined, 60_000, 0.5);

    const { journal } = world.leases;
    const made = (name: string): number =>
      journal.findIndex((entry) => entry.name === name && entry.before === undefined);
    const removed = (name: string): number =>
      journal.findIndex((entry) => entry.name === name && entry.after === undefined);
    for (const successor of ['1', '2']) {
      expect(made(`${prefix}.x.position.${successor}`)).toBeLessThan(made(`${prefix}..${successor}`));
      expect(made(`${prefix}..${successor}`)).toBeLessThan(removed(`${prefix}..0`));
    }
    expect(removed(`${prefix}..0`)).toBeLessThan(removed(`${prefix}.x.position.0`));
    await finish(world);
  });
});
