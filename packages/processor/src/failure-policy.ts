// What happens when a handler fails, as data (F10-F13).

/** After the attempts are used up, or at once for an error that is classified as poison. */
export type FailureAction =
  /** The item is passed over and told of (`item.skipped`). The only one that loses a change, and only when asked for. */
  | 'skip'
  /** The item goes to the dead letters; the rest flows. */
  | 'park-item'
  /** The item and every later change of its key go to the dead letters, in order, until they are replayed. */
  | 'park-key'
  /** The range stands still, its lease kept, until the process restarts or `resume` is called. Others flow. */
  | 'halt-range'
  /** Every range of the group on every host stands still: the group is paused with the error as its reason. */
  | 'halt-all';

export interface RetryPolicy {
  /** Deliveries of one item in all, over restarts. Infinity: for ever. */
  readonly attemptsMax: number;
  readonly firstMs: number;
  readonly factor: number;
  readonly maxMs: number;
  /** Part of each pause that is left to chance, 0 to 1. */
  readonly jitter: number;
}

export interface FailurePolicy {
  readonly retry: RetryPolicy;
  readonly action: FailureAction;
  /** A batch that fails without saying which items is cut in halves until the failing ones are found. */
  readonly bisect: boolean;
  /** `retry` by default. `poison` uses up all attempts at once; `fatal` halts the range whatever `action` says. */
  readonly classify: ((error: unknown) => 'retry' | 'poison' | 'fatal') | undefined;
}

/** By default nothing is skipped and nothing is parked: a failed batch is tried again for ever and is not checkpointed. */
export const defaultFailurePolicy: FailurePolicy = {
  retry: { attemptsMax: Number.POSITIVE_INFINITY, firstMs: 100, factor: 2, maxMs: 30_000, jitter: 0.2 },
  action: 'halt-range',
  bisect: true,
  classify: undefined,
};
