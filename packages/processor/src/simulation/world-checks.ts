// Invariants of a whole run: what holds when faults are off and hosts have had time (I1, I6, I7, I9, I12).

import type { KeyRange } from '@tidemark/model';
import { compareHex, intersectKeyRanges } from '@tidemark/model';
import { describe } from './delivery.ts';
import type { LeaseFacts } from './lease-facts.ts';
import { leaseFactsOf } from './lease-facts.ts';
import { overlapsIn } from './lease-histories.ts';
import type { World } from './world.ts';
import type { WorldHost } from './world-host.ts';

/** Why the world is not at rest; undefined when it is: everything delivered, every lease held by a host that runs, positions at the end. */
export function unrestOf(world: World): string | undefined {
  const owed = world.oracle.owed();
  if (owed.length > 0)
    return `${owed.length} changes are not acknowledged, the first: ${describe(owed[0] as (typeof owed)[0])}`;
  if (!world.oracle.isTiled())
    return `the leases do not tile the key space: ${describeLeases(world.oracle.liveLeases())}`;
  const running = new Set(world.alive.filter((host) => host.state === 'running').map((host) => host.instance));
  for (const lease of world.oracle.liveLeases()) {
    if (lease.owner === undefined || !running.has(lease.owner))
      return `lease ${lease.token} belongs to ${lease.owner}, who does not run`;
    const ranges = lease.keys === undefined ? [] : world.container.rangesOf(lease.keys);
    if (ranges.length !== 1) return `lease ${lease.token} is for ${ranges.length} ranges`;
    const tailLsn = ranges[0]?.tailLsn ?? 0;
    if (tailLsn > 0 && lease.lsn !== tailLsn)
      return `lease ${lease.token} stands at ${lease.position}, its range at "${tailLsn}"`;
  }
  const tombstones = tombstonesOf(world);
  if (tombstones.length > 0 && !world.leases.forbidden.has('remove'))
    return `lease ${tombstones[0]?.token} is a tombstone that nobody removes`;
  return undefined;
}

function tombstonesOf(world: World): readonly LeaseFacts[] {
  return world.leases
    .list('')
    .map(leaseFactsOf)
    .filter((lease): lease is LeaseFacts => lease?.isTombstone === true);
}

/** Runs until the world is at rest; I1 or I9 is broken when it is not within `limitMs`. */
export async function comeToRest(world: World, limitMs: number): Promise<boolean> {
  const isAtRest = await world.runUntil(() => unrestOf(world) === undefined, limitMs, 2000);
  if (!isAtRest && world.violations.length === 0) {
    const unrest = unrestOf(world) ?? '';
    const isGap = world.oracle.owed().length > 0;
    world.oracle.report(isGap ? 'I1' : 'I9', `${limitMs} ms after the last fault ${unrest}`);
  }
  for (const [a, b] of isAtRest ? overlapsIn(world.oracle.liveLeases()) : [])
    world.oracle.report('I6', `leases ${a.token} and ${b.token} overlap`);
  return isAtRest;
}

export function describeLeases(leases: readonly LeaseFacts[]): string {
  return leases
    .map(
      (lease) =>
        `${lease.token}[${lease.keys?.min}-${lease.keys?.max}] ${lease.owner ?? 'free'}/${lease.epoch ?? '-'} at ${lease.position ?? 'start'}`,
    )
    .join(', ');
}

/**
 * I7: what a killed host held has another epoch within expiration, one tick and one request; counted from its last sign of life, which a
 * request that was under way when it died can be. Keys whose lease has gone meanwhile, by a split or a merge, are judged by the leases that
 * have them now. What belongs to a living namesake of the dead is not looked at.
 */
export async function checkTakeover(world: World, victim: WorldHost): Promise<void> {
  const isVictims = ownershipOf(world, victim);
  const held = world.oracle.liveLeases().filter(isVictims);
  const { expirationMs, acquireMs } = world.settings.lease;
  const boundMs = expirationMs + 1.25 * acquireMs + 2 * world.network.times.requestMsMax;
  const isTaken = (): boolean => {
    const now = world.oracle.liveLeases();
    return held.every(({ token, epoch = 0, keys }) => {
      const same = now.find((lease) => lease.token === token);
      if (same !== undefined) return (same.epoch ?? 0) > epoch;
      const owned = now.filter((lease) => lease.owner !== undefined && !isVictims(lease));
      return keys !== undefined && areCovered(keys, owned);
    });
  };
  const killedMs = world.nowMs;
  const lastSignMs = (): number =>
    world.leases.journal.reduce(
      (at, { writer, timeMs }) => (writer === victim.id ? Math.max(at, timeMs) : at),
      killedMs,
    );
  for (let endMs = killedMs; !isTaken(); ) {
    endMs = lastSignMs() + boundMs;
    if (world.nowMs >= endMs || world.violations.length > 0) break;
    await world.runUntil(isTaken, endMs - world.nowMs, 250);
  }
  if (!isTaken() && world.violations.length === 0)
    world.oracle.report(
      'I7',
      `${boundMs} ms after the last sign of ${victim.id}, which was killed, leases of it have no new owner: ${describeLeases(world.oracle.liveLeases())}`,
    );
}

/** Which leases are a host's. A process of the same name has another nonce, and of its own a host has written at least one. */
function ownershipOf(world: World, host: WorldHost): (lease: LeaseFacts) => boolean {
  const hasNamesake = world.alive.some((other) => other.instance === host.instance && other.id !== host.id);
  const nonces = new Set(
    world.leases.journal
      .filter(({ writer }) => writer === host.id)
      .map(({ after }) => leaseFactsOf(after))
      .filter((lease) => lease?.owner === host.instance)
      .map((lease) => lease?.nonce),
  );
  return ({ owner, nonce }) => owner === host.instance && (!hasNamesake || nonces.has(nonce));
}

function areCovered(keys: KeyRange, leases: readonly LeaseFacts[]): boolean {
  const parts = leases.flatMap((lease) =>
    lease.keys === undefined ? [] : (intersectKeyRanges(lease.keys, keys) ?? []),
  );
  parts.sort((a, b) => compareHex(a.min, b.min));
  let end = keys.min;
  for (const part of parts) if (part.min <= end && part.max > end) end = part.max;
  return end === keys.max;
}

/** Runs until leases stay where they are for two ticks; I9 is broken when they do not within `limitMs`: hosts push them about. */
export async function comeToBalance(world: World, limitMs: number): Promise<void> {
  // A host that was seen to fail is trusted again after a while, and then gets its share.
  const calmMs = world.settings.lease.expirationMs + 2 * world.settings.lease.acquireMs;
  const endMs = world.nowMs + limitMs;
  for (let before = ''; world.violations.length === 0; ) {
    const now = JSON.stringify([...epochsOf(world)]);
    if (now === before && unrestOf(world) === undefined) return;
    if (world.nowMs > endMs) {
      world.oracle.report('I9', `leases still move ${limitMs} ms after the last fault`);
      return;
    }
    before = now;
    await world.run(calmMs);
  }
}

export interface IdleCosts {
  readonly storeRequests: number;
  readonly feedRequests: number;
  readonly moves: number;
}

/** I9 and I12 of a world at rest: no lease moves, and few requests are made. */
export async function checkIdle(world: World, durationMs: number): Promise<IdleCosts> {
  const epochs = epochsOf(world);
  const before = countsOf(world);
  await world.run(durationMs);
  const after = countsOf(world);
  const costs = {
    storeRequests: after.store - before.store,
    feedRequests: after.feed - before.feed,
    moves: [...epochsOf(world)].filter(([token, epoch]) => epochs.get(token) !== epoch).length,
  };
  if (world.violations.length > 0) return costs;
  if (costs.moves > 0) world.oracle.report('I9', `${costs.moves} leases moved while nothing happened`);
  const hosts = world.alive.length;
  const leases = epochs.size;
  const { lease, pump } = world.settings;
  // Each host: a list each tick and one for each time it is woken, a heartbeat, a watch; each lease: its renewals.
  const writes = (hosts + leases) * (durationMs / lease.renewMs + 2) * 1.5;
  const wakings = Math.min(writes, durationMs / 50) * hosts;
  const storeMax = writes + hosts * 2 * (durationMs / lease.acquireMs + 2) + 2 * wakings;
  if (costs.storeRequests > storeMax)
    world.oracle.report(
      'I12',
      `${costs.storeRequests} requests to the lease store in ${durationMs} ms of rest, ${Math.ceil(storeMax)} are allowed`,
    );
  const feedMax =
    leases * (durationMs / Math.min(pump.waitMs > 0 ? pump.waitMs : pump.pollMs, pump.pollMs) + 4) +
    hosts * (durationMs / lease.acquireMs + 2);
  if (costs.feedRequests > feedMax)
    world.oracle.report(
      'I12',
      `${costs.feedRequests} requests to the feed in ${durationMs} ms of rest, ${Math.ceil(feedMax)} are allowed`,
    );
  return costs;
}

function epochsOf(world: World): Map<string, string> {
  return new Map(world.oracle.liveLeases().map((lease) => [lease.token, `${lease.owner} ${lease.epoch}`]));
}

function countsOf(world: World): { store: number; feed: number } {
  let store = 0;
  let feed = 0;
  for (const [name, count] of world.network.sent) {
    if (name.startsWith('store ')) store += count;
    if (name.startsWith('feed ')) feed += count;
  }
  return { store, feed };
}
