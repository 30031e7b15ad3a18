// What every run takes and gives.

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

/** As in `npm test`. */
export function shortRun(seed: string = '1'): RunOptions {
  const nothing = { minutes: undefined, kills: undefined, steps: undefined, report: undefined };
  return { seed, ...nothing, onProgress: () => {} };
}
