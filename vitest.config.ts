import { defaultExclude, defineConfig } from 'vitest/config';
import { TestOrder } from './scripts/test-order.ts';

// Sibling packages resolve to their sources, and what is started as a process is built before, so tests never run against a
// stale build. The condition carries the project's name because users' bundlers enable the common ones, such as `development`.
const conditions = ['tidemark-source', 'node', 'import', 'module', 'default'];
// A newer client may take the place of the one that is installed: `npm run proof` says where it is.
const { PROOF_COSMOS: newerCosmos } = process.env;
const resolve = { conditions, alias: newerCosmos === undefined ? {} : { '@azure/cosmos': newerCosmos } };
const ssr = { resolve: { conditions, externalConditions: conditions } };

const minuteMs = 60_000;

/** A test that takes so long hangs. None is about time, so a machine that is ten times as slow has to be given it. */
const patience = { testTimeout: 15 * minuteMs, hookTimeout: 3 * minuteMs };

/** They put something else in the place of a module, which files that share a process would all get. */
const apart = ['packages/server/src/keys-timing.test.ts'];

export default defineConfig({
  test: {
    // Two of them compute; those beside them mostly wait for processes, disks and leases.
    maxWorkers: 4,
    sequence: { sequencer: TestOrder },
    globalSetup: ['scripts/before-tests.ts'],
    // Processors say what they do, here as everywhere; of the tests' own words the others are kept.
    onConsoleLog: (text) => !text.startsWith('tidemark '),
    projects: [
      {
        resolve,
        ssr,
        test: {
          name: 'all',
          include: [
            'packages/*/src/**/*.test.ts',
            'packages/*/test/**/*.test.ts',
            'simulation/**/*.test.ts',
            'conformance/**/*.test.ts',
            'reliability/**/*.test.ts',
            'bench/**/*.test.ts',
          ],
          exclude: [...defaultExclude, ...apart],
          // Files share processes: to load the engine or the client anew for each of them would be half of the work.
          isolate: false,
          setupFiles: ['scripts/property-seeds.ts'],
          ...patience,
        },
      },
      { resolve, ssr, test: { name: 'apart', include: apart, ...patience } },
    ],
  },
});
