// What an operation costs, beside a fixed work that was done in turns with it. On a machine that others use too, only what
// was measured in the same seconds can be compared, also over an hour; and of that, only what does not count how long the
// others were served first:
//
//   one after the other   the median of the single operations: few of them are interrupted
//   many in flight        processor time, of all threads: everybody waits for whoever is interrupted

import type { Drive } from '../common/drive.ts';
import { median } from '../common/drive.ts';

export type Measure = 'median' | 'processor time';

export interface Cost {
  /** Of one operation, as the clock on the wall says: the median of the rounds. */
  readonly micros: number;
  /** Of all threads. */
  readonly processorMicros: number;
  /** How many times the fixed work, in the measure of this cost: the median of the rounds. */
  readonly relative: number;
  /** What the process had the disk write for each; where the operating system tells. */
  readonly writtenBytes?: number;
}

export interface CostOptions {
  readonly rounds: number;
  readonly measure: Measure;
  subject(): Promise<Drive>;
  reference(): Promise<Drive>;
  /** Bytes that the process has written so far. */
  written?(): number;
}

export async function costOf(options: CostOptions): Promise<Cost> {
  const { rounds, measure, subject, reference, written } = options;
  const drives: Drive[] = [];
  const ratios: number[] = [];
  const writes: number[] = [];
  // The first one warms up.
  for (let round = -1; round < rounds; round += 1) {
    const before = await reference();
    const writtenBefore = written?.() ?? 0;
    const driven = await subject();
    if (written !== undefined && round >= 0) writes.push((written() - writtenBefore) / driven.operations);
    const after = await reference();
    if (round < 0) continue;
    drives.push(driven);
    ratios.push((2 * judged(driven, measure)) / (judged(before, measure) + judged(after, measure)));
  }
  const wall = (driven: Drive): number => (measure === 'median' ? medianMicros(driven) : meanMicros(driven));
  return {
    micros: median(drives.map(wall)),
    processorMicros: median(drives.map(processorMicros)),
    relative: median(ratios),
    ...(written === undefined ? {} : { writtenBytes: median(writes) }),
  };
}

function judged(driven: Drive, measure: Measure): number {
  return measure === 'median' ? medianMicros(driven) : processorMicros(driven);
}

function medianMicros({ latencyMs }: Drive): number {
  return latencyMs.p50 * 1_000;
}

function meanMicros({ elapsedMs, operations }: Drive): number {
  return (elapsedMs * 1_000) / operations;
}

function processorMicros({ processorMs, operations }: Drive): number {
  return (processorMs * 1_000) / operations;
}
