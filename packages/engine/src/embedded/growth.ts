// Growth: a container that is to have more ranges gets them one split at a time, in the background. How many it wants is in
// its catalog entry, so that a restart goes on where it was; the split that reaches the number takes it out again. Nothing is
// ever merged by itself, and whoever merges by hand is not undone.

import { DatabaseError, isDatabaseError } from '@tidemark/model';
import { rangesPerContainerMax } from '../limits.ts';
import type { RangeEngine, RangeInfo } from '../range-engine.ts';
import type { CatalogChange } from '../state/catalog.ts';
import type { DatabaseState } from '../state/database-state.ts';

export interface GrowthHost extends Pick<RangeEngine, 'ranges' | 'split'> {
  readonly state: DatabaseState;
  changeCatalog<T>(decide: () => { readonly changes: readonly CatalogChange[]; result(): T }): Promise<T>;
}

/** Notes that the container is to have at least so many ranges. */
export function wantRanges(host: GrowthHost, container: number, rangesWanted: number): Promise<void> {
  if (!Number.isInteger(rangesWanted) || rangesWanted > rangesPerContainerMax) {
    const message = `A container has 1 to ${rangesPerContainerMax} ranges, not ${rangesWanted}.`;
    return Promise.reject(new DatabaseError('bad-request', message));
  }
  return host.changeCatalog(() => {
    const { entry } = host.state.container(container);
    const isEnough = Math.max(entry.ranges.length, entry.rangesWanted ?? 0) >= rangesWanted;
    return { changes: isEnough ? [] : [{ put: { ...entry, rangesWanted } }], result: () => undefined };
  });
}

/** Splits one range, if the container wants more than it has. Resolves with whether it did. */
export async function growByOne(host: GrowthHost, container: number): Promise<boolean> {
  if (host.state.findContainer(container)?.entry.rangesWanted === undefined) return false;
  for (const { id } of largestFirst(host.ranges(container))) {
    try {
      await host.split(container, id);
      return true;
    } catch (error) {
      // Too narrow, or gone meanwhile.
      if (!isDatabaseError(error) || (error.code !== 'bad-request' && error.code !== 'range-gone')) throw error;
    }
  }
  return false;
}

/** Of equal size that which has been split least often, and so holds the widest part of the keys. */
function largestFirst(ranges: readonly RangeInfo[]): RangeInfo[] {
  return [...ranges].sort((a, b) => b.sizeBytes - a.sizeBytes || a.parents.length - b.parents.length);
}
