// Every run, once: its name and what it shows. The command, its help and docs/guides/reliability.md come from here.

import type { Outcome, RunOptions } from './outcome.ts';

export interface Run {
  readonly meaning: string;
  /** The flags that it knows, beside --seed. */
  readonly flags: readonly ('minutes' | 'kills' | 'steps' | 'report')[];
  load(): Promise<(options: RunOptions) => Promise<Outcome>>;
}

export const runs: Readonly<Record<string, Run>> = {
  kills: {
    meaning: 'the server is killed under load, its ranges are split and merged: nothing is lost, no change is skipped',
    flags: ['kills', 'minutes'],
    load: async () => (await import('./kills/kills-run.ts')).runKills,
  },
  clients: {
    meaning: 'bad clients of every kind: memory stays below named bounds, and others keep being served',
    flags: ['minutes'],
    load: async () => (await import('./clients/clients-run.ts')).runClients,
  },
};
