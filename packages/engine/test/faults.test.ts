import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseError } from '@tidemark/model';
import { FaultFiles, mountSmallDisk } from '@tidemark/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { openDatabase } from '../src/database.ts';
import { maintainOnce, memoryFiles } from '../src/internal.ts';
import type { Answer } from './fault-kit.ts';
import { faultyIndex, openInProcess } from './fault-kit.ts';
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
    const recovered = database.health.status;
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
    expect(health).toMatchObject({ status: 'disk-full', message: expect.stringContaining('Free space') });
    expect(recovered).toBe('ok');
    expect(report.problems).toEqual([]);
    expect(new Set(found.keys())).toEqual(acknowledged);
  });

  test('[engine 12] that there is room again shows in the health before anybody writes', async () => {
    const files = new FaultFiles(memoryFiles());
    const database = await openOn(files);
    const container = await aContainer(database);
    files.freeBytes = 0;
    let refused = 'accepted';
    for (let n = 0; refused === 'accepted' && n < 500; n += 1) {
      refused = (await refusal(container.upsert(aDocument(n, { text: 'x'.repeat(500) })))).code;
    }

    await maintainOnce(database.engine);
    const whileFull = database.health.status;
    files.freeBytes = Number.POSITIVE_INFINITY;
    await maintainOnce(database.engine);
    await until(() => database.health.status === 'ok');
    const written = await refusal(container.upsert(aDocument(501)));
    await database.close();

    expect([refused, whileFull]).toEqual(['disk-full', 'disk-full']);
    expect(written.code).toBe('accepted');
  });

  test('[engine 12] a small disk is written to again and again: segments are made to fit, and compaction frees the old ones', async (context) => {
    const disk = mountSmallDisk(40 * 1024 * 1024);
    if ('reason' in disk) return context.skip(disk.reason);
    try {
      const database = await openDatabase({ folder: disk.folder });
      const container = await aContainer(database);
      // Twice what the disk holds, of a hundred documents.
      const rounds = 300;
      const refusals = new Set<string>();
      for (let round = 1; round <= rounds; round += 1) {
        const writes = Array.from({ length: 100 }, (_, n) =>
          refusal(container.upsert(aDocument(n, { round, text: 'x'.repeat(3_000) }))),
        );
        for (const { code } of await Promise.all(writes)) if (code !== 'accepted') refusals.add(code);
        // What is refused now is taken when compaction has made room.
        if (refusals.size > 0) await maintainOnce(database.engine);
      }
      await until(() => database.health.status === 'ok');
      const last = await refusal(container.upsert(aDocument(3, { round: 'last' })));
      const report = await database.check();
      await database.close();
      const reopened = await openDatabase({ folder: disk.folder });
      const read = await reopened.container('d', 'c').read('d3', 'p3');
      await reopened.close();

      expect([...refusals].filter((code) => code !== 'disk-full')).toEqual([]);
      expect(last.code).toBe('accepted');
      expect(report.problems).toEqual([]);
      expect(read?.value['round']).toBe('last');
    } finally {
      disk.unmount();
    }
  });

  test('[engine 12] a disk that is really full stops writes only, and they go on when there is room', async (context) => {
    const disk = mountSmallDisk(12 * 1024 * 1024);
    if ('reason' in disk) return context.skip(disk.reason);
    try {
      const database = await openDatabase({ folder: disk.folder, maintenance: false });
      const container = await aContainer(database);
      const acknowledged = new Set<string>();
      const write = async (n: number) => {
        await container.upsert(aDocument(n, { text: 'x'.repeat(20_000) }));
        acknowledged.add(`d${n}`);
      };
      for (let n = 0; n < 20; n += 1) await write(n);
      disk.fill();

      let refused: { code: string; message: string } = { code: 'accepted', message: '' };
      let n = 20;
      for (; refused.code === 'accepted' && n < 2_000; n += 1) refused = await refusal(write(n));
      const whileFull = (await feedOf(container)).size;
      const read = await container.read('d3', 'p3');
      const health = database.health;
      disk.free();
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
      expect(health.status).toBe('disk-full');
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
    const recovered = database.health.status;
    const report = await database.check();
    await database.close();

    expect(settled.code).toBe('disk-full');
    expect(whileFull).toBe(50);
    expect([health, recovered]).toEqual(['disk-full', 'ok']);
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

  test('[engine 9] a replaced segment whose removal was interrupted does not cost the index', async () => {
    const files = new FaultFiles(memoryFiles());
    const index = faultyIndex();
    const database = await openOn(files, { index });
    const container = await aContainer(database);
    const overwrite = async (): Promise<void> => {
      for (let n = 0; n < 100; n += 1) await container.upsert(aDocument(n % 20, { n, text: 'x'.repeat(500) }));
      await database.engine.settle();
    };
    await overwrite();
    while (await database.engine.compact());
    await overwrite();

    // The second time round the outputs of the first are among the inputs; their files stay, as after a kill.
    files.fail('remove', { path: /\.seg$/, times: Number.POSITIVE_INFINITY });
    for (let i = 0; i < 5; i += 1) await database.engine.compact().catch(() => {});
    const found = await feedOf(container);
    await database.close();
    files.heal();
    const discardsBefore = index.discards;
    const reopened = await openOn(files, { index });
    const foundAgain = await feedOf(reopened.container('d', 'c'));
    const report = await reopened.check();
    await reopened.close();

    expect(index.discards).toBe(discardsBefore);
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

  test('[engine 5] an index with enough against it is thrown away before it is opened', async () => {
    const folder = tempFolder();
    await fillFolder(folder, 50);
    writeFileSync(join(folder, 'index.trial'), '{"points":10}\n');
    writeFileSync(join(folder, 'index', 'witness'), '');

    const database = await openDatabase({ folder, maintenance: false });
    const found = await feedOf(database.container('d', 'c'));
    await database.close();

    expect(found.size).toBe(50);
    expect(existsSync(join(folder, 'index', 'witness'))).toBe(false);
    expect(existsSync(join(folder, 'index.trial'))).toBe(false);
  });

  test.each(['', '{"points":5}\n', '{"points":"x"}', '{"attempts":1}'])(
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

/** Looks again in every turn of the event loop; the time limit of the test ends it. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
