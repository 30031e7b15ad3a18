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
  /** How many there were to do with. */
  readonly documents: number;
  readonly details: Readonly<Record<string, number>>;
}

/** The processor time of the load is told too: what a client costs explains many a figure, and hardly depends on other programs. */
export async function takeTurn(work: WorkId, subject: Subject, numbers: Numbers, options: TurnOptions): Promise<Turn> {
  const before = process.cpuUsage();
  const { figure, details, documents } = await measure(work, subject, numbers, options);
  const { user, system } = process.cpuUsage(before);
  return { figure, documents, details: { ...details, loadMicros: (user + system) / documents } };
}

function measure(work: WorkId, subject: Subject, numbers: Numbers, options: TurnOptions): Promise<Turn> {
  switch (work) {
    case 'catch-up':
      return measureCatchUp(subject, numbers.documents, options.turnMs);
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
