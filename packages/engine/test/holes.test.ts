import { MemoryIndexDisk, PowerCutFiles } from '@tidemark/testing';
import { expect, test } from 'vitest';
import type { Database } from '../src/database.ts';
import type { FileSystem, IndexProvider } from '../src/internal.ts';
import { segmentPath } from '../src/log/segment.ts';
import { aContainer, aDocument, feedOf, openOn } from './harness.ts';

test('[engine 4] what lies behind a hole stays lost when the hole is filled, without a flush for each write', async () => {
  const index = new MemoryIndexDisk();
  const first = new PowerCutFiles();
  const before = await open(first, index);
  await (await aContainer(before)).upsert(aDocument(1));
  await before.close();
  const covered = index.stateCount - 1;
  const second = first.kill();
  const running = await open(second, index, covered);
  const { active } = running.engine.state.segments;
  const from = active.usedBytes;
  await running.container('d', 'c').upsert(aDocument(2));
  const to = active.usedBytes;
  await running.container('d', 'c').upsert(aDocument(3));

  // The system writes to the disk in its own order: of two frames the later one got there.
  const third = second.kill();
  await zero(third, segmentPath(active.id), from, to);
  const afterCut = await open(third, index, covered);
  const found = await feedOf(afterCut.container('d', 'c'));
  await afterCut.container('d', 'c').upsert(aDocument(7));
  const afterKill = await open(third.kill(), index, covered);
  const foundAgain = await feedOf(afterKill.container('d', 'c'));
  await afterKill.close();

  expect([...found.keys()]).toEqual(['d1']);
  expect([...foundAgain.keys()]).toEqual(['d1', 'd7']);
});

function open(files: FileSystem, disk: MemoryIndexDisk, state?: number): Promise<Database> {
  const index: IndexProvider = { open: async () => disk.open(state), discard: async () => {} };
  return openOn(files, { index, sync: 'os' });
}

async function zero(files: FileSystem, path: string, from: number, to: number): Promise<void> {
  const file = await files.open(path);
  await file.write(Buffer.alloc(to - from), from);
  await file.close();
}
