import { expect, test } from 'vitest';
import type { FileSystem, LogFile } from '../src/internal.ts';
import { memoryFiles } from '../src/internal.ts';
import { aContainer, aDocument, keptIndex, openOn, refusal } from './harness.ts';

test('[B1] whoever waits for changes is told when the database is closed', async () => {
  const database = await openOn(memoryFiles());
  const container = await aContainer(database);
  await container.create({ id: '1', pk: 'a' });
  const feed = container.changes();
  const seen: string[] = [];
  const tail = (async () => {
    for await (const { id } of feed) {
      seen.push(id);
      await container.create({ id: '2', pk: 'a' }).catch(() => {}); // The second time it is there already.
    }
  })();
  while (seen.length < 2 || database.figures.waiters === 0) await new Promise((resolve) => setImmediate(resolve));

  await database.close();

  expect((await refusal(tail)).code).toBe('closed');
  expect(seen).toEqual(['1', '2']);
  expect((await refusal(feed.page())).code).toBe('closed');
});

test('[engine 12] a read that is under way when the database is closed leaves no file open', async () => {
  const open = new Set<LogFile>();
  const files = counted(memoryFiles(), open);
  const index = keptIndex();
  const first = await openOn(files, { index });
  const written = await aContainer(first);
  for (let n = 0; n < 40; n += 1) await written.create(aDocument(n, { text: 'x'.repeat(4_000) }));
  await first.close();
  expect(open.size).toBe(0);

  // Opened again, no segment has been read yet: every read opens one.
  const database = await openOn(files, { index });
  const container = await aContainer(database);
  const reads = Array.from({ length: 40 }, (_, n) => refusal(container.read(`d${n}`, `p${n % 5}`)));
  const feeds = Array.from({ length: 5 }, () => refusal(container.changes().page()));
  await database.close();
  const answers = await Promise.all([...reads, ...feeds]);

  expect(open.size).toBe(0);
  expect(answers.every(({ code }) => code === 'accepted' || code === 'closed')).toBe(true);
});

/** The same files; `open` has those that have not been closed. */
function counted(files: FileSystem, open: Set<LogFile>): FileSystem {
  return {
    ...bound(files),
    open: async (path, options) => {
      const file = await files.open(path, options);
      open.add(file);
      const close = file.close.bind(file);
      file.close = () => {
        open.delete(file);
        return close();
      };
      return file;
    },
  };
}

function bound(files: FileSystem): FileSystem {
  return {
    open: (path, options) => files.open(path, options),
    list: (directory) => files.list(directory),
    rename: (from, to) => files.rename(from, to),
    remove: (path) => files.remove(path),
    makeDirectory: (path) => files.makeDirectory(path),
    syncDirectory: (path) => files.syncDirectory(path),
  };
}
