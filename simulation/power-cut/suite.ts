// Many runs, with what their cuts hit added up.

import type { IndexDisk } from './machine.ts';
import type { Hit, PowerCutOptions } from './run.ts';
import { runPowerCuts } from './run.ts';

/** Enough that most cuts meet a database with a past, few enough that a failing run is short. */
export const cutsPerRun = 25;

export interface ManyOptions extends Pick<PowerCutOptions, 'sync' | 'ending' | 'isLying'> {
  readonly name: string;
  readonly cuts: number;
  makeIndex(): IndexDisk;
  onProgress?(cuts: number): void;
}

export async function runMany(options: ManyOptions): Promise<ReadonlyMap<Hit, number>> {
  const { name, cuts, makeIndex, onProgress, ...how } = options;
  const hits = new Map<Hit, number>();
  for (let first = 0; first < cuts; first += cutsPerRun) {
    const seed = `${name}-${first / cutsPerRun}`;
    const found = await runPowerCuts({ ...how, seed, cuts: Math.min(cutsPerRun, cuts - first), index: makeIndex() });
    for (const [hit, count] of found) hits.set(hit, (hits.get(hit) ?? 0) + count);
    onProgress?.(Math.min(cuts, first + cutsPerRun));
  }
  return hits;
}
