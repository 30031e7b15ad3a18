// Splits and merges as changes of the catalog: who they concern is sealed, so that what comes after belongs to the children.

import { assert, DatabaseError } from '@tidemark/model';
import type { RangeInfo } from '../range-engine.ts';
import type { CatalogChange, ContainerEntry } from '../state/catalog.ts';
import type { ContainerState } from '../state/container-state.ts';
import type { DatabaseState } from '../state/database-state.ts';
import { mergeRanges, splitRange } from '../state/lineage.ts';
import type { RangeState } from '../state/range.ts';
import { rangeInfo } from './catalog-changes.ts';

interface Change<T> {
  readonly changes: readonly CatalogChange[];
  result(): T;
}

export function splitChange(
  state: DatabaseState,
  container: ContainerState,
  range: string,
  at: string | undefined,
): Change<readonly RangeInfo[]> {
  const parent = liveRange(container, range);
  const before = container.entry;
  const put = splitRange(before, parent.entry, at, parent.decidedLsn, () => state.catalog.takeNumber());
  parent.isSealed = true;
  return { changes: [{ put }], result: () => childrenOf(state, put, before) };
}

export function mergeChange(
  state: DatabaseState,
  container: ContainerState,
  left: string,
  right: string,
): Change<RangeInfo> {
  const parents = [liveRange(container, left), liveRange(container, right)] as const;
  const [a, b] = parents.map(({ entry, decidedLsn }) => ({ entry, tailLsn: decidedLsn }));
  assert(a !== undefined && b !== undefined, 'a merge has two parents');
  const before = container.entry;
  const put = mergeRanges(before, a, b, () => state.catalog.takeNumber());
  for (const parent of parents) parent.isSealed = true;
  return { changes: [{ put }], result: () => childrenOf(state, put, before)[0] as RangeInfo };
}

/** Throws range-gone with what took its place, or range-unknown. */
export function liveRange(container: ContainerState, id: string): RangeState {
  const range = container.rangeWithId(id);
  if (range !== undefined) return range;
  if (Number(id) < container.entry.nextRangeId && /^\d+$/.test(id)) throw rangeIdGone(container, id);
  throw new DatabaseError('range-unknown', `The container "${container.entry.id}" has no range ${id}.`);
}

/** Names what took the range's place, as far as it is known. */
export function rangeIdGone(container: ContainerState, id: string): DatabaseError {
  const children = container.entry.gone.find((gone) => gone.id === id)?.children ?? [];
  return new DatabaseError('range-gone', `The range ${id} has been split or merged.`, {
    detail: { range: id, children },
  });
}

/** The ranges that a split or merge has made. */
function childrenOf(state: DatabaseState, after: ContainerEntry, before: ContainerEntry): RangeInfo[] {
  const known = new Set(before.ranges.map((range) => range.number));
  const children = after.ranges.filter((range) => !known.has(range.number));
  return children.map((entry) => {
    const range = state.findRange(entry.number);
    assert(range !== undefined, 'a child that was published is open');
    return rangeInfo(range);
  });
}
