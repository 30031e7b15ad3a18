import { sizeOf } from '@tidemark/testing';
import { expect, test } from 'vitest';
import { replayOf, runOfTests } from '../outcome.ts';
import { runKills } from './kills-run.ts';

test('[M5] [M10] [B8] a server killed again and again under load loses nothing, and nobody misses a change', async () => {
  const run = runOfTests('kills');
  const { problems, figures } = await runKills(run);

  expect(problems, replayOf('kills', run)).toEqual([]);
  expect(figures['kills']).toBe(sizeOf('serverKills'));
  expect(figures['splits']).toBeGreaterThan(0);
  expect(figures['merges']).toBeGreaterThan(0);
});
