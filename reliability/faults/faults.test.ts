import { sizeOf } from '@tidemark/testing';
import { expect, test } from 'vitest';
import { replayOf, runOfTests } from '../outcome.ts';
import { runFaults } from './faults-run.ts';

test('[B8] [M10] through 429, 503, 449, 410, resets and latency everything arrives, with the SDK and the processor', async () => {
  const run = runOfTests('faults');
  const { problems, figures } = await runFaults(run);

  expect(problems, replayOf('faults', run)).toEqual([]);
  expect(figures['acknowledged']).toBeGreaterThanOrEqual(sizeOf('faultyWrites'));
});
