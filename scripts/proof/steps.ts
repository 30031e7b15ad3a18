// What is proven at length, once: the command, its help and the table of minutes come from here.

import { freshSeed, sizeOf } from '@tidemark/testing';

export interface Step {
  readonly meaning: string;
  /** On two cores of a CI machine: what the estimate of the time left is made of. */
  readonly minutes: number;
  /** Test files in their long form; or a program of ours with its arguments. */
  readonly tests?: readonly string[];
  readonly program?: readonly string[];
}

export const steps: Readonly<Record<string, Step>> = {
  'power-cuts': {
    meaning: 'a database whose power fails, and one whose process dies: known runs and fresh ones',
    minutes: 6,
    tests: ['simulation/power-cut.test.ts'],
  },
  worlds: {
    meaning: 'the processor where everything goes wrong: the known worlds',
    minutes: 3,
    tests: ['simulation/processor/seeds.test.ts'],
  },
  'fresh-worlds': {
    meaning: 'fresh worlds; those that fail are findings',
    minutes: 3,
    program: [
      'simulation/processor/main.ts',
      ...['--seeds', String(sizeOf('freshWorlds', true)), '--from', String(freshSeed('worlds')), '--findings'],
    ],
  },
  histories: {
    meaning: 'the engine beside its model: the known histories',
    minutes: 2,
    tests: ['simulation/model.test.ts'],
  },
  'fresh-histories': {
    meaning: 'fresh histories; those that fail are findings',
    minutes: 3,
    program: [
      'simulation/model/main.ts',
      ...['--seeds', String(sizeOf('freshHistories', true)), '--from', String(freshSeed('histories')), '--findings'],
    ],
  },
  kills: {
    meaning: 'a process that writes is killed: known kills and fresh ones',
    minutes: 2,
    tests: ['simulation/crash/crash.test.ts'],
  },
  fuzz: {
    meaning: 'hostile requests, known and fresh',
    minutes: 2,
    tests: ['conformance/fuzz.raw.test.ts'],
  },
};
