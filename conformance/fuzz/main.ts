// More random requests than `npm test` sends.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCommandLine } from '@tidemark/testing';
import { runFuzz } from './fuzz-run.ts';

const asked = readCommandLine({
  usage: `Sends a server random requests, most of them almost right: none may be answered with 500 or not at all.

  npm run fuzz -- [--requests 100000] [--seed TEXT]`,
  values: { requests: '100000', seed: String(Date.now()) },
  numbers: ['requests'],
});
const seed = asked.text('seed') ?? '';
const folder = await mkdtemp(join(tmpdir(), 'tidemark-fuzz-'));
console.log(`seed ${seed}`);
const startedMs = performance.now();
const report = await runFuzz({
  seed,
  requests: asked.number('requests'),
  folder,
  onProgress: (done) => console.log(`${done} requests`),
});
console.log(report.statuses, `${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
for (const failure of report.failures) console.error(failure);
await rm(folder, { recursive: true });
process.exitCode = report.failures.length === 0 ? 0 : 1;
