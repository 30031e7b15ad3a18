import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freshSeed, isLong, sizeOf } from '@tidemark/testing';
import { expect, test } from 'vitest';
import { runCrashes } from './crash-run.ts';
import { phases } from './protocol.ts';

test('[engine 4] [engine 6] [engine 8] [engine 9] a writer killed at any moment leaves every acknowledged write and nothing by halves', async () => {
  await expectNothingLost('tide', sizeOf('kills'));
});

test.runIf(isLong)('the same holds for kills that are drawn anew with every commit', async () => {
  await expectNothingLost(String(freshSeed('kills')), sizeOf('freshKills'));
});

async function expectNothingLost(seed: string, kills: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-crash-'));

  const report = await runCrashes({ folder, kills, seed }).catch((cause: Error) => {
    const replay = `npm run simulate:crash -- --seed ${seed} --kills ${kills}`;
    // The folder stays: it is what there is to look at.
    throw new Error(`${cause.message}\n  replay: ${replay}\n  folder: ${folder}`, { cause });
  });

  expect(report.withWritesInFlight).toBeGreaterThanOrEqual(kills * 0.9);
  // Three of twenty are planned for each of them.
  for (const phase of phases) expect(report.during[phase], phase).toBeGreaterThanOrEqual(kills / 20);
  // The first start has no index; a kill may cost one now and then, not as a rule.
  expect(report.rebuilds).toBeLessThanOrEqual(1 + kills / 20);
  await rm(folder, { recursive: true });
}
