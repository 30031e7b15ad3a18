// `npm run bench:query`: queries beside those of others who read JSON without an index, in turns, in one run; and what other clients
// see of it while somebody asks something hostile. The last line is JSON with everything in it.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { showProgress } from './common/progress.ts';
import { debianPeers, installDebian } from './peers/install/debian.ts';
import { installPackages } from './peers/install/npm.ts';
import type { SizeFound } from './query/contest.ts';
import { messageOf, runSize } from './query/contest.ts';
import type { ContestantId } from './query/contestants.ts';
import { contestantOf } from './query/contestants.ts';
import { goalLines } from './query/goals.ts';
import type { HostileFound } from './query/hostile.ts';
import { measureHostile } from './query/hostile.ts';
import { readQueryOptions, usage } from './query/options.ts';
import { publish } from './query/publish.ts';
import { resultOf } from './query/result.ts';
import { hostileTable, sizeTable, terminalText } from './query/table.ts';

const args = process.argv.slice(2);
if (args.includes('--help')) {
  console.log(usage);
  process.exit(0);
}
const root = fileURLToPath(new URL('../../', import.meta.url));
const options = readQueryOptions(args, join(root, 'data/bench-query'));
const missing = await bring(options.contestants);
const startedMs = performance.now();
rmSync(options.folder, { recursive: true, force: true });
mkdirSync(options.folder, { recursive: true });

const sizes: SizeFound[] = [];
const hostile: { documents: number; found: HostileFound }[] = [];
for (const documents of options.sizes) {
  const beside = async (port: number): Promise<void> => {
    if (!options.isHostile || documents !== options.sizes.at(-1)) return;
    for (const found of await measureHostile(port, documents, options)) hostile.push({ documents, found });
  };
  sizes.push(await runSize(documents, options, missing, beside));
  rmSync(join(options.folder, String(documents)), { recursive: true, force: true });
}
rmSync(options.folder, { recursive: true, force: true });
showProgress('');

const seconds = Math.round((performance.now() - startedMs) / 1_000);
const result = resultOf({ options, sizes, hostile, seconds });
const tables = result.sizes.map((size) => sizeTable(size, options.questions, options.contestants));
if (result.hostile.length > 0) tables.push(hostileTable(result.hostile));
console.log(tables.map(terminalText).join('\n\n'));
console.log(
  '\nIn brackets: how many times as quick Tidemark is, embedded; beside @vercel/cosmosdb-server through the same client.',
);
console.log(`\n${goalLines(result.goals).join('\n')}`);
const { cores, load } = result.facts;
console.log(`\n${options.rounds} rounds, ${seconds} s in all; load ${load} on ${cores} cores.`);
mkdirSync(join(root, 'data'), { recursive: true });
writeFileSync(join(root, 'data/bench-query.json'), `${JSON.stringify(result, undefined, 2)}\n`);
if (options.isPublished) publish(root, result, tables);
console.log(JSON.stringify(result));

/** Those who could not be brought, with the reason. */
async function bring(wanted: readonly ContestantId[]): Promise<ReadonlyMap<ContestantId, string>> {
  const reasons = new Map<ContestantId, string>();
  const needs = new Set(wanted.flatMap((id) => contestantOf(id).needs));
  for (const need of needs) {
    showProgress(`bringing ${need} (the first time it is downloaded)`);
    try {
      await (need === 'npm' ? installPackages() : installDebian(debianPeers.postgres));
    } catch (error) {
      for (const id of wanted) {
        if (contestantOf(id).needs.includes(need)) reasons.set(id, `it could not be installed: ${messageOf(error)}`);
      }
    }
  }
  return reasons;
}
