import { sizeOf } from '@tidemark/testing';
import { expect, test } from 'vitest';
import { replayOf, runOfTests } from '../outcome.ts';
import { runSoak } from './soak-run.ts';

test('[M5] under mixed load nothing is lost, and memory stays as it was after the warm-up', async () => {
  const run = runOfTests('soak');
  const { problems, figures } = await runSoak(run);

  expect(problems, replayOf('soak', run)).toEqual([]);
  expect(figures['windows']).toBe(sizeOf('soakWindows'));
  expect(figures['reads']).toBeGreaterThan(0);
});
