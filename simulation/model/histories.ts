// Many histories, in this process or in several: progress, and what became of all of them.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ModelRunOptions } from './run.ts';
import { runModel } from './run.ts';

/** What a process with a history answers: how often each step was taken, or in which words the two disagreed. */
export type HistoryAnswer = { readonly counts: Readonly<Record<string, number>> } | { readonly failure: string };

export interface HistoriesOptions {
  readonly from: number;
  readonly count: number;
  readonly steps: number;
  readonly failuresMax: number;
  /** How many processes; 1: this one. */
  readonly workers: number;
  readonly onLine: (line: string) => void;
}

export interface HistoriesResult {
  readonly done: number;
  readonly failed: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
}

const progressMs = 15_000;

export async function runHistory(options: ModelRunOptions): Promise<HistoryAnswer> {
  return await runModel(options).then(
    (counts) => ({ counts }),
    (error: Error) => ({ failure: error.message }),
  );
}

export async function runHistories(options: HistoriesOptions): Promise<HistoriesResult> {
  const { from, count, steps, failuresMax, workers, onLine } = options;
  const failed: string[] = [];
  const counts: Record<string, number> = {};
  const startedMs = performance.now();
  let toldMs = startedMs;
  let next = from;
  let done = 0;
  const work = async (run: typeof runHistory): Promise<void> => {
    while (next < from + count && failed.length < failuresMax) {
      const seed = String(next);
      next += 1;
      const answer = await run({ seed, steps });
      done += 1;
      if ('failure' in answer) {
        failed.push(seed);
        onLine(answer.failure);
      } else for (const [step, times] of Object.entries(answer.counts)) counts[step] = (counts[step] ?? 0) + times;
      const nowMs = performance.now();
      if (nowMs - toldMs < progressMs) continue;
      toldMs = nowMs;
      const leftSeconds = Math.round((((nowMs - startedMs) / done) * (count - done)) / 1000);
      onLine(`${done} of ${count} histories, ${failed.length} failed, about ${leftSeconds} s left`);
    }
  };
  if (workers <= 1) await work(runHistory);
  else await Promise.all(Array.from({ length: workers }, () => withWorker(work)));
  return { done, failed, counts };
}

/** A process of its own, which answers one history after the other. */
async function withWorker(use: (run: typeof runHistory) => Promise<void>): Promise<void> {
  const child = fork(fileURLToPath(new URL('history-worker.ts', import.meta.url)), {
    execArgv: ['--conditions=tidemark-source', '--import', 'tsx'],
  });
  const isGone = once(child, 'exit').then(() => Promise.reject(new Error('a process with histories ended')));
  isGone.catch(() => undefined);
  const run: typeof runHistory = async (request) => {
    child.send(request);
    // The worker sends nothing else.
    return (await Promise.race([once(child, 'message'), isGone]).then(([answer]) => answer)) as HistoryAnswer;
  };
  try {
    await use(run);
  } finally {
    child.kill();
  }
}
