// npm run fuzz -- [--requests 1000000] [--seed text]

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runFuzz } from './fuzz-run.ts';

const { values } = parseArgs({
  options: { requests: { type: 'string', default: '100000' }, seed: { type: 'string', default: String(Date.now()) } },
});
const folder = await mkdtemp(join(tmpdir(), 'tidemark-fuzz-'));
console.log(`seed ${values.seed}`);
const startedMs = performance.now();
const report = await runFuzz({
  seed: values.seed,
  requests: Number(values.requests),
  folder,
  onProgress: (done) => console.log(`${done} requests`),
});
console.log(report.statuses, `${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
for (const failure of report.failures) console.error(failure);
await rm(folder, { recursive: true });
process.exitCode = report.failures.length === 0 ? 0 : 1;
