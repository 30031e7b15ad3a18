// Two disks for the index: in memory, and LMDB in a folder of which copies are taken whenever it has been flushed.

import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { IndexStore } from '@tidemark/engine/internal';
import { openLmdbIndex, systemEnvironment } from '@tidemark/engine/internal';
import type { SeededRandom } from '@tidemark/testing';
import { MemoryIndexDisk } from '@tidemark/testing';
import type { IndexDisk } from './machine.ts';

/** Of the few changes that transactions have here, some are enough for the thread and some are not. */
const threadChangesMin = 8;

export function memoryIndexDisk(): IndexDisk {
  let disk = new MemoryIndexDisk();
  return {
    open: async () => disk.open(),
    discard: async () => {
      disk = new MemoryIndexDisk();
    },
    afterCut: async (random) => {
      if (random.bool(0.1)) disk = new MemoryIndexDisk();
      else disk.openAfterCut(random);
    },
    afterKill: async () => {},
    end: async () => {},
  };
}

const statesMax = 4;

export function lmdbIndexDisk(folder: string): IndexDisk {
  let number = 0;
  let current = join(folder, 'index-0');
  let states: string[] = [];
  let open: IndexStore | undefined;
  /** The copy being taken: it is finished, or begun by nobody any more, before a state is chosen. */
  let keeping: Promise<void> = Promise.resolve();
  const letGo = async (): Promise<void> => {
    const index = open;
    open = undefined;
    await keeping;
    await index?.close();
  };
  const next = (name: string): string => {
    number += 1;
    return join(folder, `${name}-${number}`);
  };
  const keep = async (): Promise<void> => {
    const state = next('state');
    await mkdir(state);
    await cp(join(current, 'data.mdb'), join(state, 'data.mdb'));
    states.push(state);
    if (states.length > statesMax) await rm(states.shift() as string, { recursive: true });
  };
  const goBackTo = async (state: string | undefined): Promise<void> => {
    await letGo();
    await rm(current, { recursive: true, force: true });
    current = next('index');
    states = state === undefined ? [] : states.slice(0, states.indexOf(state) + 1);
    if (state !== undefined) await cp(state, current, { recursive: true });
  };
  return {
    open: async () => {
      await letGo();
      const index = await openLmdbIndex(current, { clock: systemEnvironment().clock, threadChangesMin });
      open = index;
      const kept: IndexStore = {
        keyBytesMax: index.keyBytesMax,
        get: (key) => index.get(key),
        range: (options) => index.range(options),
        apply: (changes) => index.apply(changes),
        sync: async () => {
          await index.sync();
          if (open !== index) return;
          keeping = keep();
          await keeping;
        },
        close: () => index.close(),
      };
      return kept;
    },
    discard: () => goBackTo(undefined),
    afterCut: async (random: SeededRandom) => {
      await letGo();
      await goBackTo(random.bool(0.1) ? undefined : random.pick([undefined, ...states, ...states]));
    },
    afterKill: async () => {
      await letGo();
      await goBackTo(states.at(-1));
    },
    end: letGo,
  };
}
