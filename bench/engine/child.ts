// A process of its own: one that writes until it is killed, or one that opens the folder and says how long that took.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { drive } from '../common/drive.ts';
import { chanceOf } from './chance.ts';
import { Subject } from './subject.ts';

export interface MemoryFigures {
  readonly heapBytes: number;
  readonly rssBytes: number;
  readonly arrayBufferBytes: number;
  readonly bitmapBytes: number;
}

export type ChildMessage =
  | ({ readonly kind: 'memory' } & MemoryFigures)
  | { readonly kind: 'acknowledged'; readonly tail: number }
  | ({ readonly kind: 'opened'; readonly openMs: number; readonly tail: number } & MemoryFigures);

const [role, folder, documents] = process.argv.slice(2);
if (folder === undefined || documents === undefined) throw new Error('child.ts write|open FOLDER DOCUMENTS');

if (role === 'write') await writeUntilKilled(folder, Number(documents));
else await openOnce(folder);

async function writeUntilKilled(path: string, count: number): Promise<void> {
  const subject = await Subject.open(path, { ranges: 1 });
  subject.count = count;
  const chance = chanceOf(7);
  await drive({ writers: 1_000, turnMs: 1_000, settle: subject.settle }, () => subject.update(chance));
  send({ kind: 'memory', ...memoryOf(subject) });
  setInterval(() => send({ kind: 'acknowledged', tail: tailOf(subject) }), 20);
  await drive({ writers: 64 }, () => subject.update(chance));
}

async function openOnce(path: string): Promise<void> {
  const startedMs = performance.now();
  const subject = await Subject.open(path, { ranges: 1 });
  const openMs = performance.now() - startedMs;
  send({ kind: 'opened', openMs, tail: tailOf(subject), ...memoryOf(subject) });
  await subject.close();
  process.disconnect?.();
}

function tailOf(subject: Subject): number {
  return subject.container.ranges.reduce((sum, range) => sum + range.tailLsn, 0);
}

function memoryOf(subject: Subject): MemoryFigures {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void; // The flag above makes V8 define it in new contexts.
  collect();
  const { heapUsed, rss, arrayBuffers } = process.memoryUsage();
  const { bitmapBytes } = subject.database.figures;
  return { heapBytes: heapUsed, rssBytes: rss, arrayBufferBytes: arrayBuffers, bitmapBytes };
}

function send(message: ChildMessage): void {
  process.send?.(message);
}
