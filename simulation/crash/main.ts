// A writer that is killed again and again, more often than in `npm test`.

import { cpSync, openSync, rmSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCommandLine } from '@tidemark/testing';
import { runCrashes } from './crash-run.ts';

const asked = readCommandLine({
  usage: `Kills a process that writes, with SIGKILL, again and again, and looks what the next one finds.

  npm run simulate:crash -- [--kills 2000] [--seed TEXT]
      --folder PATH     where to work, and what to leave there (otherwise a folder of its own, which is removed)
      --trace FILE      everything the writers say; and PATH.found, the folder as the last writer found it
      --verbose         a line for each kill, not for every fiftieth`,
  values: { kills: '2000', seed: String(Date.now()), folder: undefined, trace: undefined },
  numbers: ['kills'],
  switches: { verbose: false },
});
const seed = asked.text('seed') ?? '';
const tracePath = asked.text('trace');
const folder = asked.text('folder') ?? (await mkdtemp(join(tmpdir(), 'tidemark-crash-')));
console.log(`seed ${seed}, folder ${folder}`);
const trace = tracePath === undefined ? undefined : openSync(tracePath, 'w');
const startedMs = performance.now();
const report = await runCrashes({
  folder,
  kills: asked.number('kills'),
  seed,
  ...(trace === undefined
    ? {}
    : { onMessage: (kill: number, message: unknown) => writeSync(trace, `${kill} ${JSON.stringify(message)}\n`) }),
  onKill: (kill, summary) => {
    // What the next writer finds; when that one fails, this is what to look at.
    if (trace !== undefined) {
      rmSync(`${folder}.found`, { recursive: true, force: true });
      cpSync(folder, `${folder}.found`, { recursive: true });
    }
    if (asked.isOn('verbose') || kill % 50 === 0) console.log(`${kill}: ${summary}`);
  },
});
console.log(report, `${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
if (asked.text('folder') === undefined) await rm(folder, { recursive: true });
