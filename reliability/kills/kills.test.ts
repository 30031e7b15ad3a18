import { sizeOf } from '@tidemark/testing';
import { expect, test } from 'vitest';
import { shortRun } from '../outcome.ts';
import { runKills } from './kills-run.ts';

test('[M5] [M10] [B8] a server killed again and again under load loses nothing, and nobody misses a change', async () => {
  const { problems, figures } = await runKills(shortRun());

  expect(problems).toEqual([]);
  expect(figures['kills']).toBe(sizeOf('serverKills'));
  expect(figures['splits']).toBeGreaterThan(0);
  expect(figures['merges']).toBeGreaterThan(0);
});
