import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCrashes } from './crash-run.ts';
import { phases } from './protocol.ts';

const kills = 100;

test('[engine 4] [engine 6] [engine 8] [engine 9] a writer killed at any moment leaves every acknowledged write and nothing by halves', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-crash-'));
  const seed = `${Date.now()}`;

  const report = await runCrashes({ folder, kills, seed });

  console.log(`crash test, seed ${seed}: ${JSON.stringify(report)}`);
  expect(report.withWritesInFlight).toBeGreaterThanOrEqual(kills * 0.9);
  for (const phase of phases) expect(report.during[phase], phase).toBeGreaterThanOrEqual(5);
  // The first start has no index; a kill may cost one now and then, not as a rule.
  expect(report.rebuilds).toBeLessThanOrEqual(1 + kills / 20);
  // Kept when the test fails: it is what there is to look at.
  await rm(folder, { recursive: true });
});
