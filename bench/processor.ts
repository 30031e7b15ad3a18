// `npm run bench:processor`: the processor against a server as its users start it, beside those who only read the feed, the
// official client, and the rules of .NET, in one run. The last line is JSON with everything in it.

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readOptions } from './common/options.ts';
import { showProgress } from './common/progress.ts';
import { machineFacts, Report } from './common/report.ts';
import { measureBalance } from './processor/balance.ts';
import { measureDuplicates } from './processor/duplicates.ts';
import { measureIdle } from './processor/idle.ts';
import { measureLatency } from './processor/latency.ts';
import { defaults, usage } from './processor/options.ts';
import type { ProcessorSetting } from './processor/setting.ts';
import { clientOf, fill, split } from './processor/setting.ts';
import { measureTakeover } from './processor/takeover.ts';
import { measureThroughput } from './processor/throughput.ts';
import { ServerProcess } from './server/process.ts';

const args = process.argv.slice(2);
if (args.includes('--help')) {
  console.log(usage);
  process.exit(0);
}
const dataFolder = fileURLToPath(new URL('../../data/bench-processor/', import.meta.url));
const options = readOptions(args, { ...defaults, folder: dataFolder });
const startedMs = performance.now();
rmSync(options.folder, { recursive: true, force: true });
mkdirSync(options.folder, { recursive: true });

const folder = join(options.folder, 'data');
await fill(folder, options.documents);
const report = new Report();
const sections: Readonly<Record<string, (setting: ProcessorSetting) => Promise<void>>> = {
  throughput: measureThroughput,
  latency: measureLatency,
  balance: measureBalance,
  takeover: measureTakeover,
  duplicates: measureDuplicates,
  idle: measureIdle,
};
{
  await using server = await ServerProcess.start(['--data', folder]);
  const setting = { options, report, server, client: clientOf(server) };
  await split(setting.client);
  for (const [name, measure] of Object.entries(sections)) {
    if (options.sections.length > 0 && !options.sections.includes(name)) continue;
    try {
      await measure(setting);
    } catch (error) {
      // The other sections' figures are still wanted.
      console.error(`The section "${name}" failed:`, error);
      process.exitCode = 1;
    }
  }
}
rmSync(options.folder, { recursive: true, force: true });
showProgress('');

const seconds = Math.round((performance.now() - startedMs) / 1_000);
console.log(report.table());
const facts = machineFacts('processor');
console.log(
  `\n${report.failures} not within their floor; ${seconds} s in all; load ${facts['load']} on ${facts['cores']} cores.`,
);
console.log(report.json({ ...facts, documents: options.documents, isQuick: options.isQuick, seconds }));
