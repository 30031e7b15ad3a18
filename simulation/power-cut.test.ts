// Power cuts. `npm run simulate:power-cut -- --factor 20` makes 20 times as many as the long form.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freshSeed, isLong, sizeOf } from '@tidemark/testing';
import { describe, expect, test } from 'vitest';
import { lmdbIndexDisk, memoryIndexDisk } from './power-cut/index-disks.ts';
import type { Hit } from './power-cut/run.ts';
import { runPowerCuts } from './power-cut/run.ts';
import { runMany } from './power-cut/suite.ts';

const cutsPerBatch = Math.min(2_000, sizeOf('powerCuts'));
const batches = sizeOf('powerCuts') / cutsPerBatch;

/** A cut in each of these, or the test would prove less than it says. */
const everyKind: readonly Hit[] = [
  'append',
  'flush',
  'flush at once',
  'roll',
  'spare',
  'names',
  'index transaction',
  'split',
  'merge',
  'compaction',
  'compaction write',
  'compaction retire',
  'backup',
  'recovery',
  'in flight',
];

/** Seeds that once found something that was not there; what it was is in the log under "engine:" and "index:". */
const foundBefore = ['more-669'];

describe('after a power cut', () => {
  test('everything is there in the runs that once missed something', async () => {
    for (const seed of foundBefore) {
      await runPowerCuts({ seed, cuts: 25, sync: 'full', ending: 'cut', index: memoryIndexDisk() });
    }
  });

  for (let batch = 0; batch < batches; batch += 1) {
    test(`everything acknowledged or shown is there, whole and once, batch ${batch} of ${cutsPerBatch} cuts [engine 4] [engine 6] [engine 12]`, async () => {
      const hits = await runMany({
        name: `full${batch}`,
        cuts: cutsPerBatch,
        sync: 'full',
        ending: 'cut',
        makeIndex: memoryIndexDisk,
      });

      for (const kind of everyKind) expect(hits.get(kind) ?? 0, kind).toBeGreaterThan(0);
    });
  }

  test.runIf(isLong)(
    'everything acknowledged or shown is there, in runs that are drawn anew with every commit',
    async () => {
      const cuts = sizeOf('freshPowerCuts');
      for (const sync of ['full', 'os'] as const) {
        const name = `fresh${freshSeed('power cuts')}`;
        await runMany({ name, cuts: cuts / 2, sync, ending: 'cut', makeIndex: memoryIndexDisk });
      }
    },
  );

  test('the same holds with LMDB, come back as of any flush or not at all [engine 5]', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tidemark-power-cut-'));
    try {
      let run = 0;
      const makeIndex = () => {
        run += 1;
        return lmdbIndexDisk(join(folder, String(run)));
      };
      const hits = await runMany({
        name: 'lmdb',
        cuts: sizeOf('powerCutsWithLmdb'),
        sync: 'full',
        ending: 'cut',
        makeIndex,
      });

      expect(hits.get('index transaction') ?? 0).toBeGreaterThan(0);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test('without a flush for each group a prefix is there, without holes, and the index is not ahead of it [engine 6]', async () => {
    const cuts = sizeOf('powerCutsUnflushed');
    const hits = await runMany({ name: 'os', cuts, sync: 'os', ending: 'cut', makeIndex: memoryIndexDisk });

    expect(hits.get('roll') ?? 0).toBeGreaterThan(0);
    expect(hits.get('compaction') ?? 0).toBeGreaterThan(0);
  });
});

describe('after a process was killed', () => {
  for (const sync of ['full', 'os'] as const) {
    test(`nothing acknowledged is lost, with sync: '${sync}' [engine 6]`, async () => {
      const cuts = sizeOf('processCuts');
      const hits = await runMany({ name: `kill-${sync}`, cuts, sync, ending: 'kill', makeIndex: memoryIndexDisk });

      expect(hits.get('in flight') ?? 0).toBeGreaterThan(0);
    });
  }
});

describe('an engine that acknowledges and shows a group before its flush', () => {
  test('is found out: acknowledged writes are missing after a cut [engine 6]', async () => {
    const found: string[] = [];
    for (let seed = 0; seed < 20; seed += 1) {
      const options = { seed: `lie-${seed}`, cuts: 25, sync: 'full', ending: 'cut', isLying: true } as const;
      await runPowerCuts({ ...options, index: memoryIndexDisk() }).catch((error: Error) =>
        found.push(String(error.cause)),
      );
    }

    expect(found.length).toBeGreaterThan(15);
    expect(found.filter((reason) => /was acknowledged|acknowledged":/.test(reason)).length).toBeGreaterThan(5);
  });
});
