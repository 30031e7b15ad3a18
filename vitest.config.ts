import { defineConfig } from 'vitest/config';
import { TestOrder } from './scripts/test-order.ts';

// Sibling packages resolve to their sources, and what is started as a process is built before, so tests never run against a
// stale build. The condition carries the project's name because users' bundlers enable the common ones, such as `development`.
const conditions = ['tidemark-source', 'node', 'import', 'module', 'default'];
const resolve = { conditions };
const ssr = { resolve: { conditions, externalConditions: conditions } };

const minuteMs = 60_000;

/** A test that takes so long hangs. None is about time, so a machine that is ten times as slow has to be given it. */
const patience = { testTimeout: 6 * minuteMs, hookTimeout: 3 * minuteMs };

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
          ...patience,
        },
      },
      {
        resolve,
        ssr,
        test: {
          name: 'simulation',
          include: ['simulation/**/*.test.ts'],
          ...patience,
          testTimeout: 15 * minuteMs,
        },
      },
      {
        resolve,
        ssr,
        test: {
          name: 'conformance',
          include: ['conformance/**/*.test.ts'],
          ...patience,
        },
      },
      {
        resolve,
        ssr,
        test: {
          name: 'bench',
          include: ['bench/**/*.test.ts'],
          ...patience,
        },
      },
      {
        resolve,
        ssr,
        test: {
          name: 'reliability',
          include: ['reliability/**/*.test.ts'],
          ...patience,
          testTimeout: 15 * minuteMs,
        },
      },
    ],
  },
});
