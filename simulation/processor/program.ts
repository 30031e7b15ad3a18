// What runs in the hosts of a simulation: the processor as it is, or with a defect put back.

import type { HostRules } from '@tidemark/processor/testing';
import { hostRules, processorProgram } from '@tidemark/processor/testing';
import { mutants } from './mutants/mutants.ts';
import type { Program } from './run-plan.ts';

export function realProgram(onStep: HostRules['onStep'] = () => {}): Program {
  const rules = { ...hostRules, onStep };
  return (equipment, settings) => processorProgram(equipment, settings, { rules });
}

export function programNamed(mutant: string | undefined): Program {
  if (mutant === undefined) return realProgram();
  const found = mutants.find(({ id }) => id === mutant);
  if (found === undefined)
    throw new Error(`there is no mutant ${mutant}; there are ${mutants.map(({ id }) => id).join(', ')}`);
  return found.program;
}
