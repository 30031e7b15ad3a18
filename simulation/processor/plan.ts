// Everything that a seed decides, as data: what the shrinker cuts down, and what a run plays.

import type { Fault, FaultKind } from '@tidemark/processor/testing';
import { Chance, drawFaults, FatalError, faultKinds, worldSettings } from '@tidemark/processor/testing';
import type { PlannedTurn } from './knots.ts';
import { drawKnots, successionKnots } from './knots.ts';

export type Settings = typeof worldSettings;

export interface PlannedCommit {
  readonly atMs: number;
  readonly partitionKey: string;
  readonly writes: readonly { readonly id: string; readonly kind: 'write' | 'delete' | 'poison' }[];
}

/** What is done when faults are off and the world has come to rest. */
export type Finale = 'stop' | 'kill' | 'join';

export interface Plan {
  readonly seed: number;
  readonly settings: Settings;
  readonly canWait: boolean;
  readonly ranges: number;
  readonly hosts: number;
  readonly commits: readonly PlannedCommit[];
  readonly turns: readonly PlannedTurn[];
  readonly faults: readonly Fault[];
  readonly finale: Finale;
  /** The lease container is partitioned by `/partitionKey`. */
  readonly isKeyed: boolean;
  /** Nobody may delete documents of the lease container. */
  readonly isRemovalForbidden: boolean;
  /** The leases were made by version 2 of the .NET processor, without key ranges. */
  readonly isOld: boolean;
  /** Hosts differ in where they would begin. */
  readonly isStartMixed: boolean;
}

/** What the issue asks of every seed. */
export const leastOfPlan = { hosts: 3, ranges: 4, changes: 300, turns: 1, faults: 10 } as const;

export const activeMs = 140_000;

/** From this seed on worlds have knots of succession as well. Those of the seeds below stay as they were when they failed. */
export const successionSeeds = 1_000_000_000_000;

export function drawPlan(seed: number, kinds: readonly FaultKind[] = faultKinds): Plan {
  const chance = new Chance(`plan ${seed}`);
  const hosts = leastOfPlan.hosts + chance.int(2);
  const settings = drawSettings(chance.fork('settings'));
  const isParking = settings.pump.failure.action === 'park-item' || settings.pump.failure.action === 'park-key';
  const knots = drawKnots(chance.fork('knots'), 2, hosts, activeMs);
  const more = drawKnots(chance.fork('succession'), seed < successionSeeds ? 0 : 2, hosts, activeMs, successionKnots);
  return {
    seed,
    settings,
    canWait: chance.bool(0.6),
    ranges: leastOfPlan.ranges + chance.int(2),
    hosts,
    commits: drawCommits(chance.fork('commits'), isParking),
    turns: [...drawTurns(chance.fork('turns')), ...knots.turns, ...more.turns].sort((a, b) => a.atMs - b.atMs),
    faults: [
      ...drawEarlyFaults(chance.fork('early'), hosts),
      ...knots.faults,
      ...more.faults,
      ...drawFaults(chance.fork('faults'), {
        faults: Math.max(4, leastOfPlan.faults - knots.faults.length) + chance.int(3),
        hosts,
        untilMs: activeMs,
        durationMsMax: 75_000,
        kinds,
      }),
    ],
    finale: chance.pick(['stop', 'kill', 'join']),
    isKeyed: chance.bool(0.3),
    isRemovalForbidden: chance.bool(0.1),
    isOld: settings.mode === 'latest' && chance.bool(0.1),
    isStartMixed: settings.mode === 'latest' && chance.bool(0.25),
  };
}

/** Sometimes hosts die while the group is born. */
function drawEarlyFaults(chance: Chance, hosts: number): Fault[] {
  if (!chance.bool(0.2)) return [];
  return Array.from({ length: 1 + chance.int(2) }, () => ({
    kind: chance.pick(['kill-new-name', 'kill-same-name', 'freeze'] as const),
    atMs: 2 + chance.int(120),
    durationMs: 5000 + chance.int(40_000),
    host: chance.int(hosts),
    port: undefined,
    share: 1,
  }));
}

function drawSettings(chance: Chance): Settings {
  const mode = chance.bool(0.3) ? 'all-versions' : 'latest';
  const lanes = chance.pick([1, 3]);
  const action = chance.pick(['halt-range', 'halt-range', 'park-item', 'park-key'] as const);
  const isParking = action !== 'halt-range';
  return {
    ...worldSettings,
    mode,
    start: mode === 'all-versions' || chance.bool(0.25) ? 'now' : 'beginning',
    // All versions cannot be read from the beginning.
    onPositionRefused: mode === 'latest' && chance.bool(0.4) ? 'from-beginning' : 'fail',
    lease: { ...worldSettings.lease, handoffMs: chance.bool(0.15) ? 0 : worldSettings.lease.handoffMs },
    pump: {
      ...worldSettings.pump,
      itemsMax: chance.pick([3, 10, 30]),
      lanes,
      stallMs: chance.pick([20_000, 20_000, worldSettings.pump.stallMs]),
      readAheadPages: chance.pick([1, 2, 4]),
      checkpoint: chance.pick([
        { kind: 'every-batch' },
        { kind: 'every-batch' },
        { kind: 'items', items: 7 },
        { kind: 'interval', intervalMs: 5000 },
        { kind: 'manual' },
      ] as const),
      failure: {
        ...worldSettings.pump.failure,
        action,
        bisect: chance.bool(0.7),
        retry: {
          ...worldSettings.pump.failure.retry,
          attemptsMax: isParking ? 3 : chance.bool(0.4) ? 4 : Number.POSITIVE_INFINITY,
        },
        classify: (error) => (error instanceof FatalError ? 'fatal' : 'retry'),
      },
    },
  };
}

function drawCommits(chance: Chance, isParking: boolean): PlannedCommit[] {
  const commits: PlannedCommit[] = [];
  const keys = 12 + chance.int(25);
  let changes = 0;
  while (changes < leastOfPlan.changes) {
    // Writers come in bursts: many commits at one moment.
    const atMs = Math.floor(chance.between(0, activeMs));
    for (let i = 2 + chance.int(8); i > 0; i -= 1) {
      const key = chance.int(keys);
      const count = chance.bool(0.2) ? 2 + chance.int(5) : 1;
      const used = new Set<number>();
      const writes: { id: string; kind: 'write' | 'delete' | 'poison' }[] = [];
      for (let j = 0; j < count; j += 1) {
        const document = chance.int(8);
        const dice = chance.float();
        if (used.has(document)) continue;
        used.add(document);
        const kind = dice < 0.08 ? 'delete' : isParking && dice > 0.99 ? 'poison' : 'write';
        writes.push({ id: `k${key}-d${document}`, kind });
      }
      commits.push({ atMs: Math.min(activeMs, atMs + chance.int(30)), partitionKey: `k${key}`, writes });
      changes += writes.filter(({ kind }) => kind !== 'delete').length;
    }
  }
  return commits.sort((a, b) => a.atMs - b.atMs);
}

function drawTurns(chance: Chance): PlannedTurn[] {
  const turns: PlannedTurn[] = [];
  const count = leastOfPlan.turns + chance.int(4);
  for (let i = 0; i < count; i += 1) {
    const atMs = Math.floor(chance.between(3000, activeMs));
    const kind = chance.bool(0.6) ? 'split' : 'merge';
    turns.push({ atMs, kind, which: chance.float() });
    // Two in a row, before anybody has finished the first.
    if (chance.bool(0.25)) turns.push({ atMs: atMs + chance.int(6000), kind: 'merge', which: chance.float() });
  }
  return turns.sort((a, b) => a.atMs - b.atMs);
}
