// Random histories against the reference model. `npm run simulate:model` runs fresh ones, as many as are asked for.

import { sizeOf } from '@tidemark/testing';
import { describe, expect, test } from 'vitest';
import { runModel } from './model/run.ts';

/** Seeds whose histories disagreed when they were first run; what they found is in the log under "engine:". */
const foundBefore = ['4', '7', '8', '13', '16', '20', '23', '25', '104', '216', '341', '50702', '70497'];

const seedsPerBatch = 25;
const batches = sizeOf('histories') / seedsPerBatch;

describe('the engine and the reference model', () => {
  test('agree on the histories that once told them apart', async () => {
    for (const seed of foundBefore) await runModel({ seed, steps: 120 });
  });

  for (let batch = 0; batch < batches; batch += 1) {
    const first = 1_000 + batch * seedsPerBatch;
    test(`agree on every read and every feed, seeds ${first} to ${first + seedsPerBatch - 1} [engine 4] [engine 7] [engine 8] [engine 9]`, async () => {
      const counts: Record<string, number> = {};
      for (let seed = first; seed < first + seedsPerBatch; seed += 1) {
        const steps = await runModel({ seed: String(seed), steps: 70 });
        for (const [step, count] of Object.entries(steps)) counts[step] = (counts[step] ?? 0) + count;
      }

      // A batch in which one of these never happened would prove less than its title says.
      for (const step of ['split', 'merge', 'compactions', 'reopen', 'trim', 'sweep', 'purge', 'restore', 'jump']) {
        expect(counts[step] ?? 0, step).toBeGreaterThan(0);
      }
    });
  }
});
