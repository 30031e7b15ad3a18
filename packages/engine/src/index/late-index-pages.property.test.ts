// Pages over entries of which some are late and some in the tree: with any limit they are those of a sorted list.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Model } from '../../test/late-kit.ts';
import { applied, LateStore } from '../../test/late-kit.ts';
import type { IndexChange, IndexEntry, IndexRangeOptions } from './index-store.ts';
import { tree } from './keys.ts';
import { memoryIndex } from './memory-index.ts';

/** Of two neighbouring containers and one far away, and of hashes with and without their highest bits. */
const key = fc
  .tuple(
    fc.constantFrom(1, 2, 900),
    fc.constantFrom(0x00, 0x05, 0x3f, 0x40, 0xff),
    fc.constantFrom(0x00, 0x80),
    fc.nat(12),
  )
  .map(([container, high, low, last]) =>
    Buffer.from([tree.doc, 0, 0, container >> 8, container & 0xff, high, low, last]),
  );
const change = fc
  .tuple(key, fc.option(fc.nat(255), { nil: undefined, freq: 3 }))
  .map(([key, value]): IndexChange => ({ key, value: value === undefined ? undefined : Buffer.from([value]) }));
/** Keys, beginnings of keys, and the ends of containers. */
const bound = fc.tuple(key, fc.constantFrom(1, 3, 5, 6, 8)).map(([key, length]) => key.subarray(0, length));
const page = fc.record({ a: bound, b: bound, limit: fc.oneof(fc.integer({ min: 1, max: 6 }), fc.constant(1_000)) });

function expected(model: Model, { from, to, limit, reverse = false }: IndexRangeOptions): [string, string][] {
  const inside = [...model].filter(([key]) => key >= from.toString('latin1') && key < to.toString('latin1'));
  inside.sort(([a], [b]) => (a < b ? -1 : 1));
  return (reverse ? inside.reverse() : inside).slice(0, limit);
}

function told(entries: readonly IndexEntry[]): [string, string][] {
  return entries.map(({ key, value }) => [key.toString('latin1'), value.toString('latin1')]);
}

/** So many neighbours that they are put in order, and so many of them gone that a page has to look for what is left. */
const neighbour = fc
  .integer({ min: 0, max: 299 })
  .map((last) => Buffer.from([tree.doc, 0, 0, 0, 1, 0x05, 0, last >> 8, last & 0xff]));
const neighbours = fc
  .array(fc.tuple(neighbour, fc.boolean()), { minLength: 100, maxLength: 400 })
  .map((list) =>
    list.map(([key, isPut]): IndexChange => ({ key, value: isPut ? Buffer.from([list.length & 0xff]) : undefined })),
  );
const neighbourPage = fc.record({
  a: neighbour,
  b: neighbour,
  limit: fc.oneof(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 50, max: 150 }), fc.constant(1_000)),
});

interface History {
  readonly applies: readonly (readonly IndexChange[])[];
  readonly pages: readonly { readonly a: Buffer; readonly b: Buffer; readonly limit: number }[];
  readonly changesMax: number;
}

async function expectPages({ applies, pages, changesMax }: History): Promise<void> {
  const index = await LateStore.open(memoryIndex(), { changesMax, mergedMax: 25 });
  let model: Model = new Map();
  for (const changes of applies) {
    await index.apply(changes);
    model = applied(model, changes);
    for (const { a, b, limit } of pages) {
      const [from, to] = Buffer.compare(a, b) < 0 ? [a, b] : [b, a];
      for (const reverse of [false, true]) {
        const options = { from, to, limit, reverse };
        expect(told(index.range(options))).toEqual(expected(model, options));
      }
    }
  }
  await index.close();
}

test('[engine 5] a page has the first entries of its interval, wherever each of them is', async () => {
  const history = fc.record({
    applies: fc.array(fc.array(change, { minLength: 1, maxLength: 60 }), { maxLength: 8 }),
    pages: fc.array(page, { minLength: 1, maxLength: 8 }),
    changesMax: fc.constantFrom(40, 150, 10_000),
  });
  await fc.assert(fc.asyncProperty(history, expectPages), { numRuns: 200 });
});

test('[engine 5] so it has of many neighbours, most of which are gone', async () => {
  const history = fc.record({
    applies: fc.array(neighbours, { minLength: 1, maxLength: 5 }),
    pages: fc.array(neighbourPage, { minLength: 1, maxLength: 6 }),
    changesMax: fc.constantFrom(300, 10_000),
  });
  await fc.assert(fc.asyncProperty(history, expectPages), { numRuns: 100 });
});
