import { expect, test } from 'vitest';
import { replayOf, runOfTests } from '../outcome.ts';
import { runClients } from './clients-run.ts';

test('[SEC15] bad clients of every kind: memory stays bounded, and others keep being served', async () => {
  const run = runOfTests('clients');
  const { problems, figures } = await runClients(run);

  expect(problems, replayOf('clients', run)).toEqual([]);
  expect(figures['servedMeanwhile']).toBeGreaterThan(50);
});
