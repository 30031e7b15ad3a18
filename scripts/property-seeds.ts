// Property tests have the same cases in every run of `npm test`, so that it does not fail by chance. The long form has fresh ones,
// and several times as many.

import fc from 'fast-check';
import type { RunnerTask } from 'vitest';
import { beforeAll, beforeEach } from 'vitest';
import { freshSeed } from '../packages/testing/src/fresh-seed.ts';
import { isLong, sizeOf } from '../packages/testing/src/sizes.ts';

const knownSeed = 20_261_118;

if (isLong) {
  // biome-ignore lint/correctness/noEmptyPattern: the test runner wants the fixtures by name, and this takes none.
  beforeAll(({}, file) => {
    if (file.name.endsWith('.property.test.ts')) repeat(file.tasks);
  });
}

beforeEach(({ task }) => {
  const round = task.result?.repeatCount ?? 0;
  fc.configureGlobal({ seed: isLong ? freshSeed(`property ${round} ${task.fullName}`) | 0 : knownSeed });
});

function repeat(tasks: readonly RunnerTask[]): void {
  for (const task of tasks) {
    if (task.type === 'suite') repeat(task.tasks);
    else task.repeats = sizeOf('propertyRounds') - 1;
  }
}
