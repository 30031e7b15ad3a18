import { sizeOf } from '@tidemark/testing';
import { expect, test } from 'vitest';
import { shortRun } from '../outcome.ts';
import { runSoak } from './soak-run.ts';

test('[M5] under mixed load nothing is lost, and memory stays as it was after the warm-up', async () => {
  const { problems, figures } = await runSoak(shortRun());

  expect(problems).toEqual([]);
  expect(figures['windows']).toBe(sizeOf('soakWindows'));
  expect(figures['reads']).toBeGreaterThan(0);
});
