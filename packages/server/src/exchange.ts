// One request and what becomes of it, as metrics and logs see it.

import type { ResourcePath } from '@tidemark/model';

export interface Exchange {
  readonly activityId: string;
  /** Of `performance.now`. */
  readonly startedMs: number;
  /** The name of its route; until it has one, `unknown`. */
  operation: string;
  /** Undefined until it is known, and for what is not of the protocol. */
  path: ResourcePath | undefined;
}

/** What is counted and logged beside the operations of the protocol. */
export const unknownOperation = 'unknown';
export const adminOperation = 'admin';
