// One run of one plan: hosts work while everything goes wrong, then faults are off and all must come to rest, then the finale.

import type { HandlerInWorld, Violation, WorldHost, WorldOptions } from '@tidemark/processor/testing';
import { checkIdle, checkTakeover, comeToBalance, comeToRest, World } from '@tidemark/processor/testing';
import type { Plan } from './plan.ts';
import { activeMs } from './plan.ts';

export interface PlanReport {
  readonly violations: readonly Violation[];
  readonly events: number;
  readonly changes: number;
  readonly deliveries: number;
  readonly turns: number;
  readonly hits: ReadonlyMap<string, number>;
  readonly world: World;
}

export type Program = WorldOptions['program'];

/** Far more than any single bound: expiration, ticks, retries, stalls, one after the other. */
const restMsMax = 900_000;

export async function runPlan(plan: Plan, program: Program): Promise<PlanReport> {
  const world = new World({
    seed: plan.seed,
    program,
    settings: plan.settings,
    ranges: plan.ranges,
    canWait: plan.canWait,
    handler: makeHandler(plan.settings.pump.checkpoint.kind === 'manual'),
    isSupervised: true,
    isAttended: true,
    partitionKeyPath: plan.isKeyed ? '/partitionKey' : '/id',
    settingsOf: (settings, index) =>
      plan.isStartMixed && index > 0 ? { ...settings, start: otherStart(settings.start) } : settings,
  });
  if (plan.isRemovalForbidden) world.leases.forbidden.add('remove');
  if (plan.isOld) createOldLeases(world);
  let turns = 0;
  for (let i = 0; i < plan.hosts; i += 1) world.faults.slots.push(world.start());
  for (const commit of plan.commits) {
    world.schedule.at(commit.atMs, () => {
      world.commit(
        commit.partitionKey,
        commit.writes.map(({ id, kind }) => ({ id, document: kind === 'delete' ? undefined : { kind } })),
      );
    });
  }
  for (const turn of plan.turns) {
    world.schedule.at(turn.atMs, () => {
      const { ranges } = world.container;
      const range = ranges[Math.floor(turn.which * ranges.length)];
      if (range === undefined) return;
      // A merge of the last range has no neighbour to its right: then it is split.
      const isDone = turn.kind === 'merge' ? world.merge(range.id) : world.split(range.id);
      if (isDone !== undefined || world.split(range.id) !== undefined) turns += 1;
    });
  }
  world.play(plan.faults);
  await world.runTo(activeMs);
  if (world.violations.length === 0) await calmDown(world, plan);
  return {
    violations: world.violations,
    events: world.schedule.events,
    changes: world.container.changes.length,
    deliveries: world.oracle.deliveries.length,
    turns,
    hits: world.network.hits,
    world,
  };
}

function otherStart(start: unknown): 'now' | 'beginning' {
  return start === 'now' ? 'beginning' : 'now';
}

/** As version 2 of the .NET processor leaves them: no key ranges, other names of members (processor.md 1.2). */
export function createOldLeases(world: World): void {
  const prefix = `${world.settings.name}world.example_d1==_d1c1==`;
  for (const { id } of world.container.ranges) {
    world.leases.create({
      id: `${prefix}..${id}`,
      PartitionId: id,
      Owner: null,
      ContinuationToken: null,
      properties: {},
      timestamp: '2026-11-01T00:00:00.0000000Z',
    });
  }
  world.leases.create({ id: `${prefix}.info` });
}

async function calmDown(world: World, plan: Plan): Promise<void> {
  world.faults.endAll();
  // At least two are there to come to rest, and to have somebody to hand over to.
  for (let i = world.alive.length; i < 2; i += 1) world.start();
  if (!(await comeToRest(world, restMsMax))) return;
  await playFinale(world, plan);
  if (world.violations.length > 0) return;
  if (plan.finale === 'stop') {
    await comeToBalance(world, restMsMax);
    await checkIdle(world, 60_000);
    if (world.violations.length > 0) return;
  }
  await stopAll(world);
}

async function playFinale(world: World, plan: Plan): Promise<void> {
  const runners = world.alive.filter((process) => process.state === 'running');
  if (plan.finale === 'kill' && runners.length > 1) {
    const victim = runners[plan.seed % runners.length] as WorldHost; // In range.
    world.kill(victim);
    await checkTakeover(world, victim);
  } else if (plan.finale === 'join') {
    world.start();
    await world.run(2 * world.settings.lease.acquireMs);
    world.commit('after', [{ id: 'after-1', document: { kind: 'write' } }]);
  } else return;
  await comeToRest(world, restMsMax);
}

async function stopAll(world: World): Promise<void> {
  const stops = world.alive.map((process) => world.stop(process));
  const isStopped = await world.runUntil(() => world.alive.length === 0, 300_000);
  if (!isStopped && world.violations.length === 0) world.oracle.report('I9', 'not every host stopped within 300 s');
  if (isStopped) await Promise.all(stops);
  for (const process of world.hosts) if (process.state === 'ended') world.checkLeftovers(process);
}

function makeHandler(isManual: boolean): HandlerInWorld {
  return async (values, context, { ground }) => {
    if (ground.random() < 0.3) await ground.clock.sleep(1 + ground.random() * 200);
    for (const value of values) if (isPoison(value)) throw new Error('poison');
    if (!isManual) return;
    if (ground.random() < 0.15) {
      // It goes on after it has returned, and says so when it is through.
      void ground.clock.sleep(1 + ground.random() * 2000).then(() => context.checkpoint().catch(() => undefined));
      return;
    }
    const checkpoint = context.checkpoint();
    // What becomes of a position that is not stored is told by the end of the range.
    checkpoint.catch(() => undefined);
    if (ground.random() < 0.3) await checkpoint.catch(() => undefined);
  };
}

function isPoison(value: unknown): boolean {
  // A document, or a version with one.
  const document = value as { readonly kind?: unknown; readonly current?: { readonly kind?: unknown } };
  return document.kind === 'poison' || document.current?.kind === 'poison';
}
