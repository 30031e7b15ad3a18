// What an operation costs, beside a fixed work that was done in turns with it. On a machine that others use too, only what
// was measured in the same seconds can be compared, also over an hour; and of that, processor time, of all threads: the time
// on the wall is told too, but most of it may be that of others who were served first.

import type { Drive } from '../common/drive.ts';
import { median } from '../common/drive.ts';

export interface Cost {
  /** On the wall: of operations one after the other the median, of many in flight their share of the time. */
  readonly micros: number;
  readonly processorMicros: number;
  readonly referenceMicros: number;
  /** Processor time as a multiple of that of the fixed work: the median of the rounds. */
  readonly relative: number;
  /** What the process had the disk write for each; where the operating system tells. */
  readonly writtenBytes?: number;
}

export interface CostOptions {
  readonly rounds: number;
  readonly isAlone: boolean;
  subject(): Promise<Drive>;
  reference(): Promise<Drive>;
  /** Bytes that the process has written so far. */
  written?(): number;
}

export async function costOf(options: CostOptions): Promise<Cost> {
  const { rounds, isAlone, subject, reference, written } = options;
  const drives: Drive[] = [];
  const references: number[] = [];
  const ratios: number[] = [];
  const writes: number[] = [];
  // The first one warms up.
  for (let round = -1; round < rounds; round += 1) {
    const before = await reference();
    const writtenBefore = written?.() ?? 0;
    const driven = await subject();
    const writtenBytes = (written?.() ?? 0) - writtenBefore;
    const after = await reference();
    if (round < 0) continue;
    const fixed = (processorMicros(before) + processorMicros(after)) / 2;
    drives.push(driven);
    references.push(fixed);
    ratios.push(processorMicros(driven) / fixed);
    writes.push(writtenBytes / driven.operations);
  }
  return {
    micros: median(drives.map((driven) => (isAlone ? driven.latencyMs.p50 * 1_000 : meanMicros(driven)))),
    processorMicros: median(drives.map(processorMicros)),
    referenceMicros: median(references),
    relative: median(ratios),
    ...(written === undefined ? {} : { writtenBytes: median(writes) }),
  };
}

function meanMicros({ elapsedMs, operations }: Drive): number {
  return (elapsedMs * 1_000) / operations;
}

function processorMicros({ processorMs, operations }: Drive): number {
  return (processorMs * 1_000) / operations;
}
