// npm run simulate:crash -- --kills 2000 [--seed text] [--folder path] [--verbose] [--trace file]

import { cpSync, openSync, rmSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runCrashes } from './crash-run.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '2000' },
    seed: { type: 'string', default: String(Date.now()) },
    folder: { type: 'string' },
    trace: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
});
const folder = values.folder ?? (await mkdtemp(join(tmpdir(), 'tidemark-crash-')));
console.log(`seed ${values.seed}, folder ${folder}`);
const trace = values.trace === undefined ? undefined : openSync(values.trace, 'w');
const startedMs = performance.now();
const report = await runCrashes({
  folder,
  kills: Number(values.kills),
  seed: values.seed,
  ...(trace === undefined
    ? {}
    : { onMessage: (kill: number, message: unknown) => writeSync(trace, `${kill} ${JSON.stringify(message)}\n`) }),
  onKill: (kill, summary) => {
    // What the next writer finds; when that one fails, this is what to look at.
    if (trace !== undefined) {
      rmSync(`${folder}.found`, { recursive: true, force: true });
      cpSync(folder, `${folder}.found`, { recursive: true });
    }
    if (values.verbose || kill % 50 === 0) console.log(`${kill}: ${summary}`);
  },
});
console.log(report, `${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
if (values.folder === undefined) await rm(folder, { recursive: true });
