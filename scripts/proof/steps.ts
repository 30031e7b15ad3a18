// What is proven at length, once: the command, its help and its estimate come from here.

import { freshSeed, sizeOf } from '@tidemark/testing';
import { successionSeeds } from '../../simulation/processor/plan.ts';
import type { NodeVersion } from './node-versions.ts';

export interface Step {
  readonly meaning: string;
  /** On two cores of a CI machine: what the estimate of the time left is made of. */
  readonly minutes: number;
  /** Test files, or any part of their paths; or a program of ours with its arguments. */
  readonly tests?: readonly string[];
  readonly program?: readonly string[];
  /** Tests in their short form, under another Node; and with the client that needs it. */
  readonly node?: NodeVersion;
  readonly hasNewerCosmos?: true;
}

/** Start, embed, processor, engine. */
const smokeTests: readonly string[] = [
  'conformance/process.sdk.test.ts',
  'conformance/change-feed.sdk.test.ts',
  'packages/testing/src/examples.test.ts',
  'packages/processor/test/create-processor.test.ts',
  'packages/engine/test/',
];

export const steps: Readonly<Record<string, Step>> = {
  'power-cuts': {
    meaning: 'a database whose power fails, and one whose process dies: known runs and fresh ones',
    minutes: 3,
    tests: ['simulation/power-cut.test.ts'],
  },
  worlds: {
    meaning: 'the processor where everything goes wrong: the known worlds',
    minutes: 3,
    tests: ['simulation/processor/seeds.test.ts'],
  },
  'fresh-worlds': {
    meaning: 'fresh worlds; those that fail are findings',
    minutes: 4,
    program: [
      'simulation/processor/main.ts',
      ...[
        '--seeds',
        String(sizeOf('freshWorlds', true)),
        '--from',
        String(successionSeeds + freshSeed('worlds')),
        '--findings',
      ],
    ],
  },
  histories: {
    meaning: 'the engine beside its model: the known histories',
    minutes: 1,
    tests: ['simulation/model.test.ts'],
  },
  'fresh-histories': {
    meaning: 'fresh histories; those that fail are findings',
    minutes: 2,
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
    meaning: 'hostile requests and streams of HTTP, known and fresh',
    minutes: 3,
    tests: ['fuzz.raw.test.ts'],
  },
  properties: {
    meaning: 'property tests with fresh seeds, several times each; bytes that flip',
    minutes: 3,
    tests: [
      '.property.test.ts',
      'head.test.ts',
      'body.test.ts',
      'memory-index.test.ts',
      'lmdb-index.test.ts',
      'bit-rot.test.ts',
    ],
  },
  hosts: {
    meaning: 'hosts of the processor as processes: killed, frozen, cut off, stopped, beside those of .NET',
    minutes: 3,
    tests: ['conformance/processor/', 'reliability/hosts/'],
  },
  servers: {
    meaning: 'a server that is killed, gets faults and full disks, stands still, and works for long',
    minutes: 3,
    tests: ['reliability/kills/', 'reliability/faults/', 'reliability/surroundings/', 'reliability/soak/'],
  },
  clients: {
    meaning: 'bad clients of every kind',
    minutes: 1,
    tests: ['reliability/clients/'],
  },
  commands: {
    meaning: 'each command of the command line as a process of its own',
    minutes: 2,
    tests: ['packages/cli/test/', 'mistakes.raw.test.ts'],
  },
  queries: {
    meaning: 'the corpus of queries by every client in pages of every size; limits of what a query computes',
    minutes: 1,
    tests: ['query-corpus', 'every-function.test.ts'],
  },
  'other-clients': {
    meaning: 'programs in Python, Go and Java, on the clients that there are for them, where their tools are',
    minutes: 1,
    tests: ['other-clients.test.ts'],
  },
  jest: {
    meaning: 'the packed processor under jest 30 and with an older compiler',
    minutes: 1,
    program: ['scripts/check-jest.mjs'],
  },
  'node-22': {
    meaning: 'conformance with @azure/cosmos 4.10, on Node 22',
    minutes: 1,
    tests: ['.sdk.test.ts'],
    node: 'node-22',
    hasNewerCosmos: true,
  },
  'node-24': {
    meaning: 'start, embed, processor and engine on Node 24',
    minutes: 1,
    tests: smokeTests,
    node: 'node-24',
  },
  'node-26': {
    meaning: 'start, embed, processor and engine on Node 26',
    minutes: 1,
    tests: smokeTests,
    node: 'node-26',
  },
};
