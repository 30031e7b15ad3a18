// `npm run bench:peers`: Tidemark beside what people would use instead, in turns, in one run. Every peer is brought by the bench
// itself, started on loopback, and used by its own ordinary client. The last line is JSON with all ratios in it.

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { showProgress } from './common/progress.ts';
import { runContest } from './peers/contest.ts';
import { contestantOf } from './peers/contestants.ts';
import { goalLines, judge } from './peers/goals.ts';
import { readPeersOptions, usage } from './peers/options.ts';
import { isRealTimeHere, placementHere } from './peers/placement.ts';
import { publish, writeResult } from './peers/publish.ts';
import { factsOf, ratiosOf, resultOf } from './peers/result.ts';
import { tableText } from './peers/table.ts';

const args = process.argv.slice(2);
if (args.includes('--help')) {
  console.log(usage);
  process.exit(0);
}
const root = fileURLToPath(new URL('../../', import.meta.url));
const options = readPeersOptions(args, join(root, 'data/bench-peers'));
const startedMs = performance.now();
rmSync(options.folder, { recursive: true, force: true });
mkdirSync(options.folder, { recursive: true });
const placement = placementHere();
if (isRealTimeHere()) {
  console.error(
    'This runs with a real-time priority: threads of a server wait for each other. Its figures are not to be compared.',
  );
}
const { standings, present, leftOut } = await runContest(options, placement);
rmSync(options.folder, { recursive: true, force: true });
showProgress('');

const seconds = Math.round((performance.now() - startedMs) / 1_000);
const verdicts = judge(standings, options.works);
const facts = factsOf({ options, placement: placement.text, present, seconds });
const shown = present.map(({ id }) => contestantOf(id));
console.log(tableText({ standings, works: options.works, contestants: shown }));
console.log('\nA column with × says how many times as good that way to use Tidemark is; below 1 it is behind.');
for (const { id, version } of present) {
  const { name, client } = contestantOf(id);
  console.log(`${name} ${version}: ${client}`);
}
for (const { id, reason } of leftOut) console.log(`${contestantOf(id).name} is left out: ${reason}`);
console.log(`\n${goalLines(verdicts).join('\n')}`);
if (options.isQuick) console.log('A quick run is too short for servers on Node to be warm: it flatters the others.');
console.log(
  `\n${options.rounds} rounds, ${seconds} s in all; ${placement.text}; load ${facts.load} on ${facts.cores} cores.`,
);
const result = resultOf({ facts, standings, options, present, leftOut, verdicts });
writeResult(join(root, 'data/bench-peers.json'), result);
if (options.isPublished) publish(root, result);
console.log(JSON.stringify({ ...facts, leftOut, ratios: ratiosOf(standings, options.works, present) }));
