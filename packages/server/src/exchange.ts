// One request and what becomes of it, as metrics and logs see it.

import { randomUUID } from 'node:crypto';
import type { ResourcePath } from '@tidemark/model';

export class Exchange {
  /** Of `performance.now`. */
  readonly startedMs: number = performance.now();
  /** The name of its route; until it has one, `unknown`. */
  operation: string = unknownOperation;
  /** Undefined until it is known, and for what is not of the protocol. */
  path: ResourcePath | undefined;
  #activityId: string | undefined;

  /** Made when it is needed: thousands of requests may wait, and a fresh one is a tree of pieces. */
  get activityId(): string {
    this.#activityId ??= randomUUID();
    return this.#activityId;
  }
}

/** What is counted and logged beside the operations of the protocol. */
const unknownOperation = 'unknown';
export const adminOperation = 'admin';
