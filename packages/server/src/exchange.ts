// One request and what becomes of it, as metrics and logs see it.

import { randomUUID } from 'node:crypto';
import type { ResourcePath } from '@tidemark/model';
import type { Write } from './written-range.ts';

export class Exchange {
  /** Of `performance.now`. */
  readonly startedMs: number = performance.now();
  /** The name of its route; until it has one, `unknown`. */
  operation: string = unknownOperation;
  /** Undefined until it is known, and for what is not of the protocol. */
  path: ResourcePath | undefined;
  /** Undefined for what is none, or is not granted yet. */
  write: Write | undefined;
  #activityId: string | undefined;

  /** Made when it is needed: thousands of requests may wait, and they have none yet. */
  get activityId(): string {
    this.#activityId ??= nextActivityId();
    return this.#activityId;
  }
}

/** A GUID that is different from all others: its beginning is random, its end is counted. Nobody must be unable to guess it. */
function nextActivityId(): string {
  if (lastDigits === 0xffff_ffff) {
    firstDigits = randomUUID().slice(0, -8);
    lastDigits = 0x1000_0000;
  }
  lastDigits += 1;
  return firstDigits + lastDigits.toString(16);
}

let firstDigits = '';
let lastDigits = 0xffff_ffff;

/** What is counted and logged beside the operations of the protocol. */
const unknownOperation = 'unknown';
export const adminOperation = 'admin';
