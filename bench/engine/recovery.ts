// Killed in the middle of writing and opened again, with the index and without; and the memory that it all takes.

import { fork } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { showProgress } from '../common/progress.ts';
import type { ChildMessage, MemoryFigures } from './child.ts';
import type { Setting } from './setting.ts';
import { placeOf } from './setting.ts';

/** As compiled, beside this file. */
const childPath: string = fileURLToPath(new URL('./child.js', import.meta.url));
const writingMs = 1_000;
const mebibyte: number = 1024 * 1024;

/** In a copy that was taken when the database held its first documents and nothing else. */
export async function measureRecovery({ report, options }: Setting): Promise<void> {
  const folder = placeOf(options, 'recovery');
  const count = options.documents;
  report.section(`recovery and memory, ${count} documents`);
  // Before anything else is written: the log has these documents, each once or twice, and nothing else.
  showProgress('recovery: rebuilding the index');
  const asItWas = await openInChild(folder, count);
  rmSync(join(folder, 'index'), { recursive: true });
  const rebuilt = await openInChild(folder, count);
  showProgress('recovery: writing until killed');
  const { memory, acknowledged } = await writeAndKill(folder, count);
  showProgress('recovery: opening');
  const opened = await openInChild(folder, count);
  report.add({
    id: 'recovery',
    label: 'killed while 64 write → open',
    figure: opened.openMs / 1_000,
    unit: 's',
    bound: { kind: 'at most', floor: 2 },
  });
  const lost = Math.max(0, acknowledged - opened.tail);
  const none = { kind: 'at most', floor: 0 } as const;
  report.add({ id: 'recovery-lost', label: 'acknowledged and lost', figure: lost, unit: 'writes', bound: none });
  report.add({
    id: 'rebuild',
    label: 'index deleted → open, beyond an open with it, per million',
    figure: ((rebuilt.openMs - asItWas.openMs) / 1_000) * (1_000_000 / count),
    unit: 's',
    bound: { kind: 'at most', floor: 30 },
  });
  addMemory(report, 'memory-open', 'just opened', opened);
  addMemory(report, 'memory-writing', 'after a second of 1,000 writers', memory);
  const bits = (opened.bitmapBytes * 8) / opened.tail;
  report.add({ id: 'memory-bitmap', label: 'bitmaps, off-heap', figure: bits, unit: 'bits a record' });
}

function addMemory(report: Setting['report'], id: string, label: string, memory: MemoryFigures): void {
  const add = (what: string, bytes: number): void =>
    report.add({ id: `${id}-${what}`, label: `${label}: ${what}`, figure: bytes / mebibyte, unit: 'MiB' });
  add('heap', memory.heapBytes);
  add('rss', memory.rssBytes);
  add('array buffers', memory.arrayBufferBytes);
}

function writeAndKill(folder: string, count: number): Promise<{ memory: MemoryFigures; acknowledged: number }> {
  return new Promise((resolve, reject) => {
    const child = fork(childPath, ['write', folder, `${count}`]);
    let memory: MemoryFigures | undefined;
    let acknowledged = 0;
    child.on('message', (message: ChildMessage) => {
      if (message.kind === 'memory') {
        memory = message;
        setTimeout(() => child.kill('SIGKILL'), writingMs);
      }
      if (message.kind === 'acknowledged') acknowledged = message.tail;
    });
    child.on('exit', (code) => {
      if (memory === undefined || code !== null) reject(new Error(`The writing process ended by itself (${code}).`));
      else resolve({ memory, acknowledged });
    });
  });
}

function openInChild(folder: string, count: number): Promise<Extract<ChildMessage, { kind: 'opened' }>> {
  return new Promise((resolve, reject) => {
    const child = fork(childPath, ['open', folder, `${count}`]);
    let opened: Extract<ChildMessage, { kind: 'opened' }> | undefined;
    child.on('message', (message: ChildMessage) => {
      if (message.kind === 'opened') opened = message;
    });
    child.on('exit', (code) => {
      if (opened === undefined || code !== 0) reject(new Error(`The folder could not be opened again (${code}).`));
      else resolve(opened);
    });
  });
}
