import { isLong, sizeOf } from '@tidemark/testing';
import { expect, test } from 'vitest';
import { shortRun } from '../outcome.ts';
import { runHosts } from './hosts-run.ts';

test('[S1] [S4] [S5] [S15] hosts that are ill-treated at random lose nothing', async () => {
  const { problems, figures } = await runHosts(shortRun('3'));

  expect(problems).toEqual([]);
  expect(figures['steps']).toHaveLength(sizeOf('hostSteps'));
  if (isLong) expect(figures['steps']).toEqual(expect.arrayContaining(['stop', 'split', 'freeze', 'kill', 'cut']));
  expect(figures['written']).toBeGreaterThan(0);
});
