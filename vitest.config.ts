import { defineConfig } from 'vitest/config';

// Sibling packages resolve to their sources, so tests never run against a stale build. The condition carries the
// project's name because users' bundlers enable the common ones, such as `development`.
const conditions = ['tidemark-source', 'node', 'import', 'module', 'default'];
const resolve = { conditions };
const ssr = { resolve: { conditions, externalConditions: conditions } };

const minuteMs = 60_000;

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      {
        resolve,
        ssr,
        test: {
          name: 'packages',
          include: ['packages/*/src/**/*.test.ts', 'packages/*/test/**/*.test.ts'],
          testTimeout: minuteMs,
          hookTimeout: minuteMs,
        },
      },
      {
        resolve,
        ssr,
        test: {
          name: 'simulation',
          include: ['simulation/**/*.test.ts'],
          testTimeout: 8 * minuteMs,
          hookTimeout: minuteMs,
        },
      },
      {
        resolve,
        ssr,
        test: {
          name: 'conformance',
          include: ['conformance/**/*.test.ts'],
          testTimeout: 4 * minuteMs,
          hookTimeout: minuteMs,
        },
      },
      {
        resolve,
        ssr,
        test: {
          name: 'bench',
          include: ['bench/**/*.test.ts'],
          testTimeout: minuteMs,
        },
      },
      {
        resolve,
        ssr,
        test: {
          name: 'reliability',
          include: ['reliability/**/*.test.ts'],
          globalSetup: ['reliability/build.ts'],
          testTimeout: 8 * minuteMs,
          hookTimeout: minuteMs,
        },
      },
    ],
  },
});
