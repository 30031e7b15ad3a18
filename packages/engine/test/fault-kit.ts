// Faults for tests: an index whose transactions fail, and a folder opened by another process.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { programOf } from '@tidemark/testing';
import type { IndexProvider, IndexStore } from '../src/internal.ts';
import { keptIndex } from './harness.ts';

export interface FaultyIndex extends IndexProvider {
  /** Every transaction fails with it while it is set. */
  fails: Error | undefined;
  /** So many transactions fail, then no more. */
  failures: number;
  discards: number;
  condemned: number;
  /** Resolves at the next transaction that fails. */
  failed(): Promise<void>;
}

export function faultyIndex(): FaultyIndex {
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

export interface Answer {
  readonly code: string;
  readonly documents?: number;
}

/** Opens the folder in a process of its own; `answer` is undefined when the process dies without one. */
export function openInProcess(folder: string): {
  child: ReturnType<typeof spawn>;
  answer: Promise<Answer | undefined>;
} {
  const path = programOf(new URL('./open-and-report.ts', import.meta.url));
  const child = spawn(process.execPath, [path, folder], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  const said = once(child, 'message').then(([message]) => message as Answer);
  const died = once(child, 'exit').then(() => undefined);
  return { child, answer: Promise.race([said, died]) };
}
