// Seeds as tests: one test for every hundred, and one for what all of them together have exercised.

import { describe, expect, test } from 'vitest';
import { newCoverage } from './coverage.ts';
import { realProgram } from './program.ts';
import { formatFailure, runSeeds } from './seeds.ts';

const seedsPerTest = 100;

/** Seeds that show a defect which is not mended yet. */
const knownFailures: Readonly<Record<number, string>> = {
  // TODO(#4): the world must place keys as the service does; its own hash makes an owner miss keys that are held (`ownsKey`).
  995: 'a change of a key that is held with park-key is delivered by the next owner',
  // TODO(#4): tombstones of leases that are there twice are removed too.
  1929: 'the tombstone of a lease that somebody copied stays, harmless',
};

export function testSeeds(from: number, count: number): void {
  describe(`the processor, seeds ${from} to ${from + count - 1}`, () => {
    const coverage = newCoverage();
    let missing: readonly string[] = ['every test before this one'];

    for (let first = from; first < from + count; first += seedsPerTest) {
      test(`keeps every invariant, seeds ${first} to ${first + seedsPerTest - 1} [I1] [I2] [I3] [I4] [I5] [I6] [I7] [I8] [I9] [I10] [I11] [I12] [F34]`, async () => {
        const program = realProgram(coverage.onStep);

        const result = await runSeeds({
          from: first,
          count: seedsPerTest,
          program,
          coverage,
          failuresMax: 10,
          isShrunk: false,
        });

        missing = result.missing;
        const unknown = result.failures.filter(({ seed }) => knownFailures[seed] === undefined);
        expect(unknown.map(formatFailure)).toEqual([]);
        // A defect that is mended leaves the list.
        const known = Object.keys(knownFailures)
          .map(Number)
          .filter((seed) => seed >= first && seed < first + seedsPerTest);
        expect(result.failures.map(({ seed }) => seed).filter((seed) => known.includes(seed))).toEqual(known);
      });
    }

    test('has met every kind of fault and every transition of a tenure', () => {
      expect(missing).toEqual([]);
    });
  });
}
