// A world for tests of handlers: hosts of this library run the user's handler while things go wrong, in virtual time.
//
// Everything that a handler waits for must be of this world: `host.ground.clock.sleep` passes virtual time. A handler that waits for real
// timers or the network does not belong here, since a killed host could not be stopped in the middle of it.

import type { ProcessorSettings } from '../settings.ts';
import { Chance } from './chance.ts';
import type { Fault, FaultKind } from './fault.ts';
import { drawFaults } from './fault.ts';
import type { Change } from './model-container.ts';
import { processorProgram } from './processor-program.ts';
import type { Violation } from './violation.ts';
import { World } from './world.ts';
import { comeToRest } from './world-checks.ts';
import type { HandlerInWorld } from './world-host.ts';
import { worldSettings } from './world-settings.ts';

export interface TestWorldOptions {
  /** The same seed gives the same run, event for event. */
  readonly seed: number | string;
  readonly handler: HandlerInWorld;
  /** 4 by default. */
  readonly ranges?: number;
  /** 3 by default. */
  readonly hosts?: number;
  /** How many faults are drawn for the first `faultMs`, or which ones they are. 10 by default; 0: none. */
  readonly faults?: number | readonly Fault[];
  /** Kinds of faults to draw from: crashes, freezes, splits of the network and of ranges by default. */
  readonly kinds?: readonly FaultKind[];
  /** 120 s by default. */
  readonly faultMs?: number;
  /** Changes the settings of the processor; they are the defaults of `createProcessor`, but for shorter waits. */
  readonly settings?: (settings: Omit<ProcessorSettings, 'instance'>) => Omit<ProcessorSettings, 'instance'>;
}

/** What a handler should expect: hosts that die, freeze, come, go and lose their connections. */
export const handlerFaultKinds: readonly FaultKind[] = [
  'kill-same-name',
  'kill-new-name',
  'freeze',
  'partition-store',
  'partition-both',
  'lost-response',
  'stop-start',
  'join-leave',
  'slow',
];

export interface TestWorldReport {
  /** Every change that was committed, in the order of commits. */
  readonly changes: readonly Change[];
  /** How often each change was given to a handler. */
  readonly deliveriesOf: (change: Change) => number;
  /** Changes that were given to a handler more than once. */
  readonly redelivered: number;
  readonly kills: number;
  readonly violations: readonly Violation[];
  /** Of virtual time. */
  readonly durationMs: number;
}

export interface TestWorld {
  /** The parts, for tests that want more: hosts, leases, faults of their own. */
  readonly world: World;
  /** Commits a document now, or at a moment of virtual time. */
  write(partitionKey: string, id: string, document?: Readonly<Record<string, unknown>>, atMs?: number): void;
  /** Splits a range, now or at a moment of virtual time. */
  split(index: number, atMs?: number): void;
  /** Lets virtual time pass. */
  run(durationMs: number): Promise<void>;
  /**
   * Ends all faults, waits until everything is delivered and stops the hosts. Throws when an invariant of the processor is broken, which
   * includes a handler that never succeeds.
   */
  finish(): Promise<TestWorldReport>;
}

export function createTestWorld(options: TestWorldOptions): TestWorld {
  const settings = options.settings?.(worldSettings) ?? worldSettings;
  const world = new World({
    seed: options.seed,
    program: (equipment, own) => processorProgram(equipment, own),
    settings,
    handler: options.handler,
    isSupervised: true,
    ...(options.ranges === undefined ? {} : { ranges: options.ranges }),
  });
  const hosts = options.hosts ?? 3;
  for (let i = 0; i < hosts; i += 1) world.faults.slots.push(world.start());
  const faults = planOf(options, hosts);
  world.play(faults);
  const later = (atMs: number | undefined, act: () => void): void => {
    if (atMs === undefined) act();
    else world.schedule.at(atMs, act);
  };
  return {
    world,
    write: (partitionKey, id, document = {}, atMs) => later(atMs, () => void world.write(partitionKey, id, document)),
    split: (index, atMs) => later(atMs, () => void world.split(world.container.ranges[index]?.id ?? '')),
    run: async (durationMs) => {
      await world.run(durationMs);
      throwIfBroken(world);
    },
    finish: () => finishWorld(world, Math.max(0, ...faults.map(({ atMs, durationMs }) => atMs + durationMs))),
  };
}

function planOf(options: TestWorldOptions, hosts: number): readonly Fault[] {
  const { faults = 10, faultMs = 120_000 } = options;
  if (typeof faults !== 'number') return faults;
  return drawFaults(new Chance(`faults ${options.seed}`), {
    faults,
    hosts,
    untilMs: faultMs,
    durationMsMax: 75_000,
    kinds: options.kinds ?? handlerFaultKinds,
  });
}

async function finishWorld(world: World, faultsEndMs: number): Promise<TestWorldReport> {
  await world.runTo(Math.max(world.nowMs, faultsEndMs));
  throwIfBroken(world);
  world.faults.endAll();
  if (world.alive.length === 0) world.start();
  await comeToRest(world, restMsMax);
  throwIfBroken(world);
  await Promise.all(world.alive.map((host) => world.until(world.stop(host))));
  throwIfBroken(world);
  const { changes } = world.container;
  return {
    changes,
    deliveriesOf: (change) => world.oracle.deliveriesOf(change),
    redelivered: changes.filter((change) => world.oracle.deliveriesOf(change) > 1).length,
    kills: world.hosts.filter(({ state }) => state === 'dead').length,
    violations: world.violations,
    durationMs: world.nowMs,
  };
}

/** More than any retry of a handler that succeeds in the end should need. */
const restMsMax = 1_800_000;

function throwIfBroken(world: World): void {
  const [first] = world.violations;
  if (first === undefined) return;
  throw new Error(`${first.invariant} at ${Math.round(first.timeMs)} ms: ${first.message}`);
}
