// Splits and merges in any order: the ranges tile the key space, and relabelled records stay one sequence for each range.

import { isDatabaseError, keyRangeContains, keyRangesTile } from '@tidemark/model';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readContainerDefinition } from '../container-definition.ts';
import type { ContainerEntry, RangeEntry } from './catalog.ts';
import { firstRanges, labelOf, mergeRanges, splitRange } from './lineage.ts';

const definition = readContainerDefinition({ id: 'c', partitionKey: { paths: ['/pk'], kind: 'Hash', version: 2 } });
const keys = ['03', '0A80', '15', '15555555', '1F00', '2A', '2AAB', '35', '3FFE'];

type Step = { readonly kind: 'write' | 'split' | 'merge'; readonly at: number };
const aStep: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('write', 'write', 'split', 'merge'),
  at: fc.nat(),
});

interface Written {
  readonly range: number;
  readonly key: string;
  readonly lsn: number;
}

test('every key has one range, whatever was split and merged [engine 8]', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), fc.array(aStep, { maxLength: 40 }), (count, steps) => {
      const { container, tails } = play(count, steps);

      expect(keyRangesTile(container.ranges)).toBe(true);
      expect(new Set(container.ranges.map((range) => range.id)).size).toBe(container.ranges.length);
      for (const range of container.ranges) {
        for (const ancestor of range.ancestors) expect(ancestor.endLsn).toBeLessThanOrEqual(range.baseLsn);
        expect(tails.get(range.number)).toBeGreaterThanOrEqual(range.baseLsn);
      }
    }),
    { numRuns: 300 },
  );
});

test('a record is found by the range that owns its key, under the label it was written with or a younger one [engine 8]', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), fc.array(aStep, { maxLength: 40 }), (count, steps) => {
      const { container, written } = play(count, steps);

      for (const { range, key } of written) {
        const owner = container.ranges.find((candidate) => keyRangeContains(candidate, key)) as RangeEntry;
        const lineage = [...owner.ancestors.map((ancestor) => ancestor.number), owner.number];
        expect(lineage).toContain(range);
        const label = labelOf(container, range, key) as number;
        expect(lineage.indexOf(label)).toBeGreaterThanOrEqual(lineage.indexOf(range));
        // Once given, a label stays: a record is relabelled again and again as it is compacted.
        expect(labelOf(container, label, key)).toBe(label);
      }
    }),
    { numRuns: 300 },
  );
});

test('no label ever holds one LSN of two ranges [engine 8]', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), fc.array(aStep, { maxLength: 60 }), (count, steps) => {
      const { container, written } = play(count, steps);

      const seen = new Map<string, number>();
      for (const { range, key, lsn } of written) {
        const place = `${labelOf(container, range, key)}:${lsn}`;
        expect(seen.get(place) ?? range, place).toBe(range);
        seen.set(place, range);
      }
    }),
    { numRuns: 300 },
  );
});

function play(
  count: number,
  steps: readonly Step[],
): { container: ContainerEntry; tails: Map<number, number>; written: Written[] } {
  let next = 1;
  const take = () => next++;
  const ranges = firstRanges(definition, count, take);
  let container: ContainerEntry = {
    type: 'container',
    number: 99,
    database: 98,
    id: 'c',
    definition,
    timeMs: 0,
    version: 1,
    nextRangeId: ranges.length,
    ranges,
    gone: [],
    historyMs: 0,
    floorSecond: 0,
  };
  const tails = new Map(ranges.map((range) => [range.number, 0]));
  const written: Written[] = [];
  for (const { kind, at } of steps) {
    const index = at % container.ranges.length;
    const range = container.ranges[index] as RangeEntry;
    const tail = tails.get(range.number) as number;
    if (kind === 'write') {
      const key = keys[at % keys.length] as string;
      const owner = container.ranges.find((candidate) => keyRangeContains(candidate, key)) as RangeEntry;
      const lsn = (tails.get(owner.number) as number) + 1;
      tails.set(owner.number, lsn);
      written.push({ range: owner.number, key, lsn });
      continue;
    }
    if (kind === 'split') {
      const inside = keys.filter((key) => key > range.min && key < range.max);
      const where = inside.length === 0 || at % 3 === 0 ? undefined : inside[at % inside.length];
      try {
        container = splitRange(container, range, where, tail, take);
      } catch (error) {
        // Split again and again between two keys of the list, a range may have no key left to be split at.
        if (isDatabaseError(error) && error.code === 'bad-request' && where === undefined) continue;
        throw error;
      }
    } else {
      const right = container.ranges[index + 1];
      if (right === undefined) continue;
      const sides = [range, right].map((entry) => ({ entry, tailLsn: tails.get(entry.number) as number }));
      container = mergeRanges(container, sides[0] as never, sides[1] as never, take);
    }
    for (const child of container.ranges) if (!tails.has(child.number)) tails.set(child.number, child.baseLsn);
  }
  return { container, tails, written };
}
