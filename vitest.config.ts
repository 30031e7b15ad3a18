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
const patience = { testTimeout: 6 * minuteMs, hookTimeout: 3 * minuteMs };

/** They put something else in the place of a module, which files that share a process would all get. */
const apart = ['packages/server/src/keys-timing.test.ts'];

/** The files of a project share processes: to load all of the engine or the client anew for each would be half of the work. */
const shared = {
  isolate: false,
  setupFiles: ['scripts/property-seeds.ts'],
  exclude: [...defaultExclude, ...apart],
  ...patience,
};

export default defineConfig({
  test: {
    // One of them computes most of the time; those beside it mostly wait for processes, disks and leases.
    maxWorkers: 3,
    sequence: { sequencer: TestOrder },
    globalSetup: ['scripts/before-tests.ts'],
    projects: [
      {
        resolve,
        ssr,
        test: {
          name: 'packages',
          include: ['packages/*/src/**/*.test.ts', 'packages/*/test/**/*.test.ts'],
          ...shared,
        },
      },
      { resolve, ssr, test: { name: 'apart', include: apart, ...patience } },
      {
        resolve,
        ssr,
        test: {
          name: 'simulation',
          include: ['simulation/**/*.test.ts'],
          ...shared,
          testTimeout: 15 * minuteMs,
        },
      },
      {
        resolve,
        ssr,
        test: {
          name: 'conformance',
          include: ['conformance/**/*.test.ts'],
          ...shared,
        },
      },
      {
        resolve,
        ssr,
        test: {
          name: 'bench',
          include: ['bench/**/*.test.ts'],
          ...shared,
        },
      },
      {
        resolve,
        ssr,
        test: {
          name: 'reliability',
          include: ['reliability/**/*.test.ts'],
          ...shared,
          testTimeout: 15 * minuteMs,
        },
      },
    ],
  },
});
