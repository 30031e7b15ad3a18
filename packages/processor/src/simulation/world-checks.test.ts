// What the checks of whole runs forgive, and the nearest thing that they must not forgive.

import { expect, test } from 'vitest';
import { World } from './world.ts';
import { checkTakeover } from './world-checks.ts';
import type { WorldHost } from './world-host.ts';

interface Lease {
  readonly token: string;
  readonly keys: readonly [min: string, max: string];
  readonly owner: WorldHost | undefined;
  readonly epoch: number;
  readonly by: WorldHost;
}

/** Hosts that do nothing: a test writes their leases. */
function makeWorld(): World {
  const world = new World({
    seed: 1,
    program: () => ({ start: async () => undefined, stop: async () => undefined }),
    ranges: 2,
  });
  world.oracle.isTampered = true;
  return world;
}

function write(world: World, { token, keys: [min, max], owner, epoch, by }: Lease): void {
  const id = `group..${token}`;
  const body = {
    id,
    LeaseToken: token,
    FeedRange: { Range: { min, max } },
    Owner: owner?.instance ?? null,
    ContinuationToken: null,
    properties: {
      'tidemark.epoch': String(epoch),
      'tidemark.instance': by.instance,
      'tidemark.nonce': `nonce ${by.id}`,
    },
  };
  const stored = world.leases.read(id);
  if (stored === undefined) world.leases.create(body, by.id);
  else world.leases.replace(stored, body, by.id);
}

function remove(world: World, token: string, by: WorldHost): void {
  const stored = world.leases.read(`group..${token}`);
  if (stored !== undefined) world.leases.remove(stored, by.id);
}

const [low, high, all] = [
  ['', '2000'],
  ['2000', 'FF'],
  ['', 'FF'],
] as const;

const afterwards: Readonly<
  Record<string, readonly [act: (world: World, victim: WorldHost, other: WorldHost) => void, string[]]>
> = {
  'was taken by another': [
    (world, _, other) => write(world, { token: '0', keys: low, owner: other, epoch: 4, by: other }),
    [],
  ],
  'nobody takes': [() => {}, ['I7']],
  'was taken by another and merged': [
    (world, _, other) => {
      remove(world, '0', other);
      remove(world, '1', other);
      write(world, { token: '2', keys: all, owner: other, epoch: 1, by: other });
    },
    [],
  ],
  'was taken and split, and half of it belongs to nobody': [
    (world, _, other) => {
      remove(world, '0', other);
      write(world, { token: '2', keys: ['', '1000'], owner: other, epoch: 1, by: other });
      write(world, { token: '3', keys: ['1000', '2000'], owner: undefined, epoch: 1, by: other });
    },
    ['I7'],
  ],
  'is gone, and half of its keys have no lease': [
    (world, _, other) => {
      remove(world, '0', other);
      write(world, { token: '2', keys: ['', '1000'], owner: other, epoch: 1, by: other });
    },
    ['I7'],
  ],
  'was split by the last write of the dead, to itself': [
    (world, victim, other) => {
      remove(world, '0', other);
      write(world, { token: '2', keys: low, owner: victim, epoch: 4, by: victim });
    },
    ['I7'],
  ],
};

test.each(Object.entries(afterwards))('[I7] a lease of a killed host %s', async (_, [act, reports]) => {
  const world = makeWorld();
  const [victim, other] = [world.start('v'), world.start('o')];
  await world.run(1000);
  write(world, { token: '0', keys: low, owner: victim, epoch: 3, by: victim });
  write(world, { token: '1', keys: high, owner: other, epoch: 3, by: other });

  world.kill(victim);
  world.schedule.after(5000, () => act(world, victim, other));
  await checkTakeover(world, victim);

  expect(world.violations.map(({ invariant }) => invariant)).toEqual(reports);
});

test.each([
  ['of its living namesake is not its own', true, []],
  ['of its own must be taken from it, although a namesake lives', false, ['I7']],
])('[I7] a lease in the name of a killed host: one %s', async (_, isNamesakes, reports) => {
  const world = makeWorld();
  const victim = world.start('v');
  const namesake = world.start('v');
  await world.run(1000);
  write(world, { token: '1', keys: high, owner: victim, epoch: 3, by: victim });
  write(world, { token: '0', keys: low, owner: victim, epoch: 3, by: isNamesakes ? namesake : victim });
  write(world, { token: '1', keys: high, owner: namesake, epoch: 4, by: namesake });

  world.kill(victim);
  await checkTakeover(world, victim);

  expect(world.violations.map(({ invariant }) => invariant)).toEqual(reports);
});
