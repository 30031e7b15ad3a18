// What scenarios have in common: a world with the real processor in its hosts, calm until the test says otherwise.

import type { Change, LeaseFacts, WorldHost, WorldOptions } from '@tidemark/processor/testing';
import { comeToRest, leaseFactsOf, unrestOf, World, worldSettings } from '@tidemark/processor/testing';
import { expect } from 'vitest';
import type { Settings } from '../plan.ts';
import { realProgram } from '../program.ts';

export interface SceneOptions extends Partial<Omit<WorldOptions, 'settings'>> {
  readonly hosts?: number;
  readonly base?: Partial<Settings>;
  readonly lease?: Partial<Settings['lease']>;
  readonly pump?: Partial<Settings['pump']>;
}

export interface Scene {
  readonly world: World;
  readonly hosts: readonly WorldHost[];
}

/** Hosts that have started and share the ranges. */
export async function makeScene(options: SceneOptions = {}): Promise<Scene> {
  const world = makeWorld(options);
  const hosts = Array.from({ length: options.hosts ?? 2 }, () => world.start());
  await settled(world);
  return { world, hosts };
}

export function makeWorld(options: SceneOptions = {}): World {
  const { hosts: _, base, lease, pump, ...rest } = options;
  return new World({
    seed: expect.getState().currentTestName ?? 'scene',
    program: realProgram(),
    ...rest,
    settings: {
      ...worldSettings,
      ...base,
      lease: { ...worldSettings.lease, ...lease },
      pump: { ...worldSettings.pump, ...pump },
    },
  });
}

/** Every change delivered, every range with a host that runs; nobody complains. */
export async function settled(world: World, limitMs = 600_000): Promise<void> {
  await comeToRest(world, limitMs);
  expect(world.violations).toEqual([]);
}

/** Leases stay where they are for a while. */
export async function balanced(world: World): Promise<void> {
  for (let before = ''; ; ) {
    await settled(world);
    const now = leases(world)
      .map(({ token, owner, epoch }) => `${token} ${owner} ${epoch}`)
      .join();
    if (now === before) return;
    before = now;
    await world.run(3 * world.settings.lease.acquireMs);
  }
}

/** The end of every scenario: all comes to rest, all stop cleanly, and no invariant was broken. */
export async function finish(world: World): Promise<void> {
  world.faults.endAll();
  for (const host of world.alive) world.thaw(host);
  if (world.alive.length > 0) await settled(world);
  await Promise.all(world.alive.map((host) => world.until(world.stop(host))));
  expect(world.violations).toEqual([]);
}

/** One change for each: documents of their own, spread over `keys` keys. */
export function writeMany(world: World, count: number, keys = 20, name = 'd'): readonly Change[] {
  return Array.from({ length: count }, (_, i) => world.write(`k${i % keys}`, `${name}${i}`, { kind: 'write' }));
}

export function leases(world: World): readonly LeaseFacts[] {
  return world.oracle.liveLeases();
}

export function leaseOf(world: World, token: string): LeaseFacts {
  const lease = leases(world).find((one) => one.token === token);
  if (lease === undefined) throw new Error(`there is no lease ${token}`);
  return lease;
}

/** The lease that a key belongs to. */
export function leaseOfChange(world: World, change: Change): LeaseFacts {
  const lease = leases(world).find(
    ({ keys }) => keys !== undefined && keys.min <= change.position && change.position < keys.max,
  );
  if (lease === undefined) throw new Error('no lease has this key');
  return lease;
}

export function ownedBy(world: World, host: WorldHost): readonly LeaseFacts[] {
  return leases(world).filter(({ owner }) => owner === host.instance);
}

export function hostOf(world: World, lease: LeaseFacts): WorldHost {
  const host = world.alive.find(({ instance }) => instance === lease.owner);
  if (host === undefined) throw new Error(`nobody runs as ${lease.owner}`);
  return host;
}

export function epochs(world: World): string {
  return leases(world)
    .map(({ token, owner, epoch }) => `${token} ${owner} ${epoch}`)
    .sort()
    .join(', ');
}

export function problems(host: WorldHost): readonly string[] {
  return host.events.flatMap((event) => (event.type === 'health' ? [event.problem] : []));
}

export function closings(host: WorldHost): readonly string[] {
  return host.events.flatMap((event) => (event.type === 'range.closed' ? [event.reason] : []));
}

export function acquisitions(host: WorldHost): readonly string[] {
  return host.events.flatMap((event) => (event.type === 'lease.acquired' ? [event.from] : []));
}

export function timesDelivered(world: World, changes: readonly Change[]): readonly number[] {
  return changes.map((change) => world.oracle.deliveriesOf(change));
}

/** Changes that were delivered more than once. */
export function repeated(world: World): readonly Change[] {
  return world.container.changes.filter((change) => world.oracle.deliveriesOf(change) > 1);
}

/** Swaps of leases by a process from a moment on. */
export function leaseWrites(world: World, sinceMs = 0, writer?: string): number {
  return world.leases.journal.filter(
    (entry) =>
      entry.timeMs >= sinceMs &&
      (writer === undefined ? entry.writer !== undefined : entry.writer === writer) &&
      leaseFactsOf(entry.after ?? entry.before) !== undefined,
  ).length;
}

export function isRunning(world: World, change: Change): boolean {
  return world.oracle.deliveries.some(({ outcome, changes }) => outcome === 'running' && changes.includes(change));
}

export { unrestOf };
