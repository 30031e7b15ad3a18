// What a server stands on gives way: its disk, its clock, its files, its processor time.

import type { Outcome, RunOptions } from '../outcome.ts';
import { clockJumps } from './clock.ts';
import { fewDescriptors } from './descriptors.ts';
import { diskFull, flushErrors, readOnlyFolder } from './disks.ts';
import { stalls } from './stalls.ts';
import type { Trouble } from './trouble.ts';

export const troubles: readonly Trouble[] = [diskFull, readOnlyFolder, flushErrors, clockJumps, fewDescriptors, stalls];

export async function runSurroundings({ minutes, onProgress }: RunOptions): Promise<Outcome> {
  const untilMs = performance.now() + (minutes ?? 0) * 60_000;
  const problems: string[] = [];
  const skipped: Record<string, string> = {};
  let rounds = 0;
  do {
    for (const { name, run } of troubles) {
      const outcome = await run();
      if ('skipped' in outcome) skipped[name] = outcome.skipped;
      else problems.push(...outcome.map((finding) => `${name}: ${finding}`));
      onProgress(
        `${name}: ${'skipped' in outcome ? outcome.skipped : outcome.length === 0 ? 'held' : outcome.join('; ')}`,
      );
    }
    rounds += 1;
  } while (performance.now() < untilMs && problems.length === 0);
  return { problems, figures: { rounds, troubles: troubles.length, skipped } };
}
