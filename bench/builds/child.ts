// The process of a build: a database of that build, and turns of one kind of work.

import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { drive } from '../common/drive.ts';
import { chanceOf } from '../engine/chance.ts';
import { documentIn, partitionKeyOf } from '../engine/documents.ts';
import type { Subject } from '../engine/subject.ts';
import type { BuildTurn, TurnFigures, Work } from './turn.ts';

const [checkout, folder, text] = process.argv.slice(2);
if (checkout === undefined || folder === undefined || text === undefined)
  throw new Error('child.ts CHECKOUT FOLDER WORK');
const work = JSON.parse(text) as Work; // Its parent has written it.
const documents = 30_000;
const batchDocuments = 100;
const batchPartitions = 100;
const warmUpMs = 2_000;

// Of the build that is measured; whoever drives it is the same for all.
const module = (await import(`${pathToFileURL(checkout)}/bench/dist/engine/subject.js`)) as { Subject: typeof Subject };
const subject = await module.Subject.open(folder, { ranges: 1 });
const chance = chanceOf(42);
const perOperation = work.kind === 'batches' ? batchDocuments : 1;
const operation = work.kind === 'batches' ? putBatch : (): Promise<unknown> => subject.upsert(chance);

process.on('message', async (turn: BuildTurn) => process.send?.(await figuresOf(turn)));
process.on('disconnect', () => void subject.close());
await subject.load(documents, 1_000);
await drive({ writers: work.writers, turnMs: warmUpMs }, operation);
await subject.rested();
process.send?.('ready');

async function figuresOf({ turnMs, rampMs }: BuildTurn): Promise<TurnFigures> {
  const beforeMicros = mainMicros();
  let written = 0;
  const { writers } = work;
  const driven = await drive({ writers, turnMs, rampMs, settle: subject.settle }, async () => {
    await operation();
    written += perOperation;
  });
  const afterMicros = mainMicros();
  await subject.rested();
  const counted = driven.operations * perOperation;
  return {
    perSecond: (counted / driven.elapsedMs) * 1_000,
    processorMicros: (driven.processorMs * 1_000) / counted,
    mainMicros: (afterMicros - beforeMicros) / written,
  };
}

function putBatch(): Promise<unknown> {
  const partition = chance(batchPartitions);
  const operations = Array.from({ length: batchDocuments }, (_, i) => ({ upsert: documentIn(partition, i, 1) }));
  return subject.container.batch(partitionKeyOf(partition), operations);
}

/** What the system has counted for the first thread; it counts nanoseconds. */
function mainMicros(): number {
  if (process.platform !== 'linux') return Number.NaN;
  return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1_000;
}
