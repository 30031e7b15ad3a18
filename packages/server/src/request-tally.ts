// What requests add up to: plain numbers, so that counting one costs next to nothing; they become metrics when somebody asks.

import type { Exposition } from './exposition.ts';
import { durationBuckets } from './metric-definitions.ts';

interface OperationTally {
  readonly statuses: Map<number, number>;
  readonly buckets: Float64Array;
  seconds: number;
  charge: number;
}

export class RequestTally {
  readonly #operations = new Map<string, OperationTally>();
  underWay = 0;
  unanswered = 0;
  throttled = 0;
  defects = 0;

  record(operation: string, status: number, charge: number, durationMs: number): void {
    let tally = this.#operations.get(operation);
    if (tally === undefined) {
      tally = { statuses: new Map(), buckets: new Float64Array(durationBuckets.length + 1), seconds: 0, charge: 0 };
      this.#operations.set(operation, tally);
    }
    tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1);
    const seconds = durationMs / 1000;
    let bucket = 0;
    while (bucket < durationBuckets.length && seconds > (durationBuckets[bucket] as number)) bucket += 1;
    tally.buckets[bucket] = (tally.buckets[bucket] as number) + 1;
    tally.seconds += seconds;
    tally.charge += charge;
    if (status === 429) this.throttled += 1;
  }

  expose(exposition: Exposition): void {
    const all = [...this.#operations];
    for (const [operation, { statuses }] of all) {
      for (const [status, count] of statuses)
        exposition.add('tidemark_requests_total', count, operation, String(status));
    }
    for (const [operation, { buckets, seconds }] of all) {
      exposition.addHistogram('tidemark_request_duration_seconds', buckets, seconds, operation);
    }
    for (const [operation, { charge }] of all) exposition.add('tidemark_request_charge_total', charge, operation);
    exposition.add('tidemark_requests_under_way', this.underWay);
    exposition.add('tidemark_requests_unanswered_total', this.unanswered);
    exposition.add('tidemark_throttled_total', this.throttled);
    exposition.add('tidemark_defects_total', this.defects);
  }
}
