// The proof that the simulation is worth something: each known defect, put back, is noticed within the default seeds.

import { describe, expect, test } from 'vitest';
import { drawPlan } from '../plan.ts';
import { realProgram } from '../program.ts';
import { runPlan } from '../run-plan.ts';
import { mutants } from './mutants.ts';

const defaultSeeds = 2000;

describe('mutants', () => {
  test('there is one for each defect of the specification that a simulation can show', () => {
    expect(mutants.map(({ id }) => id)).toEqual(Array.from({ length: 16 }, (_, i) => `D${i + 1}`));
  });

  for (const mutant of mutants) {
    test(`[${mutant.id}] dies: ${mutant.title}`, async () => {
      const seed = await killingSeed(mutant.program, mutant.seed);

      expect(seed, `${mutant.id} survives`).toBeDefined();
      const { violations } = await runPlan(drawPlan(seed ?? 0), realProgram());
      expect(violations, 'the processor as it is passes').toEqual([]);
      console.log(`${mutant.id} dies at seed ${seed}`);
    });
  }
});

/** The first one from the known one on, and then from the beginning. */
async function killingSeed(program: Parameters<typeof runPlan>[1], known: number): Promise<number | undefined> {
  for (let i = 0; i < defaultSeeds; i += 1) {
    const seed = ((known - 1 + i) % defaultSeeds) + 1;
    const { violations } = await runPlan(drawPlan(seed), program);
    if (violations.length > 0) return seed;
  }
  return undefined;
}
