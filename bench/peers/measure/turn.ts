// One turn of one contestant at one work.

import type { Subject } from '../subjects/subject.ts';
import type { WorkId } from '../works.ts';
import { bulksInFlight, pointsInFlight } from '../works.ts';
import { measureLatency } from './latency.ts';
import type { Numbers } from './numbers.ts';
import { measureBulks, measurePoints, measureUpserts } from './rates.ts';
import { measureCatchUp, measureGroup } from './whole-feed.ts';

export interface TurnOptions {
  readonly turnMs: number;
  readonly latencyWrites: number;
  readonly latencyPauseMs: number;
}

/** In the unit of the work; `details` are for the JSON. */
export interface Turn {
  readonly figure: number;
  readonly details: Readonly<Record<string, number>>;
}

export function takeTurn(work: WorkId, subject: Subject, numbers: Numbers, options: TurnOptions): Promise<Turn> {
  switch (work) {
    case 'catch-up':
      return measureCatchUp(subject, numbers.documents);
    case 'group':
      return measureGroup(subject, numbers.documents);
    case 'points':
      return measurePoints(subject, numbers, pointsInFlight, options.turnMs);
    case 'latency':
      return measureLatency(subject, numbers, options);
    case 'upserts-1':
      return measureUpserts(subject, numbers, 1, options.turnMs);
    case 'upserts-64':
      return measureUpserts(subject, numbers, 64, options.turnMs);
    case 'upserts-256':
      return measureUpserts(subject, numbers, 256, options.turnMs);
    case 'bulk':
      return measureBulks(subject, numbers, bulksInFlight, options.turnMs);
  }
}
