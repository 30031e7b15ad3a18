// What a host of .NET makes of a range that is gone (processor.md 1.7). The children begin where the parent was *read* last,
// not where it was acknowledged (D1).

import type { KeyRange } from '@tidemark/model';
import type { FeedSource, PhysicalRange } from '@tidemark/processor';
import type { DotnetDialect, DotnetLease } from './lease-document.ts';
import type { LeaseManager, NewLease } from './lease-manager.ts';

const parallelMax = 25;

export interface Successors {
  /** Created here; those that existed are another host's to take. */
  readonly created: readonly DotnetLease[];
  /** False: a lease by keys whose range was merged goes on as it is. */
  readonly isParentGone: boolean;
}

export async function succeed(
  source: FeedSource,
  manager: LeaseManager,
  lease: DotnetLease,
  lastRead: string | null,
  dialect: DotnetDialect,
): Promise<Successors> {
  const ranges = await source.ranges();
  const wanted = successorsOf(ranges, lease, dialect).map((child) => ({ ...child, continuation: lastRead }));
  if (wanted.length === 0) return { created: [], isParentGone: false };
  return { created: await createInParallel(manager, wanted), isParentGone: true };
}

function successorsOf(
  ranges: readonly PhysicalRange[],
  lease: DotnetLease,
  dialect: DotnetDialect,
): Omit<NewLease, 'continuation'>[] {
  if (dialect === 'v2') {
    const children = ranges.filter(({ parents }) => parents.includes(lease.token));
    return children.map(({ id, min, max }) => ({ token: id, version: 0, keys: { min, max } }));
  }
  const { keys } = lease;
  // D15: what .NET died of.
  if (keys === undefined) throw new TypeError(`The lease ${lease.id} has no feed range.`);
  const overlapping = ranges.filter(({ min, max }) => min < keys.max && keys.min < max);
  if (lease.version === 0) {
    if (overlapping.length === 1) return [byKeys(keys)];
    return overlapping.map(({ id, min, max }) => ({ token: id, version: 0, keys: { min, max } }));
  }
  if (overlapping.length === 1) return [];
  return overlapping.map(({ min, max }) =>
    byKeys({ min: min < keys.min ? keys.min : min, max: max > keys.max ? keys.max : max }),
  );
}

function byKeys(keys: KeyRange): Omit<NewLease, 'continuation'> {
  return { token: `${keys.min}-${keys.max}`, version: 1, keys };
}

export async function createInParallel(manager: LeaseManager, wanted: readonly NewLease[]): Promise<DotnetLease[]> {
  const created: DotnetLease[] = [];
  for (let from = 0; from < wanted.length; from += parallelMax) {
    const some = await Promise.all(wanted.slice(from, from + parallelMax).map((lease) => manager.create(lease)));
    created.push(...some.filter((lease) => lease !== undefined));
  }
  return created;
}
