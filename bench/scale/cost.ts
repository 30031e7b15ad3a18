// What an operation costs in the large database, beside the same operation in a small one that is always of the same size,
// done in turns. On a machine that others use too, only what was measured in the same seconds can be compared, also over an
// hour; and of that, only what does not count how long others were served first:
//
//   median           of operations one after the other that wait for nobody: few of them are interrupted
//   processor time   of all threads, where operations wait for threads or for each other

import type { Drive } from '../common/drive.ts';
import { median } from '../common/drive.ts';

export interface Cost {
  /** On the wall: of operations one after the other the median, of many in flight their share of the time. */
  readonly micros: number;
  readonly processorMicros: number;
  /** The same in the small database. */
  readonly smallMicros: number;
  readonly smallProcessorMicros: number;
  /** That in the large one beside that in the small one, in the measure of this cost: the median of the rounds. */
  readonly relative: number;
  /** What the process has written for each; where the operating system tells. */
  readonly writtenBytes?: number;
}

export type Measure = 'median' | 'processor time';

export interface CostOptions {
  readonly rounds: number;
  readonly measure: Measure;
  /** One after the other: the time of one is known. */
  readonly isAlone: boolean;
  large(): Promise<Drive>;
  small(): Promise<Drive>;
  /** Bytes that the process has written so far. */
  written?(): number;
}

export async function costOf(options: CostOptions): Promise<Cost> {
  const { rounds, measure, isAlone, written } = options;
  const larges: Drive[] = [];
  const smalls: Drive[] = [];
  const writes: number[] = [];
  // The first one warms up.
  for (let round = -1; round < rounds; round += 1) {
    const small = await options.small();
    const writtenBefore = written?.() ?? 0;
    const large = await options.large();
    const writtenBytes = (written?.() ?? 0) - writtenBefore;
    if (round < 0) continue;
    smalls.push(small);
    larges.push(large);
    writes.push(writtenBytes / large.operations);
  }
  const wall = (driven: Drive): number => (isAlone ? driven.latencyMs.p50 * 1_000 : meanMicros(driven));
  const judged = measure === 'median' ? wall : processorMicros;
  return {
    micros: median(larges.map(wall)),
    processorMicros: median(larges.map(processorMicros)),
    smallMicros: median(smalls.map(wall)),
    smallProcessorMicros: median(smalls.map(processorMicros)),
    relative: median(larges.map((large, i) => judged(large) / judged(smalls[i] as Drive))),
    ...(written === undefined ? {} : { writtenBytes: median(writes) }),
  };
}

function meanMicros({ elapsedMs, operations }: Drive): number {
  return (elapsedMs * 1_000) / operations;
}

function processorMicros({ processorMs, operations }: Drive): number {
  return (processorMs * 1_000) / operations;
}
