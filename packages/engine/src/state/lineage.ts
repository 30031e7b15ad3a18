// Splits and merges as changes of a container's catalog entry: metadata only, O(1) in the amount of data.
//
// A child goes on from the LSN at which its parent ended; after a merge from the greater of the two. The records stay where
// they are, under the number of the range that wrote them; the children list it among their ancestors.

import { DatabaseError, keyRangeContains, middleOfKeyRange, sliceKeySpace } from '@tidemark/model';
import type { ContainerDefinition } from '../container-definition.ts';
import { rangesPerContainerMax } from '../limits.ts';
import type { AncestorEntry, ContainerEntry, RangeEntry } from './catalog.ts';
import { isKeyBound } from './range.ts';

/** Ids of ranges that are no more are remembered, so that whoever still names one is told what took its place. */
const goneRangesMax = 1_000;

export function firstRanges(definition: ContainerDefinition, count: number, takeNumber: () => number): RangeEntry[] {
  if (!Number.isInteger(count) || count < 1 || count > rangesPerContainerMax) {
    throw new DatabaseError('bad-request', `A container has 1 to ${rangesPerContainerMax} ranges, not ${count}.`);
  }
  return sliceKeySpace(definition.partitionKey, count).map(({ min, max }, index) => ({
    number: takeNumber(),
    id: String(index),
    min,
    max,
    baseLsn: 0,
    floorLsn: 0,
    parents: [],
    ancestors: [],
  }));
}

/** `tailLsn` is the LSN that the parent ends with. */
export function splitRange(
  container: ContainerEntry,
  parent: RangeEntry,
  at: string | undefined,
  tailLsn: number,
  takeNumber: () => number,
): ContainerEntry {
  const middle = at ?? middleOfKeyRange(parent, container.definition.partitionKey);
  if (!isKeyBound(middle) || !keyRangeContains(parent, middle) || middle === parent.min) {
    const bounds = `"${parent.min}" to "${parent.max}"`;
    throw new DatabaseError('bad-request', `The range ${parent.id} (${bounds}) cannot be split at "${middle}".`);
  }
  const child = (index: number, min: string, max: string): RangeEntry => ({
    number: takeNumber(),
    id: String(container.nextRangeId + index),
    min,
    max,
    baseLsn: tailLsn,
    floorLsn: parent.floorLsn,
    parents: [...parent.parents, parent.id],
    ancestors: [...parent.ancestors, ancestorOf(parent, tailLsn)],
  });
  const children = [child(0, parent.min, middle), child(1, middle, parent.max)];
  return replaced(container, [parent], children);
}

const rangesNamedMax = 20;

export function mergeRanges(
  container: ContainerEntry,
  left: { readonly entry: RangeEntry; readonly tailLsn: number },
  right: { readonly entry: RangeEntry; readonly tailLsn: number },
  takeNumber: () => number,
): ContainerEntry {
  if (left.entry.max !== right.entry.min) {
    const inOrder = container.ranges.slice(0, rangesNamedMax).map(({ id }) => id);
    const message = `The range ${right.entry.id} does not begin where ${left.entry.id} ends: only neighbours can be merged`;
    const order = `In the order of keys they are ${inOrder.join(', ')}${inOrder.length < container.ranges.length ? ', …' : ''}`;
    throw new DatabaseError('bad-request', `${message}, the one with lower keys first. ${order}.`);
  }
  const ancestors = new Map<number, AncestorEntry>();
  for (const { entry, tailLsn } of [left, right]) {
    for (const ancestor of entry.ancestors) ancestors.set(ancestor.number, ancestor);
    ancestors.set(entry.number, ancestorOf(entry, tailLsn));
  }
  const parents = new Set([...left.entry.parents, ...right.entry.parents, left.entry.id, right.entry.id]);
  const child: RangeEntry = {
    number: takeNumber(),
    id: String(container.nextRangeId),
    min: left.entry.min,
    max: right.entry.max,
    baseLsn: Math.max(left.tailLsn, right.tailLsn),
    floorLsn: Math.max(left.entry.floorLsn, right.entry.floorLsn),
    parents: [...parents],
    ancestors: [...ancestors.values()],
  };
  return replaced(container, [left.entry, right.entry], [child]);
}

/**
 * The label a record of range `number` should carry now: the youngest range it can be given to without mixing two LSN
 * sequences, which is as far as splits lead. Undefined when the container no longer knows the range.
 */
export function labelOf(container: ContainerEntry, number: number, epkHex: string): number | undefined {
  const owner = container.ranges.find((range) => keyRangeContains(range, epkHex));
  if (owner === undefined) return undefined;
  if (owner.number === number) return number;
  // Walk from the youngest towards the record's range, as long as each step was a split.
  const chain = owner.ancestors.filter((ancestor) => keyRangeContains(ancestor, epkHex));
  if (!chain.some((ancestor) => ancestor.number === number)) return undefined;
  let label = number;
  let bounds = chain.find((ancestor) => ancestor.number === number) as { min: string; max: string };
  for (const next of [...chain.slice(chain.findIndex((a) => a.number === number) + 1), owner]) {
    const isWithin = next.min >= bounds.min && next.max <= bounds.max;
    if (!isWithin) break;
    label = next.number;
    bounds = next;
  }
  return label;
}

function ancestorOf(entry: RangeEntry, endLsn: number): AncestorEntry {
  const { number, min, max, floorLsn } = entry;
  return { number, min, max, endLsn, floorLsn };
}

function replaced(
  container: ContainerEntry,
  gone: readonly RangeEntry[],
  children: readonly RangeEntry[],
): ContainerEntry {
  const at = container.ranges.indexOf(gone[0] as RangeEntry);
  const ranges = [...container.ranges];
  ranges.splice(at, gone.length, ...children);
  const { rangesWanted, ...rest } = container;
  const isGrowing = rangesWanted !== undefined && ranges.length < rangesWanted;
  const childIds = children.map((range) => range.id);
  const goneNow = gone.map(({ id, min, max }) => ({ id, min, max, children: childIds }));
  return {
    ...rest,
    ...(isGrowing ? { rangesWanted } : {}),
    ranges,
    nextRangeId: container.nextRangeId + children.length,
    gone: [...container.gone, ...goneNow].slice(-goneRangesMax),
  };
}
