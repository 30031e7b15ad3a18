// `npm run bench:engine`: the embedded engine beside the raw limits of this machine, in turns, in one run.
//
// Every figure stands beside one that was taken in the same minutes: on a machine that others use too, only ratios mean
// anything. The last line is JSON with everything in it.
//
// It runs compiled, like the engine: under a loader the baselines were up to a third slower, which would flatter the engine.

import { mkdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BareLogProcess } from './baseline/bare-log-process.ts';
import { readOptions } from './common/options.ts';
import { showProgress } from './common/progress.ts';
import { machineFacts, Report } from './common/report.ts';
import { chanceOf } from './engine/chance.ts';
import { loadDatabases } from './engine/load.ts';
import { defaults, usage } from './engine/options.ts';
import { measurePoints } from './engine/points.ts';
import { measureRecovery } from './engine/recovery.ts';
import { measureScale } from './engine/scale.ts';
import type { Setting } from './engine/setting.ts';
import { placeOf } from './engine/setting.ts';
import { measureSpace } from './engine/space.ts';
import { measureSplit } from './engine/split.ts';
import { Subject } from './engine/subject.ts';
import { measureTail } from './engine/tail.ts';
import { withWriters } from './engine/writers.ts';
import { measureBatches, measureWithoutPause, measureWrites } from './engine/writes.ts';

const args = process.argv.slice(2);
if (args.includes('--help')) {
  console.log(usage);
  process.exit(0);
}
const dataFolder = fileURLToPath(new URL('../../data/bench/', import.meta.url));
const options = readOptions(args, { ...defaults, folder: dataFolder });
const wants = (section: string): boolean => options.sections.length === 0 || options.sections.includes(section);
const startedMs = performance.now();
rmSync(options.folder, { recursive: true, force: true });
mkdirSync(options.folder, { recursive: true });

const report = new Report();
const one = await Subject.open(placeOf(options, 'one'), { ranges: 1 });
const setting: Setting = {
  options,
  report,
  chance: chanceOf(42),
  one,
  four: await Subject.open(placeOf(options, 'four'), { ranges: 4 }),
  bareLog: await BareLogProcess.start(placeOf(options, 'bare.log'), { isOneTrip: false }),
  oneTripLog: options.isQuick
    ? undefined
    : await BareLogProcess.start(placeOf(options, 'one-trip.log'), { isOneTrip: true }),
};

await loadDatabases(setting, wants('feed'));
if (wants('recovery')) await setting.one.copyTo(placeOf(options, 'recovery'));
const sections: Readonly<Record<string, (setting: Setting) => Promise<void>>> = {
  'writes,batches': measureInProcesses,
  tail: measureTail,
  points: measurePoints,
  split: measureSplit,
  scale: measureScale,
  space: measureSpace,
  recovery: measureRecovery,
};
for (const [name, measure] of Object.entries(sections)) {
  if (!name.split(',').some(wants)) continue;
  try {
    await measure(setting);
  } catch (error) {
    // The other sections' figures are still wanted.
    console.error(`The section "${name}" failed:`, error);
    process.exitCode = 1;
  }
}
await setting.bareLog.close();
await setting.oneTripLog?.close();
await setting.four.close();
await setting.one.close();
rmSync(options.folder, { recursive: true, force: true });
showProgress('');

const seconds = Math.round((performance.now() - startedMs) / 1_000);
console.log(report.table());
const facts = machineFacts('engine');
console.log(
  `\n${report.failures} not within their floor; ${seconds} s in all; load ${facts.load} on ${facts.cores} cores.`,
);
console.log(report.json({ ...facts, documents: options.documents, isQuick: options.isQuick, seconds }));

function measureInProcesses(given: Setting): Promise<void> {
  return withWriters(given, async (writers) => {
    if (wants('writes')) await measureWrites(given, writers);
    if (wants('batches')) await measureBatches(given, writers);
    // Behind the others: only one of the databases grows by it.
    if (wants('writes') && !given.options.isQuick) await measureWithoutPause(given, writers);
  });
}
