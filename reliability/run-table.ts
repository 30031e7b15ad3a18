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
  faults: {
    meaning:
      '429, 503, 449, 410, resets and latency by the admin API: everything arrives, with the SDK and the processor',
    flags: ['minutes'],
    load: async () => (await import('./faults/faults-run.ts')).runFaults,
  },
  hosts: {
    meaning:
      'hosts of the processor are killed, frozen, stopped and cut off, ranges split and merged: every change is handled',
    flags: ['steps'],
    load: async () => (await import('./hosts/hosts-run.ts')).runHosts,
  },
  surroundings: {
    meaning:
      'a full disk, a read-only folder, failing flushes, clock jumps, too few files, stalls: nothing acknowledged is lost',
    flags: ['minutes'],
    load: async () => (await import('./surroundings/surroundings-run.ts')).runSurroundings,
  },
  clients: {
    meaning: 'bad clients of every kind: memory stays below named bounds, and others keep being served',
    flags: ['minutes'],
    load: async () => (await import('./clients/clients-run.ts')).runClients,
  },
  soak: {
    meaning:
      'mixed load with a report: latency, memory and event-loop delay over time; memory stays flat, nothing is lost',
    flags: ['minutes', 'report'],
    load: async () => (await import('./soak/soak-run.ts')).runSoak,
  },
};
