// What every run takes and gives.

import { freshSeed, isLong } from '@tidemark/testing';

export interface RunOptions {
  readonly seed: string;
  /** Until when a run goes on that is not counted in something else; undefined: as short as in the tests. */
  readonly minutes: number | undefined;
  readonly kills: number | undefined;
  readonly steps: number | undefined;
  /** Where a report goes, for a run that writes one. */
  readonly report: string | undefined;
  readonly onProgress: (text: string) => void;
}

export interface Outcome {
  /** Sentences; none of them: everything held. */
  readonly problems: readonly string[];
  readonly figures: Readonly<Record<string, unknown>>;
}

/** As in the tests: with a known seed in the short form, in the long one with a seed that is drawn from the commit. */
export function runOfTests(name: string): RunOptions {
  return seededRun(isLong ? String(freshSeed(name)) : '1');
}

export function seededRun(seed: string): RunOptions {
  const nothing = { minutes: undefined, kills: undefined, steps: undefined, report: undefined };
  return { seed, ...nothing, onProgress: () => {} };
}

/** The command that runs it again. */
export function replayOf(name: string, { seed }: RunOptions): string {
  return `${isLong ? 'PROOF_LENGTH=long ' : ''}npm run reliability -- ${name} --seed ${seed}`;
}
