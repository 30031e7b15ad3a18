// The order of the test files. The test runner begins with the largest, and some of the longest are among the smallest: they would come
// last, all at once, with nothing left to run beside them. So they are first: those that compute in turns with those that wait.

import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

const first = [
  'simulation/processor/seeds',
  'conformance/mistakes.raw',
  'reliability/kills/kills',
  'packages/cli/test/data-commands',
  'reliability/hosts/hosts',
  'packages/testing/src/documents',
  'simulation/power-cut',
  'packages/testing/src/walk',
  'reliability/soak/soak',
  'packages/testing/src/contracts/embedded',
  'reliability/faults/faults',
  'packages/testing/src/examples',
  'simulation/crash/crash',
  'reliability/clients/clients',
  'packages/cli/test/processor-commands',
  'simulation/model',
  'conformance/fuzz.raw',
  'reliability/surroundings/surroundings',
  'simulation/processor/mutants/mutants',
  'reliability/load/load',
  'simulation/processor/scenarios/groups',
  'packages/cli/test/lost-server',
].map((name) => `/${name}.test.ts`);

export class TestOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification): number => {
      const place = first.findIndex((name) => moduleId.endsWith(name));
      return place < 0 ? first.length : place;
    };
    // The order within a place stays.
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}
