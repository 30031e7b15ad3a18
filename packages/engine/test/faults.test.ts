import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '@tidemark/engine';
import type { IndexProvider, IndexStore } from '@tidemark/engine/internal';
import { memoryFiles } from '@tidemark/engine/internal';
import { DatabaseError } from '@tidemark/model';
import { FaultFiles, VirtualClock } from '@tidemark/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { queuedUnitsMax, waitersMax } from '../src/limits.ts';
import { aContainer, aDocument, aFolder, feedOf, keptIndex, mountSmallDisk, openOn, refusal } from './harness.ts';

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
    expect(message).toContain('holiday.jpg');
    expect(message).toContain('Choose an empty folder');
    expect(existsSync(join(folder, 'TIDEMARK'))).toBe(false);
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
    [2, 'format-newer', 'Use a newer version'],
    [0, 'format-older', 'Upgrade the folder'],
  ] as const)('[engine 12] a folder of format %i is refused as %s', async (format, expected, advice) => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'TIDEMARK'), JSON.stringify({ format, createdMs: 0 }));

    const { code, message } = await refusal(openDatabase({ folder }));

    expect(code).toBe(expected);
    expect(message).toContain(advice);
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
      remount(disk.folder, 'ro');

      const first = await refusal(openDatabase({ folder: disk.folder }));
      const again = await refusal(openDatabase({ folder: disk.folder }));
      remount(disk.folder, 'rw');
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

describe('a full disk', () => {
  test('[engine 12] writes answer disk-full, reads go on, nothing is half-written, and it recovers when there is room', async () => {
    const files = new FaultFiles(memoryFiles());
    const index = keptIndex();
    const database = await openOn(files, { index });
    const container = await aContainer(database);
    const acknowledged = new Set<string>();
    const write = async (n: number) => {
      await container.upsert(aDocument(n, { text: 'x'.repeat(500) }));
      acknowledged.add(`d${n}`);
    };
    for (let n = 0; n < 10; n += 1) await write(n);

    files.freeBytes = 0;
    let refused: { code: string; message: string } = { code: 'accepted', message: '' };
    let n = 10;
    for (; refused.code === 'accepted' && n < 500; n += 1) refused = await refusal(write(n));
    const whileFull = await feedOf(container);
    const read = await container.read('d3', 'p3');
    const batch = await refusal(
      container.batch('p1', [{ upsert: aDocument(901, { pk: 'p1' }) }, { upsert: aDocument(902, { pk: 'p1' }) }]),
    );
    const split = await refusal(container.split('0'));
    const health = database.health;
    files.freeBytes = Number.POSITIVE_INFINITY;
    await write(n);
    await container.split('0');
    const report = await database.check();
    await database.close();
    const reopened = await openOn(files);
    const found = await feedOf(reopened.container('d', 'c'));
    await reopened.close();

    expect(refused.code).toBe('disk-full');
    expect(refused.message).toContain('Free space');
    expect(whileFull.size).toBe(acknowledged.size - 1);
    expect(read?.value['id']).toBe('d3');
    expect(batch.code).toBe('disk-full');
    expect(split.code).toBe('disk-full');
    expect(health.status).toBe('ok');
    expect(report.problems).toEqual([]);
    expect(new Set(found.keys())).toEqual(acknowledged);
  });

  test('[engine 12] a disk that is really full stops writes only, and they go on when there is room', async (context) => {
    const disk = mountSmallDisk(12 * 1024 * 1024);
    if ('reason' in disk) return context.skip(disk.reason);
    try {
      const database = await openDatabase({ folder: disk.folder, maintenance: false });
      const container = await aContainer(database);
      const ballast = join(disk.folder, 'ballast');
      const acknowledged = new Set<string>();
      const write = async (n: number) => {
        await container.upsert(aDocument(n, { text: 'x'.repeat(20_000) }));
        acknowledged.add(`d${n}`);
      };
      for (let n = 0; n < 20; n += 1) await write(n);
      fillDisk(ballast);

      let refused: { code: string; message: string } = { code: 'accepted', message: '' };
      let n = 20;
      for (; refused.code === 'accepted' && n < 2_000; n += 1) refused = await refusal(write(n));
      const whileFull = (await feedOf(container)).size;
      const read = await container.read('d3', 'p3');
      const health = database.health;
      rmSync(ballast);
      await write(n);
      await until(() => database.figures.indexedSequence === database.figures.sequence);
      const report = await database.check();
      await database.close();
      const reopened = await openDatabase({ folder: disk.folder, maintenance: false });
      const found = await feedOf(reopened.container('d', 'c'));
      await reopened.close();

      expect(refused.code).toBe('disk-full');
      expect(whileFull).toBe(acknowledged.size - 1);
      expect(read?.value['id']).toBe('d3');
      expect(health.status).toBe('ok');
      expect(report.problems).toEqual([]);
      expect(new Set(found.keys())).toEqual(acknowledged);
    } finally {
      disk.unmount();
    }
  });

  test('[engine 5] an index without room waits for it: nothing is lost, and nobody has to restart', async () => {
    const index = faultyIndex();
    const database = await openOn(memoryFiles(), { index });
    const container = await aContainer(database);
    await database.engine.settle();

    index.fails = new DatabaseError('disk-full', 'There is no room left on the disk.');
    for (let n = 0; n < 50; n += 1) await container.upsert(aDocument(n));
    const settled = await refusal(database.engine.settle());
    const whileFull = (await feedOf(container)).size;
    const health = database.health.status;
    index.fails = undefined;
    await until(() => database.figures.indexedSequence === database.figures.sequence);
    const report = await database.check();
    await database.close();

    expect(settled.code).toBe('disk-full');
    expect(whileFull).toBe(50);
    expect(health).toBe('ok');
    expect(report.problems).toEqual([]);
  });

  test('[engine 5] a database whose index has no room can be closed, and has everything when it is opened again', async () => {
    const files = memoryFiles();
    const index = faultyIndex();
    const database = await openOn(files, { index });
    const container = await aContainer(database);
    await database.engine.settle();
    index.fails = new DatabaseError('disk-full', 'There is no room left on the disk.');
    for (let n = 0; n < 50; n += 1) await container.upsert(aDocument(n));

    await database.close();
    index.fails = undefined;
    const reopened = await openOn(files, { index });
    const found = await feedOf(reopened.container('d', 'c'));
    const report = await reopened.check();
    await reopened.close();

    expect(found.size).toBe(50);
    expect(report.problems).toEqual([]);
    expect(index.discards).toBe(1);
  });
});

describe('a failed flush', () => {
  test('[engine 4] its group is answered outcome-unknown, what was decided on top is discarded, and it is read-only until reopened', async () => {
    const files = new FaultFiles(memoryFiles());
    const index = keptIndex();
    const database = await openOn(files, { index });
    const container = await aContainer(database);
    await container.upsert(aDocument(1, { n: 1 }));
    const gate = files.hold('sync', { path: /\.seg$|spare/ });

    const unknown = refusal(container.upsert(aDocument(1, { n: 2 })));
    await gate.reached;
    const onTop = refusal(container.upsert(aDocument(1, { n: 3 })));
    gate.fail('EIO');
    const [first, second] = [await unknown, await onTop];
    const later = await refusal(container.upsert(aDocument(2)));
    const split = await refusal(container.split('0'));
    const read = await container.read('d1', 'p1');
    const { health } = database;
    await database.close();
    const reopened = await openOn(files, { index });
    const again = reopened.container('d', 'c');
    const found = await again.read('d1', 'p1');
    const written = await again.upsert(aDocument(3));
    const report = await reopened.check();
    const after = reopened.health.status;
    await reopened.close();

    expect(first.code).toBe('outcome-unknown');
    expect(first.message).toContain('opened again');
    expect(second.code).toBe('read-only');
    expect(later.code).toBe('read-only');
    expect(later.message).toContain('until it is opened again');
    expect(split.code).toBe('read-only');
    expect(read?.value['n']).toBe(1);
    expect(health).toMatchObject({ status: 'read-only' });
    expect(health.message).toContain('opened again');
    // The write whose outcome was unknown is there or not; what stood on it is not.
    expect([1, 2]).toContain(found?.value['n']);
    expect(written.document.lsn).toBeGreaterThan(found?.lsn as number);
    expect(after).toBe('ok');
    expect(report.problems).toEqual([]);
  });

  test('[engine 4] a write of which only a part reached the file is not there when it is opened again', async () => {
    const files = new FaultFiles(memoryFiles());
    const database = await openOn(files);
    const container = await aContainer(database);
    await container.upsert(aDocument(1));
    files.fail('write', { path: /spare|\.seg$/ });

    const refused = await refusal(container.upsert(aDocument(2)));
    await database.close();
    const reopened = await openOn(files);
    const found = await feedOf(reopened.container('d', 'c'));
    await reopened.close();

    expect(refused.code).toBe('outcome-unknown');
    expect([...found.keys()]).toEqual(['d1']);
  });

  test('[engine 4] a segment that cannot be named ends writing until it is opened again, and nothing is half there', async () => {
    const files = new FaultFiles(memoryFiles());
    const database = await openOn(files);
    const container = await aContainer(database);
    files.fail('rename', { path: /spare/ });

    let refused = { code: 'accepted', message: '' };
    let accepted = 0;
    for (let n = 0; refused.code === 'accepted'; n += 1) {
      refused = await refusal(container.upsert(aDocument(n, { text: 'x'.repeat(800) })));
      if (refused.code === 'accepted') accepted += 1;
    }
    const later = await refusal(container.upsert(aDocument(accepted + 1)));
    const found = await feedOf(container);
    const { status } = database.health;
    await database.close();
    const reopened = await openOn(files);
    const foundAgain = await feedOf(reopened.container('d', 'c'));
    const report = await reopened.check();
    await reopened.close();

    expect(['outcome-unknown', 'read-only', 'unavailable']).toContain(refused.code);
    expect(later.code).toBe('read-only');
    expect(status).toBe('read-only');
    expect(found.size).toBe(accepted);
    expect(foundAgain.size).toBe(accepted);
    expect(report.problems).toEqual([]);
  });
});

describe('a failed index', () => {
  test('[engine 5] a transaction that fails once is done again from memory', async () => {
    const index = faultyIndex();
    const database = await openOn(memoryFiles(), { index });
    const container = await aContainer(database);
    index.failures = 2;

    for (let n = 0; n < 20; n += 1) await container.upsert(aDocument(n));
    await database.engine.settle();
    const report = await database.check();
    const health = database.health.status;
    await database.close();

    expect(health).toBe('ok');
    expect(report.problems).toEqual([]);
    expect(index.failures).toBe(0);
  });

  test('[engine 5] an index that keeps failing shows in the health; writes and reads go on, and the next open rebuilds it', async () => {
    const files = memoryFiles();
    const index = faultyIndex();
    const database = await openOn(files, { index });
    const container = await aContainer(database);
    await container.upsert(aDocument(0));
    await database.engine.settle();

    index.fails = new Error('the index is on fire');
    for (let n = 1; n < 40; n += 1) await container.upsert(aDocument(n));
    await container.delete('d7', 'p2');
    const settled = await refusal(database.engine.settle());
    const { health } = database;
    await container.upsert(aDocument(40));
    const found = await feedOf(container);
    const compacted = await refusal(database.engine.compact());
    await database.close();
    index.fails = undefined;
    const reopened = await openOn(files, { index });
    const foundAgain = await feedOf(reopened.container('d', 'c'));
    const report = await reopened.check();
    await reopened.close();

    expect(settled.code).toBe('unavailable');
    expect(health.status).toBe('index-failed');
    expect(health.message).toContain('open the database again');
    expect(index.condemned).toBe(1);
    expect(['accepted', 'unavailable']).toContain(compacted.code);
    expect(found.size).toBe(40);
    expect([...foundAgain.keys()].sort()).toEqual([...found.keys()].sort());
    expect(report.problems).toEqual([]);
  });

  test('[engine 9] a compaction whose index transaction fails loses nothing', async () => {
    const files = memoryFiles();
    const index = faultyIndex();
    const database = await openOn(files, { index });
    const container = await aContainer(database);
    for (let round = 0; round < 8; round += 1) {
      for (let n = 0; n < 20; n += 1) await container.upsert(aDocument(n, { round, text: 'x'.repeat(500) }));
    }
    await database.engine.settle();

    index.fails = new Error('the index is on fire');
    const compacted = await refusal(database.engine.compact());
    const found = await feedOf(container);
    const again = await refusal(database.engine.compact());
    await database.close();
    index.fails = undefined;
    const reopened = await openOn(files, { index });
    const foundAgain = await feedOf(reopened.container('d', 'c'));
    const report = await reopened.check();
    await reopened.close();

    expect(compacted.code).toBe('unavailable');
    expect(again.code).not.toBe('accepted');
    expect(found.size).toBe(20);
    expect(foundAgain).toEqual(found);
    expect(report.problems).toEqual([]);
  });

  test('[engine 9] a compaction that runs out of room half way is finished later', async () => {
    const files = memoryFiles();
    const index = faultyIndex();
    const database = await openOn(files, { index });
    const container = await aContainer(database);
    for (let round = 0; round < 8; round += 1) {
      for (let n = 0; n < 20; n += 1) await container.upsert(aDocument(n, { round, text: 'x'.repeat(500) }));
    }
    await database.engine.settle();

    index.fails = new DatabaseError('disk-full', 'There is no room left on the disk.');
    const compacting = database.engine.compact();
    await index.failed();
    const whileFull = await feedOf(container);
    index.fails = undefined;
    await compacting;
    while (await database.engine.compact());
    const found = await feedOf(container);
    const report = await database.check();
    await database.close();

    expect(found).toEqual(whileFull);
    expect(found.size).toBe(20);
    expect(report.problems).toEqual([]);
  });

  test('[engine 5] an index that kills the process is thrown away at the third start', async () => {
    const folder = tempFolder();
    const database = await openDatabase({ folder, maintenance: false });
    const container = await aContainer(database);
    await Promise.all(Array.from({ length: 3_000 }, (_, n) => container.upsert(aDocument(n))));
    await database.close();
    ruinLeaves(join(folder, 'index', 'data.mdb'));

    const endings: unknown[] = [];
    let opened: Answer | undefined;
    for (let start = 1; start <= 4 && opened === undefined; start += 1) {
      const { child, answer } = openInProcess(folder);
      const exited = once(child, 'exit');
      opened = await answer;
      if (opened !== undefined) child.send('close');
      endings.push(await exited);
    }
    const again = await openDatabase({ folder, maintenance: false });
    const report = await again.check();
    await again.close();

    expect(opened).toMatchObject({ code: 'opened', documents: 3_000 });
    expect(endings.length).toBeLessThanOrEqual(3);
    expect(report.problems).toEqual([]);
    expect(existsSync(join(folder, 'index.trial'))).toBe(false);
  });

  test('[engine 5] an index with two starts against it is thrown away before it is opened', async () => {
    const folder = tempFolder();
    await fillFolder(folder, 50);
    writeFileSync(join(folder, 'index.trial'), '{"attempts":2}\n');
    writeFileSync(join(folder, 'index', 'witness'), '');

    const database = await openDatabase({ folder, maintenance: false });
    const found = await feedOf(database.container('d', 'c'));
    await database.close();

    expect(found.size).toBe(50);
    expect(existsSync(join(folder, 'index', 'witness'))).toBe(false);
    expect(existsSync(join(folder, 'index.trial'))).toBe(false);
  });

  test.each(['', '{"attempts":1}\n', '{"attempts":"x"}'])(
    '[engine 5] a start that ended early (%j) costs nothing but at most a rebuild',
    async (text) => {
      const folder = tempFolder();
      await fillFolder(folder, 20);
      writeFileSync(join(folder, 'index.trial'), text);

      const database = await openDatabase({ folder, maintenance: false });
      const found = await feedOf(database.container('d', 'c'));
      await database.close();

      expect(database.health.message).toBeUndefined();
      expect(found.size).toBe(20);
      expect(existsSync(join(folder, 'index.trial'))).toBe(false);
    },
  );
});

describe('limits', () => {
  test('[engine 6] more writes than may wait are told to come back, and none of them is written', async () => {
    const files = new FaultFiles(memoryFiles());
    const database = await openOn(files);
    const container = await aContainer(database);
    const gate = files.hold('sync', { path: /\.seg$|spare/ });

    const count = queuedUnitsMax + 6_000;
    const writes = Array.from({ length: count }, (_, n) => refusal(container.upsert({ id: `d${n}`, pk: 'p' })));
    await gate.reached;
    gate.release();
    const answers = await Promise.all(writes);
    const accepted = answers.filter(({ code }) => code === 'accepted').length;
    const found = (await feedOf(container)).size;
    await database.close();

    const refused = answers.filter(({ code }) => code !== 'accepted');
    expect(refused.length).toBeGreaterThan(0);
    expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['too-many-requests']));
    expect(refused[0]?.message).toContain('Try again');
    expect(found).toBe(accepted);
  });

  test('[engine 10] more readers than may wait are refused; one that leaves makes room', async () => {
    const database = await openOn(memoryFiles());
    const container = await aContainer(database);
    const { number } = container.info;
    const stops = Array.from({ length: waitersMax }, () => database.engine.watch(number, ['0'], () => {}));

    const refused = await refusal(Promise.resolve().then(() => database.engine.watch(number, ['0'], () => {})));
    stops[0]?.();
    const stop = database.engine.watch(number, ['0'], () => {});
    stop();
    for (const each of stops) each();
    await database.close();

    expect(refused.code).toBe('too-many-requests');
    expect(refused.message).toContain(String(waitersMax));
    expect(database.figures.waiters).toBe(0);
  });

  test('[engine 8] a range that never was and one that was split are told apart', async () => {
    const database = await openOn(memoryFiles());
    const container = await aContainer(database);
    await container.split('0');

    const unknown = await refusal(container.readPage('77'));
    const gone = await refusal(container.readPage('0'));
    await database.close();

    expect(unknown.code).toBe('range-unknown');
    expect(unknown.message).toContain('77');
    expect(gone.code).toBe('range-gone');
  });

  test.each([
    ['an id that is too long', { id: 'x'.repeat(2_000), pk: 'p' }, 'invalid-id', /1,?023|255|long/],
    ['an id with a slash', { id: 'a/b', pk: 'p' }, 'invalid-id', /\//],
    ['an id that is empty', { id: '', pk: 'p' }, 'invalid-id', /empty|id/],
    ['a document that is too large', { id: 'a', pk: 'p', text: 'x'.repeat(3_000_000) }, 'document-too-large', /\d/],
    ['a document that is too deep', deep(200), 'document-too-deep', /128|deep/],
    ['a partition key that is too long', { id: 'a', pk: 'x'.repeat(5_000) }, 'invalid-partition-key', /\d/],
  ] as const)('[engine 4] %s is refused with its reason', async (_what, document, expected, reason) => {
    const database = await openOn(memoryFiles());
    const container = await aContainer(database);

    const { code, message } = await refusal(container.upsert(document));
    await database.close();

    expect(code).toBe(expected);
    expect(message).toMatch(reason);
  });

  test('[engine 12] a database that was closed says so', async () => {
    const database = await openOn(memoryFiles());
    const container = await aContainer(database);
    await database.close();

    const { code } = await refusal(container.upsert(aDocument(1)));

    expect(code).toBe('closed');
  });
});

describe('many at once', () => {
  test('[engine 6] of a thousand replaces of one document that all name its etag exactly one wins', async () => {
    const database = await openOn(memoryFiles());
    const container = await aContainer(database);
    let { etag } = (await container.upsert(aDocument(1, { n: 0 }))).document;

    for (let round = 1; round <= 3; round += 1) {
      const writes = Array.from({ length: 1_000 }, (_, n) => container.upsert(aDocument(1, { n }), { ifMatch: etag }));
      const results = await Promise.allSettled(writes);
      const won = results.filter((result) => result.status === 'fulfilled');
      const lost = results.filter((result) => result.status === 'rejected');

      expect(won).toHaveLength(1);
      expect(new Set(lost.map(({ reason }) => reason.code))).toEqual(new Set(['precondition-failed']));
      etag = (await container.read('d1', 'p1'))?.etag as string;
      expect(won[0]?.value.document.etag).toBe(etag);
    }
    await database.close();
  });

  test('[engine 6] a thousand increments at once add up to a thousand, and each has an LSN of its own', async () => {
    const database = await openOn(memoryFiles(), { index: keptIndex() });
    const container = await aContainer(database);
    await container.upsert(aDocument(1, { n: 0 }));

    const patches = Array.from({ length: 1_000 }, () =>
      container.patch('d1', 'p1', [{ op: 'incr', path: '/n', value: 1 }]),
    );
    const results = await Promise.all(patches);
    const found = await container.read('d1', 'p1');
    const report = await database.check();
    await database.close();

    expect(found?.value['n']).toBe(1_000);
    expect(new Set(results.map(({ document }) => document.lsn)).size).toBe(1_000);
    expect(report.problems).toEqual([]);
  });

  test('[engine 8] a hot key written, patched, deleted and read while its range is split and merged never goes back', async () => {
    const database = await openOn(memoryFiles(), { index: keptIndex() });
    const container = await aContainer(database);
    await container.upsert({ id: 'hot', pk: 'p', n: 0 });
    let isDone = false;
    let lastLsn = 0;
    const reader = (async () => {
      while (!isDone) {
        const found = await container.read('hot', 'p');
        if (found !== undefined) {
          expect(found.lsn).toBeGreaterThanOrEqual(lastLsn);
          lastLsn = found.lsn;
        }
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    const splitter = (async () => {
      for (let round = 0; round < 10; round += 1) {
        const [range] = container.ranges;
        await container.split(range?.id as string);
        const [left, right] = container.ranges;
        await container.merge(left?.id as string, right?.id as string);
      }
    })();

    const writes = Array.from({ length: 500 }, (_, n) => {
      if (n % 7 === 0) return refusal(container.patch('hot', 'p', [{ op: 'set', path: '/n', value: n }]));
      if (n % 11 === 0) return refusal(container.delete('hot', 'p'));
      return refusal(container.upsert({ id: 'hot', pk: 'p', n }));
    });
    const answers = await Promise.all(writes);
    await splitter;
    isDone = true;
    await reader;
    const report = await database.check();
    await database.close();

    expect(new Set(answers.map(({ code }) => code))).toEqual(new Set(['accepted', 'not-found']));
    expect(report.problems).toEqual([]);
  });

  test('[engine 6] a clock that jumps back is reported, and times do not go back', async () => {
    const clock = new VirtualClock();
    const environment = { clock, random: (target: Uint8Array) => void target.fill(7) };
    const database = await openOn(memoryFiles(), { environment });
    const container = await aContainer(database);
    const before = (await container.upsert(aDocument(1))).document.timeMs;

    clock.jump(-3_600_000);
    const after = (await container.upsert(aDocument(1))).document.timeMs;
    const { clockJumpMs } = database.health;
    await database.close();

    expect(after).toBeGreaterThanOrEqual(before);
    expect(clockJumpMs).toBeLessThanOrEqual(-3_599_000);
  });
});

interface FaultyIndex extends IndexProvider {
  /** Every transaction fails with it while it is set. */
  fails: Error | undefined;
  /** So many transactions fail, then no more. */
  failures: number;
  discards: number;
  condemned: number;
  /** Resolves at the next transaction that fails. */
  failed(): Promise<void>;
}

function faultyIndex(): FaultyIndex {
  const inner = keptIndex();
  let onFailure: (() => void)[] = [];
  const wrapped = (index: IndexStore): IndexStore => ({
    keyBytesMax: index.keyBytesMax,
    get: (key) => index.get(key),
    range: (options) => index.range(options),
    sync: () => index.sync(),
    close: () => index.close(),
    apply: async (changes) => {
      const error = faulty.fails ?? (faulty.failures > 0 ? new Error('once') : undefined);
      if (error !== undefined) {
        if (faulty.failures > 0) faulty.failures -= 1;
        for (const resolve of onFailure.splice(0)) resolve();
        throw error;
      }
      await index.apply(changes);
    },
  });
  const faulty: FaultyIndex = {
    fails: undefined,
    failures: 0,
    discards: 0,
    condemned: 0,
    open: async () => wrapped(await inner.open()),
    discard: async () => {
      faulty.discards += 1;
      await inner.discard();
    },
    condemn: async () => {
      faulty.condemned += 1;
    },
    failed: () => new Promise((resolve) => (onFailure = [...onFailure, resolve])),
  };
  return faulty;
}

interface Answer {
  readonly code: string;
  readonly documents?: number;
}

/** Opens the folder in a process of its own; `answer` is undefined when the process dies without one. */
function openInProcess(folder: string): { child: ReturnType<typeof spawn>; answer: Promise<Answer | undefined> } {
  const path = fileURLToPath(new URL('./open-and-report.ts', import.meta.url));
  const args = ['--conditions=tidemark-source', '--import', 'tsx', path, folder];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  const said = once(child, 'message').then(([message]) => message as Answer);
  const died = once(child, 'exit').then(() => undefined);
  return { child, answer: Promise.race([said, died]) };
}

async function fill(files: Parameters<typeof openOn>[0], index: IndexProvider): Promise<void> {
  const database = await openOn(files, { index });
  const container = await aContainer(database);
  for (let n = 0; n < 200; n += 1) await container.upsert(aDocument(n, { text: 'x'.repeat(500) }));
  await database.close();
}

async function fillFolder(folder: string, documents: number): Promise<void> {
  const database = await openDatabase({ folder, maintenance: false });
  const container = await aContainer(database);
  await Promise.all(Array.from({ length: documents }, (_, n) => container.upsert(aDocument(n))));
  await database.close();
}

/** Everything but the first pages and the branches: LMDB opens it, and falls over what it finds. */
function ruinLeaves(path: string): void {
  const bytes = readFileSync(path);
  const pageBytes = 4096;
  for (let page = 2; page * pageBytes < bytes.length; page += 1) {
    const at = page * pageBytes;
    const isLeaf = (bytes.readUInt16LE(at + 18) & 0x02) !== 0;
    if (isLeaf) bytes.fill(0xff, at + 20, at + pageBytes);
  }
  writeFileSync(path, bytes);
}

function fillDisk(path: string): void {
  const chunk = Buffer.alloc(64 * 1024, 1);
  try {
    for (;;) writeFileSync(path, chunk, { flag: 'a' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

function remount(folder: string, mode: 'ro' | 'rw'): void {
  const { status } = spawnSync('mount', ['-o', `remount,${mode}`, folder]);
  if (status !== 0) throw new Error(`${folder} cannot be mounted ${mode}`);
}

/** Looks again in every turn of the event loop; the time limit of the test ends it. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

function deep(levels: number): object {
  let value: unknown = 1;
  for (let i = 0; i < levels; i += 1) value = [value];
  return { id: 'a', pk: 'p', value };
}
