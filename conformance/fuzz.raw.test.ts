// Hostile requests. `npm run fuzz -- --requests N` sends as many as one likes.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freshSeed, isLong, sizeOf } from '@tidemark/testing';
import { expect, test } from 'vitest';
import type { FuzzReport } from './fuzz/fuzz-run.ts';
import { runFuzz } from './fuzz/fuzz-run.ts';

/** Requests that never get past the first check would prove little. Another seed may miss the rare ones by chance. */
const reached = ['200', '201', '204', '304', '400', '401', '403', '404', '405', '409', '412', '413', '501'];
const reachedOneIn = 10_000;

test('[wire 5] [wire 17.17] [SEC15] hostile requests: every one is answered, none with a 500, and memory stays', async () => {
  const { requests, statuses } = await expectAnswers('tide', sizeOf('requests'));

  expect(reached.filter((status) => (statuses[status] ?? 0) < requests / reachedOneIn)).toEqual([]);
}, 600_000);

test.runIf(isLong)(
  'hostile requests that are drawn anew with every commit are answered, too',
  async () => {
    await expectAnswers(String(freshSeed('requests')), sizeOf('freshRequests'));
  },
  600_000,
);

async function expectAnswers(seed: string, requests: number): Promise<FuzzReport> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-fuzz-'));
  try {
    const report = await runFuzz({ seed, requests, folder });

    expect(report.failures, `npm run fuzz -- --seed ${seed} --requests ${requests}`).toEqual([]);
    expect(report.requests).toBe(requests);
    return report;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
