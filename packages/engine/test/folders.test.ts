import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mountSmallDisk } from '@tidemark/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { openDatabase } from '../src/database.ts';
import { metaKey, metaKind, treeBounds } from '../src/index/keys.ts';
import type { IndexProvider } from '../src/internal.ts';
import { memoryFiles } from '../src/internal.ts';
import { openInProcess } from './fault-kit.ts';
import { aContainer, aDocument, aFolder, feedOf, keptIndex, openOn, refusal } from './harness.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function tempFolder(): string {
  const folder = aFolder();
  folders.push(folder);
  return folder;
}

describe('folders', () => {
  test('[engine 12] a folder with other things in it is refused and named', async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'holiday.jpg'), 'x');

    const { code, message } = await refusal(openDatabase({ folder }));

    expect(code).toBe('folder-foreign');
    expect(message).toContain(folder);
    expect(message).toContain('holiday.jpg');
    expect(message).toContain('Choose an empty folder');
    expect(existsSync(join(folder, 'TIDEMARK'))).toBe(false);
  });

  test.each(['', '/below'])('[engine 12] a folder whose path is that of a file%s is refused', async (below) => {
    const file = join(tempFolder(), 'notes.txt');
    writeFileSync(file, 'x');

    const { code, message } = await refusal(openDatabase({ folder: `${file}${below}` }));

    expect(code).toBe('folder-foreign');
    expect(message).toContain(file);
    expect(readFileSync(file, 'utf8')).toBe('x');
  });

  test.each(['', 'not json', '{"format":"one"}', '[]', 'null'])(
    '[engine 12] a folder whose mark is %j is refused',
    async (mark) => {
      const folder = tempFolder();
      writeFileSync(join(folder, 'TIDEMARK'), mark);

      const { code, message } = await refusal(openDatabase({ folder }));

      expect(code).toBe('folder-foreign');
      expect(message).toContain('TIDEMARK');
    },
  );

  test.each([
    [5, 'format-newer', 'Use a newer version'],
    [1, 'format-older', 'with the version that wrote it'],
    [2, 'format-older', 'with the version that wrote it'],
  ] as const)('[engine 12] a folder of format %i is refused as %s', async (format, expected, advice) => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'TIDEMARK'), JSON.stringify({ format, createdMs: 0 }));

    const { code, message } = await refusal(openDatabase({ folder }));

    expect(code).toBe(expected);
    expect(message).toContain(advice);
  });

  test('[engine 12] a folder of format 3 is opened, and marked before anything is written that its readers would misread', async () => {
    const folder = tempFolder();
    const first = await openDatabase({ folder, maintenance: false });
    await (await aContainer(first)).create(aDocument(1));
    await first.close();
    const mark = join(folder, 'TIDEMARK');
    const segments = readdirSync(join(folder, 'segments')).map((name) => join(folder, 'segments', name));
    writeFileSync(mark, JSON.stringify({ format: 3, createdMs: 0 }));
    for (const segment of segments) {
      const bytes = readFileSync(segment);
      bytes.writeUInt32LE(3, 8);
      writeFileSync(segment, bytes);
    }

    const second = await openDatabase({ folder, maintenance: false });
    const found = await second.container('d', 'c').read('d1', 'p1');
    await second.close();

    expect(segments.length).toBeGreaterThan(0);
    expect(found?.value.id).toBe('d1');
    expect(JSON.parse(readFileSync(mark, 'utf8'))).toEqual({ format: 4, createdMs: 0 });
  });

  test('[engine 12] an index of another format is made anew from the log', async () => {
    const files = memoryFiles();
    const index = keptIndex();
    const first = await openOn(files, { index });
    const documents = Array.from({ length: 20 }, (_, n) => aDocument(n));
    for (const document of documents) await (await aContainer(first)).create(document);
    await first.close();
    const key = metaKey(metaKind.checkpoint, 0);
    const store = await index.open();
    const { format, ...checkpoint } = JSON.parse(store.get(key)?.toString() ?? '') as { format: number };
    const changes = store.range({ ...treeBounds('frames'), limit: 1_000 }).map((entry) => ({
      key: entry.key,
      value: entry.value.subarray(0, 44),
    }));
    await store.apply([...changes, { key, value: Buffer.from(JSON.stringify(checkpoint)) }]);
    await store.sync();
    await store.close();

    const second = await openOn(files, { index });
    const found = await feedOf(second.container('d', 'c'));
    const { problems } = await second.check();
    await second.close();

    expect(format).toBeGreaterThan(0);
    expect(changes).not.toEqual([]);
    expect([...found.keys()].sort()).toEqual(documents.map(({ id }) => id).sort());
    expect(problems).toEqual([]);
  });

  test('[engine 12] a folder that is open in this process is refused, and can be opened once it is closed', async () => {
    const folder = tempFolder();
    const first = await openDatabase({ folder });

    const { code, message } = await refusal(openDatabase({ folder }));
    await first.close();
    const second = await openDatabase({ folder });
    await second.close();

    expect(code).toBe('folder-in-use');
    expect(message).toContain(`process ${process.pid}`);
    expect(message).toContain('close the database first');
  });

  test('[engine 12] a folder that is deleted under a running database ends its writes, and the health says why', async () => {
    const folder = tempFolder();
    const database = await openDatabase({ folder });
    const container = await aContainer(database);
    await container.upsert(aDocument(1));

    rmSync(folder, { recursive: true });
    await expect.poll(() => database.health.status, { timeout: 120_000 }).toBe('read-only');
    const { code, message } = await refusal(container.upsert(aDocument(2)));
    await database.close();

    expect(database.health.message).toContain('deleted or moved');
    expect(code).toBe('read-only');
    expect(message).toContain('deleted or moved');
    expect(existsSync(folder)).toBe(false);
  });

  test('[engine 12] a folder that is open in another process is refused, and the message names that process', async () => {
    const folder = tempFolder();
    const other = openInProcess(folder);
    const opened = await other.answer;

    const { code, message } = await refusal(openDatabase({ folder }));
    other.child.send('close');
    await once(other.child, 'exit');

    expect(opened).toMatchObject({ code: 'opened' });
    expect(code).toBe('folder-in-use');
    expect(message).toContain(`process ${other.child.pid}`);
    expect(message).toContain('Stop that process');
  });

  test('[engine 12] a refused open leaves nothing open: the folder can be tried again', async () => {
    const folder = tempFolder();
    await (await openDatabase({ folder })).close();
    const mark = readFileSync(join(folder, 'TIDEMARK'));
    writeFileSync(join(folder, 'TIDEMARK'), '{"format":9}');

    const refused = await refusal(openDatabase({ folder }));
    writeFileSync(join(folder, 'TIDEMARK'), mark);
    const database = await openDatabase({ folder });
    await database.close();

    expect(refused.code).toBe('format-newer');
  });

  test('[engine 12] a folder that cannot be written is refused with what to do', async (context) => {
    const disk = mountSmallDisk(8 * 1024 * 1024);
    if ('reason' in disk) return context.skip(disk.reason);
    try {
      await (await openDatabase({ folder: disk.folder, maintenance: false })).close();
      disk.remount('ro');

      const first = await refusal(openDatabase({ folder: disk.folder }));
      const again = await refusal(openDatabase({ folder: disk.folder }));
      disk.remount('rw');
      const database = await openDatabase({ folder: disk.folder, maintenance: false });
      await database.close();

      expect(first.code).toBe('read-only');
      expect(first.message).toContain('Make it writable');
      expect(again.code).toBe('read-only');
    } finally {
      disk.unmount();
    }
  });

  test('[engine 4] a folder without one of its segments is refused, and the segment is named', async () => {
    const files = memoryFiles();
    const index = keptIndex();
    await fill(files, index);
    const names = (await files.list('segments')).sort();
    await files.remove(`segments/${names[1]}`);

    const withIndex = await refusal(openOn(files, { index }));
    const withoutIndex = await refusal(openOn(files));

    expect(withIndex.code).toBe('corrupt');
    expect(withIndex.message).toContain(`segments/${names[1]}`);
    expect(withoutIndex.code).toBe('corrupt');
    expect(withoutIndex.message).toContain('segments/');
  });
});

async function fill(files: Parameters<typeof openOn>[0], index: IndexProvider): Promise<void> {
  const database = await openOn(files, { index });
  const container = await aContainer(database);
  for (let n = 0; n < 200; n += 1) await container.upsert(aDocument(n, { text: 'x'.repeat(500) }));
  await database.close();
}
