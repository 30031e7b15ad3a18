// Hosts of this library and hosts with the rules of .NET in one lease container (processor.md 1.2, 1.5).

import type { WorldHost } from '@tidemark/processor/testing';
import { World, worldSettings } from '@tidemark/processor/testing';
import { describe, expect, test } from 'vitest';
import { dotnetProgram } from '../dotnet-program.ts';
import { realProgram } from '../program.ts';
import { createOldLeases } from '../run-plan.ts';
import { leases, ownedBy, writeMany } from './scene.ts';

describe('hosts of .NET', () => {
  test('[S57] share the ranges with ours, and survive kills both ways', async () => {
    for (const dying of ['ours', 'theirs'] as const) {
      const world = makeMixedWorld();
      const ours = world.start('ours');
      const theirs = world.start('net');
      writeMany(world, 60);
      await world.runUntil(() => [ours, theirs].every((host) => ownedBy(world, host).length === 3), 900_000, 1000);
      expect(ownedBy(world, ours).length).toBe(3);

      world.kill(dying === 'ours' ? ours : theirs);
      writeMany(world, 60, 20, 'after');
      const survivor = dying === 'ours' ? theirs : ours;
      await world.runUntil(
        () => ownedBy(world, survivor).length === 6 && world.oracle.owed().length === 0,
        900_000,
        1000,
      );

      expect(ownedBy(world, survivor).length).toBe(6);
      expect(world.oracle.owed()).toEqual([]);
      expect(serious(world)).toEqual([]);
    }
  });

  test('[S57] keep our properties, and rewrite the rest without harm', async () => {
    const world = makeMixedWorld();
    const ours = world.start('ours');
    await world.runUntil(() => ownedBy(world, ours).length === 6, 100_000, 500);
    const epoch = leases(world)[0]?.epoch ?? 0;

    world.start('net');
    await world.runUntil(() => leases(world).some(({ owner }) => owner === 'net'), 900_000, 1000);
    const taken = leases(world).find(({ owner }) => owner === 'net');

    expect(taken?.epoch).toBeGreaterThanOrEqual(epoch);
    expect(taken?.instance).toBe('ours');
    writeMany(world, 30);
    await world.runUntil(() => world.oracle.owed().length === 0, 300_000);
    expect(world.oracle.owed()).toEqual([]);
  });

  test('[S58] documents of version 2 become ours, and version 2 reads ours again', async () => {
    const world = makeMixedWorld();
    createOldLeases(world);
    writeMany(world, 30);

    await handled(world, world.start('net'));
    await handled(world, world.start('ours'));
    await handled(world, world.start('net'));

    expect(serious(world)).toEqual([]);
    const changes = world.container.changes.filter((change) => world.oracle.deliveriesOf(change) > 1);
    expect(changes).toEqual([]);
  });
});

/** It takes everything, delivers what is new, and stops. */
async function handled(world: World, host: WorldHost): Promise<void> {
  writeMany(world, 20, 20, `for-${world.hosts.length}-`);
  await world.runUntil(() => ownedBy(world, host).length === 6 && world.oracle.owed().length === 0, 600_000, 500);
  expect(world.oracle.owed()).toEqual([]);
  await world.run(20_000);
  await world.until(world.stop(host));
}

function makeMixedWorld(): World {
  const real = realProgram();
  const world: World = new World({
    seed: expect.getState().currentTestName ?? 'mixed',
    ranges: 6,
    canWait: false,
    program: (equipment, settings) =>
      equipment.instance.startsWith('net') ? dotnetProgram(worldSettings)(equipment) : real(equipment, settings),
  });
  world.oracle.requiredFrom = 0;
  return world;
}

/** A host of .NET steals, and repeats what was in flight: only lost changes and positions that go back would be ours to mend. */
function serious(world: World): readonly string[] {
  return world.violations
    .filter(({ invariant }) => ['I1', 'I2', 'I5'].includes(invariant))
    .map(({ message }) => message);
}
