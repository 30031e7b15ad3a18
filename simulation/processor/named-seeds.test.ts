import { describe, expect, test } from 'vitest';
import { newCoverage } from './coverage.ts';
import { namedSeeds } from './named-seeds.ts';
import { realProgram } from './program.ts';
import { formatFailure, runSeed } from './seeds.ts';

describe('seeds that failed once pass', () => {
  for (const { cause, seeds } of namedSeeds) {
    test(`${cause} [F34]`, async () => {
      for (const seed of seeds) {
        const coverage = newCoverage();

        const failure = await runSeed(seed, realProgram(coverage.onStep), { isShrunk: false, coverage });

        expect(failure === undefined ? '' : formatFailure(failure)).toBe('');
      }
    });
  }
});
