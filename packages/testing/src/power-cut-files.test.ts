import { describe, expect, test } from 'vitest';
import { filesContract } from './files-contract.ts';
import { MemoryIndexDisk } from './memory-index-disk.ts';
import { PowerCutError, PowerCutFiles } from './power-cut-files.ts';
import { SeededRandom } from './seeded-random.ts';

filesContract('power cut, none yet', () => new PowerCutFiles());

describe('a power cut', () => {
  test('[engine 12] keeps what was synced, name and bytes', async () => {
    for (const random of seeds(50)) {
      const files = new PowerCutFiles();
      await writeSynced(files, 'a', 'kept');
      await files.syncDirectory('');

      expect(await readText(files.cut(random), 'a')).toBe('kept');
    }
  });

  test('[engine 12] keeps what was written, not what the writer has put into its memory since', async () => {
    const files = new PowerCutFiles();
    const file = await files.open('a', { create: true });
    const bytes = Buffer.from('kept');
    await file.write(bytes, 0);
    bytes.fill('-');
    await file.sync();
    await files.syncDirectory('');

    for (const random of seeds(5)) expect(await readText(files.cut(random), 'a')).toBe('kept');
  });

  test('may forget a created file even though its bytes were synced', async () => {
    const outcomes = await outcomesOf(async (files) => writeSynced(files, 'a', 'x'));

    expect(outcomes).toEqual(new Set(['a=x', '']));
  });

  test('may undo a rename, in which case the old name and the replaced file are back', async () => {
    const outcomes = await outcomesOf(async (files) => {
      await writeSynced(files, 'new', 'new');
      await writeSynced(files, 'old', 'old');
      await files.syncDirectory('');
      await files.rename('new', 'old');
    });

    expect(outcomes).toEqual(new Set(['new=new,old=old', 'old=new']));
  });

  test('may bring a removed file back, with its durable bytes', async () => {
    const outcomes = await outcomesOf(async (files) => {
      const file = await writeSynced(files, 'a', 'one');
      await files.syncDirectory('');
      await file.write(Buffer.from('two'), 0);
      await file.sync();
      await files.remove('a');
    });

    expect(outcomes).toEqual(new Set(['a=two', '']));
  });

  test('keeps or forgets pending names independently of each other', async () => {
    const outcomes = await outcomesOf(async (files) => {
      await writeSynced(files, 'a', '1');
      await writeSynced(files, 'b', '2');
      await files.syncDirectory('');
      await files.remove('a');
      await files.remove('b');
    });

    expect(outcomes).toEqual(new Set(['a=1,b=2', 'a=1', 'b=2', '']));
  });

  test('forgets a folder with all that is in it, unless its parent was synced', async () => {
    const outcomes = await outcomesOf(async (files) => {
      await files.makeDirectory('log');
      await writeSynced(files, 'log/a', 'x');
      await files.syncDirectory('log');
    });

    expect(outcomes).toEqual(new Set(['', 'log/a=x']));
  });

  test('keeps, drops and reorders unsynced writes', async () => {
    const outcomes = await outcomesOf(async (files) => {
      const file = await writeSynced(files, 'a', '......');
      await files.syncDirectory('');
      await file.write(Buffer.from('1'), 0);
      await file.write(Buffer.from('2'), 2);
      await file.write(Buffer.from('3'), 2);
    });

    expect(outcomes).toEqual(new Set(['a=......', 'a=1.....', 'a=..2...', 'a=1.2...', 'a=..3...', 'a=1.3...']));
  });

  test('tears a write between sectors of 512 bytes, never within one', async () => {
    const torn = new Set<string>();
    for (const random of seeds(300)) {
      const files = new PowerCutFiles();
      const file = await writeSynced(files, 'a', '.'.repeat(2048));
      await files.syncDirectory('');
      await file.write(Buffer.alloc(1400, 'x'), 300);

      const text = await readText(files.cut(random), 'a');

      torn.add(text.replace(/x+|\.+/g, (run) => `${run[0]}${run.length} `));
    }
    // The sectors of the write: 212, 512, 512 and 164 bytes.
    expect(torn).toContain('.300 x212 .1536 ');
    expect(torn).toContain('.512 x512 .1024 ');
    expect(torn).toContain('.512 x1188 .348 ');
    expect(torn.size).toBe(16);
  });

  test('may leave any size and only zeros of a preallocation that was not synced', async () => {
    const sizes = new Set<number>();
    for (const random of seeds(100)) {
      const files = new PowerCutFiles();
      const file = await files.open('a', { create: true });
      await files.syncDirectory('');
      await file.preallocate(1 << 20);

      const text = await readText(files.cut(random), 'a');

      expect(/^\0*$/.test(text)).toBe(true);
      sizes.add(text.length);
    }
    expect(sizes).toContain(0);
    expect(sizes).toContain(1 << 20);
    expect(sizes.size).toBeGreaterThan(10);
  });

  test('a sync covers what was written before it began, not what came meanwhile', async () => {
    const outcomes = await outcomesOf(async (files) => {
      const file = await writeSynced(files, 'a', '..');
      await files.syncDirectory('');
      await file.write(Buffer.from('1'), 0);
      const synced = file.sync();
      await file.write(Buffer.from('2'), 1);
      await synced;
    });

    expect(outcomes).toEqual(new Set(['a=1.', 'a=12']));
  });

  test('what survived one cut is durable: the next cut takes nothing from it', async () => {
    for (const random of seeds(50)) {
      const files = new PowerCutFiles();
      const file = await files.open('a', { create: true });
      await file.write(Buffer.alloc(3000, 'x'), 0);
      const first = files.cut(random);
      const found = await describeFiles(first);

      expect(await describeFiles(first.cut(random))).toBe(found);
    }
  });

  test('one seed is one outcome', async () => {
    const run = async (seed: number) => {
      const files = new PowerCutFiles();
      const file = await files.open('a', { create: true });
      for (let i = 0; i < 20; i++) await file.write(Buffer.alloc(700, `${i}`), i * 650);
      return describeFiles(files.cut(new SeededRandom(seed)));
    };

    for (let seed = 0; seed < 20; seed++) expect(await run(seed)).toBe(await run(seed));
  });
});

describe('the end of an incarnation', () => {
  test('nothing of it succeeds any more, handles included', async () => {
    const files = new PowerCutFiles();
    const file = await writeSynced(files, 'a', 'x');
    const syncing = file.sync();
    const next = files.cut(new SeededRandom(1));

    await expect(syncing).rejects.toThrow(PowerCutError);
    await expect(file.write(Buffer.from('y'), 0)).rejects.toThrow(PowerCutError);
    await expect(file.read(Buffer.alloc(1), 0)).rejects.toThrow(PowerCutError);
    expect(() => file.readSync(Buffer.alloc(1), 0)).toThrow(PowerCutError);
    await expect(files.open('a')).rejects.toThrow(PowerCutError);
    await expect(files.list('')).rejects.toThrow(PowerCutError);
    await file.close();
    expect(files.isOut).toBe(true);
    expect(next.isOut).toBe(false);
  });

  test('cutAfter lets that many mutations pass, and the one during which the power fails may be found done', async () => {
    const found = new Set<string>();
    for (const random of seeds(40)) {
      const files = new PowerCutFiles();
      const file = await writeSynced(files, 'a', '.');
      await files.syncDirectory('');
      files.cutAfter(1);

      await file.write(Buffer.from('.'), 0);
      await expect(file.write(Buffer.from('x'), 0)).rejects.toThrow(PowerCutError);
      await files.out;
      await expect(file.sync()).rejects.toThrow(PowerCutError);

      found.add(await readText(files.cut(random), 'a'));
    }
    expect(found).toEqual(new Set(['.', 'x']));
  });

  test('mutations are counted by kind, so that a test can choose its moment', async () => {
    const files = new PowerCutFiles();
    await files.makeDirectory('log');
    const file = await writeSynced(files, 'log/a', 'abc');
    await file.preallocate(100);
    await files.rename('log/a', 'log/b');
    await files.syncDirectory('log');

    expect(files.counts).toEqual({
      create: 1,
      rename: 1,
      remove: 0,
      makeDirectory: 1,
      syncDirectory: 1,
      preallocate: 1,
      write: 1,
      sync: 1,
    });
    expect(files.mutationCount).toBe(7);
    expect(files.bytesWritten).toBe(3);
  });

  test('[engine 4] a kill loses nothing, and makes nothing durable: a cut after it still may', async () => {
    const outcomes = new Set<string>();
    for (const random of seeds(40)) {
      const files = new PowerCutFiles();
      const file = await writeSynced(files, 'a', 'old');
      await files.syncDirectory('');
      await file.write(Buffer.from('new'), 0);

      const next = files.kill();

      expect(await readText(next, 'a')).toBe('new');
      await expect(file.sync()).rejects.toThrow(PowerCutError);
      outcomes.add(await readText(next.cut(random), 'a'));
    }
    expect(outcomes).toEqual(new Set(['old', 'new']));
  });
});

test('[engine 5] a memory index comes back as of any synced state, or empty, never with what was not synced', async () => {
  const disk = new MemoryIndexDisk();
  const index = disk.open();
  for (const value of ['1', '2', '3']) {
    await index.apply([{ key: Buffer.from('k'), value: Buffer.from(value) }]);
    if (value !== '3') await index.sync();
  }

  expect(disk.stateCount).toBe(3);
  expect(disk.open().get(Buffer.from('k'))?.toString()).toBe('2');
  expect(disk.open(1).get(Buffer.from('k'))?.toString()).toBe('1');
  expect(disk.open(0).entryCount).toBe(0);
  expect(disk.stateCount).toBe(1);
});

function seeds(count: number): SeededRandom[] {
  return Array.from({ length: count }, (_, seed) => new SeededRandom(seed));
}

/** Every state in which the disk is found after what `run` did, over many cuts. */
async function outcomesOf(run: (files: PowerCutFiles) => Promise<unknown>): Promise<Set<string>> {
  const outcomes = new Set<string>();
  for (const random of seeds(200)) {
    const files = new PowerCutFiles();
    await run(files);
    outcomes.add(await describeFiles(files.cut(random)));
  }
  return outcomes;
}

async function describeFiles(files: PowerCutFiles): Promise<string> {
  const paths = [...(await files.list('')), ...(await files.list('log')).map((name) => `log/${name}`)];
  const found = paths.filter((path) => path !== 'log').sort();
  const texts = await Promise.all(found.map(async (path) => `${path}=${await readText(files, path)}`));
  return texts.join(',');
}

async function writeSynced(files: PowerCutFiles, path: string, text: string) {
  const file = await files.open(path, { create: true });
  await file.write(Buffer.from(text), 0);
  await file.sync();
  return file;
}

async function readText(files: PowerCutFiles, path: string): Promise<string> {
  const file = await files.open(path);
  const target = Buffer.alloc(await file.sizeBytes());
  await file.read(target, 0);
  return target.toString('latin1');
}
