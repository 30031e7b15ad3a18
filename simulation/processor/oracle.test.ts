// The oracle is only worth something if it finds what is wrong. Here it judges processors with one flaw each, in a world without faults.

import type { HandlerInWorld, OpenCall } from '@tidemark/processor/testing';
import { checkIdle, checkTakeover, comeToRest, World } from '@tidemark/processor/testing';
import { describe, expect, test } from 'vitest';
import type { Flaw } from './naive-program.ts';
import { naiveProgram } from './naive-program.ts';

const flaws: Readonly<Record<Exclude<Flaw, 'none'>, string>> = {
  'stores-before-handling': 'I2',
  'skips-a-page': 'I2',
  'reads-backwards': 'I3',
  'forgets-to-close': 'I10',
  'delivers-after-close': 'I10',
  'steps-back': 'I5',
  'keeps-its-epoch': 'I4',
  'leaves-a-timer': 'I11',
  'never-stores': 'I8',
  'stops-reading': 'I1',
  'forgets-a-range': 'I6',
  'repeats-after-stop': 'I8',
  'hangs-at-stop': 'I9',
  'polls-without-pause': 'I12',
};

describe('the oracle', () => {
  test('says nothing about a processor that does right', async () => {
    expect(await judge('none')).toEqual([]);
  });

  for (const [flaw, invariant] of Object.entries(flaws)) {
    test(`says ${invariant} about a processor that ${flaw.replaceAll('-', ' ')} [${invariant}]`, async () => {
      const violations = await judge(flaw as Flaw); // A key of the table above.

      expect(violations).toContain(invariant);
    });
  }
});

describe('the check of takeovers', () => {
  test('says I7 about a group that leaves the leases of the dead alone [I7]', async () => {
    const world = new World({ seed: 1, program: naiveProgram('none'), canWait: false });
    const victim = world.start();
    await world.run(10_000);
    world.start();
    await world.run(10_000);

    world.kill(victim);
    await checkTakeover(world, victim);

    expect(world.violations.map(({ invariant }) => invariant)).toEqual(['I7']);
  });
});

describe('the watch for standstills', () => {
  test('says I13 about a group whose changes wait, and nobody tells why [I13]', async () => {
    const world = new World({ seed: 1, program: naiveProgram('stops-reading'), canWait: false });
    world.start();
    for (let i = 0; i < 200; i += 1) world.schedule.at(i * 200, () => world.write(`k${i % 9}`, `k${i % 9}-d${i % 5}`));

    await world.run(300_000);

    expect(world.violations.map(({ invariant }) => invariant)).toContain('I13');
  });

  test('counts from the end of `open`, but not of one that takes long [I13]', async () => {
    const { signal } = new AbortController();
    const atOnce = await standstillMs(undefined);
    const opened = await standstillMs({ beganMs: 50_000, endedMs: 70_000, signal });
    const openedLate = await standstillMs({ beganMs: 50_000, endedMs: 110_000, signal });

    expect(opened - atOnce).toBeGreaterThan(25_000);
    expect(opened - atOnce).toBeLessThan(45_000);
    // After handlerWarnMs, by a slow clock, it would have been told of.
    expect(openedLate - opened).toBeGreaterThanOrEqual(0);
    expect(openedLate - opened).toBeLessThan(10_000);
  });

  test('says I13 about a slow `open` of which nothing is told, while somebody waits for it [I13]', async () => {
    const controller = new AbortController();
    const call = { beganMs: 50_000, endedMs: undefined, signal: controller.signal };
    const waitedFor = await standstillMs(call);
    controller.abort();
    const givenUp = await standstillMs(call);

    expect(waitedFor).toBeLessThan(80_000);
    expect(givenUp).toBeGreaterThan(120_000);
  });

  test('says I13 about a slow handler of which nothing is told [I13]', async () => {
    const handler: HandlerInWorld = (_, __, { ground }) => ground.clock.sleep(60_000);
    const world = new World({ seed: 1, program: naiveProgram('none'), canWait: false, handler });
    world.start();
    world.write('k1', 'd1');

    await world.run(50_000);

    expect(world.violations.map(({ invariant }) => invariant)).toContain('I13');
  });
});

/** When somebody misses news of a group that reads no more, whose observers opened then. */
async function standstillMs(open: OpenCall | undefined): Promise<number> {
  const world = new World({ seed: 1, program: naiveProgram('stops-reading'), canWait: false });
  const host = world.start();
  for (let i = 0; i < 200; i += 1) world.schedule.at(i * 200, () => world.write(`k${i % 9}`, `k${i % 9}-d${i % 5}`));
  await world.run(50_000);
  if (open !== undefined) for (const { id } of world.container.ranges) host.opens.set(id, open);
  await world.run(300_000);
  return world.violations.find(({ invariant }) => invariant === 'I13')?.timeMs ?? Number.POSITIVE_INFINITY;
}

async function judge(flaw: Flaw): Promise<string[]> {
  const world = new World({ seed: flaw, program: naiveProgram(flaw), canWait: false });
  const first = world.start();
  for (let i = 0; i < 200; i += 1) {
    world.schedule.at(i * 200, () => world.write(`k${i % 9}`, `k${i % 9}-d${i % 5}`));
  }
  await world.runTo(30_000);
  if (world.violations.length === 0) {
    const second = world.start();
    await world.until(world.stop(first)).catch(() => undefined);
    await comeToRest(world, 60_000);
    if (world.violations.length === 0) await checkIdle(world, 60_000);
    if (world.violations.length === 0) await world.until(world.stop(second)).catch(() => undefined);
  }
  return world.violations.map(({ invariant }) => invariant);
}
