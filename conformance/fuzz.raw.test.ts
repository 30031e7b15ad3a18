import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runFuzz } from './fuzz/fuzz-run.ts';

const requests = 100_000;

test('[wire 5] [wire 17.17] [SEC15] a hundred thousand hostile requests: every one is answered, none with a 500, and memory stays', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-fuzz-'));
  try {
    const report = await runFuzz({ seed: 'tide', requests, folder });

    expect(report.failures).toEqual([]);
    expect(report.requests).toBe(requests);
    // Requests that never get past the first check would prove little.
    const reached = ['200', '201', '204', '304', '400', '401', '403', '404', '405', '409', '412', '413', '501'];
    expect(reached.filter((status) => (report.statuses[status] ?? 0) < 10)).toEqual([]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}, 600_000);
