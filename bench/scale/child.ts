// A process of the scale benchmark: opens the folder, does its task, and then writes until it is killed.

import { rmSync } from 'node:fs';
import { drive, perSecond } from '../common/drive.ts';
import { fileBytesIn } from '../common/folder-bytes.ts';
import type { Chance } from '../engine/chance.ts';
import { chanceOf } from '../engine/chance.ts';
import { documentOf } from '../engine/documents.ts';
import { Subject } from '../engine/subject.ts';
import { HeapPeak, memoryOf } from './memory.ts';
import type { ChildMessage, Measured, Task } from './messages.ts';
import { measureCosts } from './probes.ts';
import { measureUpdates } from './updates.ts';

const ranges = 8;
const loaders = 1_000;
/** Enough to fill a page of the feed in each range several times. */
const smallDocuments = 40_000;
const writers = 64;
const progressMs = 1_000;
const acknowledgedMs = 20;
const newestDocuments = 1_000;

// The parent gives exactly this.
const task = JSON.parse(process.argv[2] ?? '{}') as Task;
const chance = chanceOf(task.count + 1);

const processorBefore = process.cpuUsage();
const startedMs = performance.now();
// What is measured says itself when to compact: it would be done in somebody's turn.
const isMaintained = task.role === 'restart';
const subject = await Subject.open(task.folder, {
  ranges,
  maintenance: isMaintained,
  documentBytes: task.documentBytes,
});
const openMs = performance.now() - startedMs;
const { user, system } = process.cpuUsage(processorBefore);
subject.count = task.count;
send({ kind: 'opened', openMs, processorMs: (user + system) / 1_000, tail: tailOf() });

if (task.role === 'updates') {
  await measureUpdates(subject, chance, task, (updated) => {
    send({ kind: 'updated', updated });
    send({ kind: 'progress', text: `${updated.updates} of ${task.updates} updates` });
  });
} else if (task.role === 'step') send({ kind: 'measured', measured: await loadAndMeasure(chance) });
await writeUntilKilled(chance);

async function loadAndMeasure(chance: Chance): Promise<Measured> {
  const peak = new HeapPeak();
  const progress = setInterval(() => send({ kind: 'progress', text: `${subject.count} documents` }), progressMs);
  const loaded = await subject.load(task.target - task.count, loaders);
  clearInterval(progress);
  const heapPeakBytes = peak.stop();
  send({ kind: 'progress', text: `${subject.count} documents: measuring` });
  while (await subject.database.engine.compact({ isLazy: true }));
  const small = await smallSubject();
  const costs = await measureCosts(subject, small, chance, task);
  await small.close();
  return {
    count: subject.count,
    loadedPerSecond: perSecond(loaded),
    costs,
    memory: memoryOf(subject, heapPeakBytes),
    segmentBytes: fileBytesIn(`${task.folder}/segments`),
    indexBytes: (await subject.database.indexBytes()) ?? 0,
  };
}

/** The same at every size, and as fresh. */
async function smallSubject(): Promise<Subject> {
  rmSync(task.smallFolder, { recursive: true, force: true });
  const { documentBytes } = task;
  const small = await Subject.open(task.smallFolder, { ranges, maintenance: false, documentBytes });
  await small.load(smallDocuments, loaders);
  return small;
}

async function writeUntilKilled(chance: Chance): Promise<void> {
  setInterval(() => send({ kind: 'acknowledged', tail: tailOf() }), acknowledgedMs);
  // Updates only: whichever of them survive, the number of documents is known. And of the newest only: what is measured at
  // the start and in the middle of the feed stays as it was.
  const first = Math.max(0, subject.count - newestDocuments);
  await drive({ writers }, () =>
    subject.container.replace(documentOf(first + chance(subject.count - first), 1, subject.like)),
  );
}

function tailOf(): number {
  return subject.container.ranges.reduce((sum, range) => sum + range.tailLsn, 0);
}

function send(message: ChildMessage): void {
  process.send?.(message);
}
