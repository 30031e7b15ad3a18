// Rid blocks: whatever transactions put and remove, each rid leads to the doc key that was put last.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ridsPerBlock, treeBounds } from './keys.ts';
import { memoryIndex } from './memory-index.ts';
import { RecentRids } from './recent-rids.ts';
import { findIndexedRid, RidChanges, ridsOfBlock } from './rid-blocks.ts';

const containers = [1, 2];
const noTurn = async (): Promise<void> => {};
// Neighbours on both sides of the ends of blocks, and beyond 32 bits.
const aRidNumber = fc
  .tuple(fc.constantFrom(0, 2 ** 37), fc.nat({ max: ridsPerBlock * 3 }))
  .map(([first, n]) => first + n);
const aPut = fc.record({
  ridNumber: aRidNumber,
  key: fc.option(fc.uint8Array({ maxLength: 300 }), { nil: undefined }),
});
const aChange = fc.record({ container: fc.constantFrom(...containers), put: aPut });

test('[engine 5] a rid leads to its document after any puts and removals, in blocks that are gone when nothing is left', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(aChange, { maxLength: 40 }), { maxLength: 6 }), async (transactions) => {
      const index = memoryIndex();
      const model = new Map<string, Buffer>();
      for (const changes of transactions) {
        const rids = new RidChanges();
        for (const { container, put } of changes) {
          const name = `${container}/${put.ridNumber}`;
          if (put.key === undefined) {
            rids.remove(container, put.ridNumber);
            model.delete(name);
          } else {
            const bytes = Buffer.concat([Buffer.from('before'), put.key, Buffer.from('after')]);
            rids.put(container, put.ridNumber, bytes, 6, 6 + put.key.length);
            model.set(name, Buffer.from(put.key));
          }
        }
        await index.apply(await rids.on(index, noTurn));
      }

      const found = new Map<string, Buffer>();
      for (const container of containers) {
        const blocks = index.range({ ...treeBounds('rid', container), limit: 1_000 });
        for (const { key, value } of blocks) {
          const rids = ridsOfBlock(key, value);
          expect(rids.length).toBeGreaterThan(0);
          expect(rids.map(({ ridNumber }) => ridNumber)).toEqual(
            rids.map(({ ridNumber }) => ridNumber).sort((a, b) => a - b),
          );
          for (const rid of rids) found.set(`${container}/${rid.ridNumber}`, rid.key);
        }
      }
      expect(found).toEqual(model);
      for (const { container, put } of transactions.flat()) {
        expect(findIndexedRid(index, container, put.ridNumber)).toEqual(model.get(`${container}/${put.ridNumber}`));
      }
    }),
  );
});

test('[engine 5] recent rids are found until the index has taken them', async () => {
  const rids = new RecentRids();
  const keyOf = (n: number): Buffer => Buffer.alloc(n % 900, n);
  const count = 500;
  for (let n = 1; n <= count; n += 1) rids.add(7, n, keyOf(n), 0, keyOf(n).length);
  const changes = new RidChanges();
  rids.take(changes);
  rids.add(7, count + 1, keyOf(count + 1), 0, keyOf(count + 1).length);

  const numbers = (): number[] => rids.between(7, 1, count + 2).map(({ ridNumber }) => ridNumber);
  expect(numbers()).toHaveLength(count + 1);
  expect(rids.find(7, 499)).toEqual(keyOf(499));
  expect(rids.find(8, 499)).toBeUndefined();

  rids.forgetTaken();
  expect(numbers()).toEqual([count + 1]);
  expect(await changes.on({ get: () => undefined }, noTurn)).toHaveLength(Math.ceil((count + 1) / ridsPerBlock));
});
