// What runs in the hosts of a simulation.

import { processorProgram } from '@tidemark/processor/testing';
import type { Program } from './run-plan.ts';

export function realProgram(mutant?: string): Program {
  if (mutant !== undefined) throw new Error(`there is no mutant ${mutant}`);
  return (equipment, settings) => processorProgram(equipment, settings);
}
