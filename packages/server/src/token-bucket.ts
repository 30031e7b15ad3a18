// A bucket of request units: they come at a constant rate, and at most those of one second are kept. What a request costs is
// known only when it is done, so it enters with the least it can cost and settles afterwards; the bucket may then be in debt,
// and nobody enters until that is paid.
//
// Whoever is turned away is told when to come back. Were all told the same moment, all but one would be turned away again,
// and clients give up after a few times: so each is given a moment of its own, one after the other, as far apart as requests
// of late have cost. Nobody is kept out by such a promise: whoever finds the bucket not empty may enter.

import { chargeMin, createCharge } from './charge.ts';
import { promiseMsMax } from './limits.ts';

export class TokenBucket {
  #unitsPerSecond: number;
  #level: number;
  #filledMs: number;
  /** Up to this moment the units to come are promised. */
  promisedMs = 0;
  /** About the middle of what requests have cost of late: a single large one does not move it far. */
  usualCharge: number = createCharge(0);

  constructor(unitsPerSecond: number, nowMs: number) {
    this.#unitsPerSecond = unitsPerSecond;
    this.#level = unitsPerSecond;
    this.#filledMs = nowMs;
  }

  get unitsPerSecond(): number {
    return this.#unitsPerSecond;
  }

  /** Of a change of throughput, or of the number of ranges it is divided by. */
  setRate(unitsPerSecond: number, nowMs: number): void {
    if (unitsPerSecond === this.#unitsPerSecond) return;
    this.#fill(nowMs);
    this.#unitsPerSecond = unitsPerSecond;
    this.#level = Math.min(this.#level, unitsPerSecond);
    this.promisedMs = 0;
  }

  level(nowMs: number): number {
    this.#fill(nowMs);
    return this.#level;
  }

  /** A full bucket without promises says nothing that a new one would not. */
  isFresh(nowMs: number): boolean {
    return this.level(nowMs) >= this.#unitsPerSecond && this.promisedMs <= nowMs;
  }

  /** May leave it in debt; a negative amount is given back. */
  take(units: number, nowMs: number): void {
    this.#fill(nowMs);
    this.#level = Math.min(this.#unitsPerSecond, this.#level - units);
  }

  #fill(nowMs: number): void {
    const elapsedMs = nowMs - this.#filledMs;
    if (elapsedMs <= 0) return;
    this.#level = Math.min(this.#unitsPerSecond, this.#level + (elapsedMs / 1000) * this.#unitsPerSecond);
    this.#filledMs = nowMs;
  }
}

/**
 * Enters through one bucket, or through several in equal parts. Undefined: admitted, and the least that a request can cost is
 * taken. Otherwise the milliseconds after which it will be.
 */
export function enter(buckets: readonly TokenBucket[], nowMs: number): number | undefined {
  let level = 0;
  let unitsPerSecond = 0;
  let usualCharge = 0;
  let promisedMs = 0;
  for (const bucket of buckets) {
    level += bucket.level(nowMs);
    unitsPerSecond += bucket.unitsPerSecond;
    usualCharge = Math.max(usualCharge, bucket.usualCharge);
    promisedMs = Math.max(promisedMs, bucket.promisedMs);
  }
  if (level > 0) {
    takeAll(buckets, chargeMin, nowMs);
    return undefined;
  }
  // The first whole millisecond after which there is more than nothing.
  const emptyUntilMs = nowMs + Math.floor((-level / unitsPerSecond) * 1000) + 1;
  const atMs = Math.max(emptyUntilMs, Math.min(promisedMs, emptyUntilMs + promiseMsMax));
  for (const bucket of buckets) bucket.promisedMs = atMs + (usualCharge / unitsPerSecond) * 1000;
  return Math.ceil(atMs - nowMs);
}

/** What it came to, beyond what was taken when it entered. */
export function settle(buckets: readonly TokenBucket[], charge: number, nowMs: number): void {
  takeAll(buckets, charge - chargeMin, nowMs);
  for (const bucket of buckets) {
    if (charge > bucket.usualCharge) bucket.usualCharge *= 1.1;
    else if (charge < bucket.usualCharge) bucket.usualCharge = Math.max(chargeMin, bucket.usualCharge * 0.9);
  }
}

function takeAll(buckets: readonly TokenBucket[], units: number, nowMs: number): void {
  for (const bucket of buckets) bucket.take(units / buckets.length, nowMs);
}
