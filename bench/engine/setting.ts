// What every section is given: what to measure with, and where to write down what it found.

import { join } from 'node:path';
import type { BareLogProcess } from '../baseline/bare-log-process.ts';
import type { BenchOptions } from '../common/options.ts';
import type { Report } from '../common/report.ts';
import type { Chance } from './chance.ts';
import type { Subject } from './subject.ts';

export interface Setting {
  readonly options: BenchOptions;
  readonly report: Report;
  readonly chance: Chance;
  /** One range and four ranges, with as many documents as asked for. */
  readonly one: Subject;
  readonly four: Subject;
  readonly bareLog: BareLogProcess;
  /** The same with one trip through the thread pool for write and flush, where there is that; not in a hurry. */
  readonly oneTripLog: BareLogProcess | undefined;
}

export function placeOf(options: BenchOptions, name: string): string {
  return join(options.folder, name);
}
