// `npm run bench:server`: the server as its users start it, over real sockets from another process, beside a bare node:http
// server that answers the same bytes, in turns, in one run. The last line is JSON with everything in it.

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '@tidemark/engine';
import { drive } from './common/drive.ts';
import { readOptions } from './common/options.ts';
import { showProgress } from './common/progress.ts';
import { machineFacts, Report } from './common/report.ts';
import { chanceOf } from './engine/chance.ts';
import { documentOf } from './engine/documents.ts';
import { measureFeed } from './server/feed.ts';
import { defaults, usage } from './server/options.ts';
import { ServerProcess } from './server/process.ts';
import { containerId, databaseId } from './server/requests.ts';
import { measurePoints, measureWrites } from './server/requests-per-second.ts';
import { measureSdk } from './server/sdk.ts';
import type { ServerSetting } from './server/setting.ts';
import { measureStart } from './server/start.ts';
import { measureTail } from './server/tail.ts';
import { measureWaiters } from './server/waiters.ts';

const args = process.argv.slice(2);
if (args.includes('--help')) {
  console.log(usage);
  process.exit(0);
}
const dataFolder = fileURLToPath(new URL('../../data/bench-server/', import.meta.url));
const options = readOptions(args, { ...defaults, folder: dataFolder });
const wants = (section: string): boolean => options.sections.length === 0 || options.sections.includes(section);
const startedMs = performance.now();
rmSync(options.folder, { recursive: true, force: true });
mkdirSync(options.folder, { recursive: true });

const folder = join(options.folder, 'data');
const failed: string[] = [];
const report = new Report();
const shared = { options, report, chance: chanceOf(42), folder };

// These start servers of their own on the same folder.
const alone: Readonly<Record<string, (setting: ServerSetting) => Promise<void>>> = {
  start: measureStart,
  waiters: measureWaiters,
};
const together: Readonly<Record<string, (setting: ServerSetting) => Promise<void>>> = {
  points: measurePoints,
  feed: measureFeed,
  tail: measureTail,
  writes: measureWrites,
  sdk: measureSdk,
};
await attempt('all', async () => {
  await fill(folder, options.documents);
  await using bare = await ServerProcess.startBare();
  for (const [name, measure] of Object.entries(alone)) await run(name, measure, { ...shared, bare, server: bare });
  await using server = await ServerProcess.start(['--data', folder]);
  for (const [name, measure] of Object.entries(together)) await run(name, measure, { ...shared, bare, server });
});
rmSync(options.folder, { recursive: true, force: true });
showProgress('');

const seconds = Math.round((performance.now() - startedMs) / 1_000);
console.log(report.table());
const facts = machineFacts('server');
console.log(
  `\n${report.failures} not within their floor; ${seconds} s in all; load ${facts.load} on ${facts.cores} cores.`,
);
console.log(report.json({ ...facts, documents: options.documents, isQuick: options.isQuick, seconds, failed }));

async function run(
  name: string,
  measure: (setting: ServerSetting) => Promise<void>,
  setting: ServerSetting,
): Promise<void> {
  if (wants(name)) await attempt(name, () => measure(setting));
}

/** The other sections' figures are still wanted, and the line of JSON in any case. */
async function attempt(name: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    console.error(`The section "${name}" failed:`, error);
    failed.push(name);
    process.exitCode = 1;
  }
}

/** In one range, through the engine: only reading and writing over HTTP is measured. */
async function fill(data: string, documents: number): Promise<void> {
  await using database = await openDatabase({ folder: data, maintenance: false });
  await database.createDatabase(databaseId);
  const definition = { id: containerId, partitionKey: { paths: ['/pk'], kind: 'Hash', version: 2 } };
  const container = await database.createContainer(databaseId, definition);
  let n = 0;
  const insert = (): Promise<unknown> => {
    if (n % 50_000 === 0) showProgress(`loading ${n} of ${documents} documents`);
    return container.create(documentOf(n++, 0));
  };
  await drive({ writers: 1_000, operations: documents }, insert);
  await database.engine.settle();
}
