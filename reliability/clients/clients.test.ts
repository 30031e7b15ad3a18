import { expect, test } from 'vitest';
import { shortRun } from '../outcome.ts';
import { runClients } from './clients-run.ts';

test('[SEC15] bad clients of every kind: memory stays bounded, and others keep being served', async () => {
  const { problems, figures } = await runClients(shortRun());

  expect(problems).toEqual([]);
  expect(figures['servedMeanwhile']).toBeGreaterThan(50);
});
