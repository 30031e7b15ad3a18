// What requests add up to: plain numbers, so that counting one costs next to nothing; they become metrics when somebody asks.

import type { Exposition } from './exposition.ts';
import { Histogram } from './histogram.ts';
import { durationBuckets } from './metric-definitions.ts';

interface OperationTally {
  readonly statuses: Map<number, number>;
  readonly seconds: Histogram;
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
      tally = { statuses: new Map(), seconds: new Histogram(durationBuckets), charge: 0 };
      this.#operations.set(operation, tally);
    }
    tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1);
    tally.seconds.observe(durationMs / 1000);
    tally.charge += charge;
    if (status === 429) this.throttled += 1;
  }

  expose(exposition: Exposition): void {
    const all = [...this.#operations];
    for (const [operation, { statuses }] of all) {
      for (const [status, count] of statuses)
        exposition.add('tidemark_requests_total', count, operation, String(status));
    }
    for (const [operation, { seconds }] of all) {
      exposition.addHistogram('tidemark_request_duration_seconds', seconds, operation);
    }
    for (const [operation, { charge }] of all) exposition.add('tidemark_request_charge_total', charge, operation);
    exposition.add('tidemark_requests_under_way', this.underWay);
    exposition.add('tidemark_requests_unanswered_total', this.unanswered);
    exposition.add('tidemark_throttled_total', this.throttled);
    exposition.add('tidemark_defects_total', this.defects);
  }
}
