// Seeds as tests: one test for every hundred, and one for what all of them together have exercised.

import { faultKinds } from '@tidemark/processor/testing';
import { isLong } from '@tidemark/testing';
import { describe, expect, test } from 'vitest';
import { missingOf, newCoverage } from './coverage.ts';
import { realProgram } from './program.ts';
import { formatFailure, runSeeds } from './seeds.ts';

const seedsPerTest = 100;

export function testSeeds(from: number, count: number): void {
  describe(`the processor, seeds ${from} to ${from + count - 1}`, () => {
    const coverage = newCoverage();
    let missing: readonly string[] = ['every test before this one'];

    for (let first = from; first < from + count; first += seedsPerTest) {
      test(`keeps every invariant, seeds ${first} to ${first + seedsPerTest - 1} [I1] [I2] [I3] [I4] [I5] [I6] [I7] [I8] [I9] [I10] [I11] [I12] [I13] [F34]`, async () => {
        const program = realProgram(coverage.onStep);

        const result = await runSeeds({
          from: first,
          count: seedsPerTest,
          program,
          coverage,
          failuresMax: 10,
          isShrunk: false,
        });

        missing = missingOf(coverage, faultKinds);
        expect(result.failures.map(formatFailure)).toEqual([]);
      });
    }

    // The short form has too few of them for that.
    test.runIf(isLong)('has met every kind of fault and every transition of a tenure', () => {
      expect(missing).toEqual([]);
    });
  });
}
