import { isLong, sizeOf } from '@tidemark/testing';
import { expect, test } from 'vitest';
import type { Outcome } from '../outcome.ts';
import { replayOf, runOfTests, seededRun } from '../outcome.ts';
import { runHosts } from './hosts-run.ts';

test('[S1] [S4] [S5] [S15] hosts that are ill-treated at random lose nothing', async () => {
  const { steps } = await expectNothingLost(seededRun('3'));

  if (isLong) expect(steps).toEqual(expect.arrayContaining(['stop', 'split', 'freeze', 'kill', 'cut']));
});

test.runIf(isLong)('nor do they with what is drawn anew with every commit', async () => {
  await expectNothingLost(runOfTests('hosts'));
});

async function expectNothingLost(run: Parameters<typeof runHosts>[0]): Promise<Outcome['figures']> {
  const { problems, figures } = await runHosts(run);

  expect(problems, replayOf('hosts', run)).toEqual([]);
  expect(figures['steps']).toHaveLength(sizeOf('hostSteps'));
  expect(figures['written']).toBeGreaterThan(0);
  return figures;
}
