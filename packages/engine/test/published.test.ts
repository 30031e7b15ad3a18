// Between the flush and the index: what is answered, and what may get to the disk, while a group is being published.

import { DatabaseError } from '@tidemark/model';
import { expect, test } from 'vitest';
import { openDatabase } from '../src/database.ts';
import { bitmapKey } from '../src/index/keys.ts';
import type { IndexProvider } from '../src/internal.ts';
import { memoryFiles } from '../src/internal.ts';
import { aContainer, keptIndex, openOn, refusal } from './harness.ts';

const bitmapTree = bitmapKey(1, 0, 0)[0];

test('[engine 6] a batch answers with what it read, although that has left the overlay before it was flushed', async () => {
  await using database = await openDatabase({ memory: true, maintenance: false });
  const container = await aContainer(database);
  await container.create({ id: 'a', pk: 'p', n: 1 });
  const { segments } = database.engine.state;
  const append = segments.append.bind(segments);
  segments.append = async (...frame) => {
    await database.engine.settle();
    return append(...frame);
  };

  const { outcomes } = await container.batch('p', [{ read: 'a' }, { upsert: { id: 'b', pk: 'p' } }]);

  expect(outcomes.map(({ kind }) => kind)).toEqual(['read', 'created']);
});

test('[engine 6] of a group that could not be published nothing is in the index of the next open', async () => {
  const files = memoryFiles();
  const { index, fail } = unreadableBitmaps(keptIndex());
  const first = await openOn(files, { index });
  await first.createDatabase('d');
  const definition = {
    id: 'c',
    partitionKey: { paths: ['/pk'] },
    uniqueKeyPolicy: { uniqueKeys: [{ paths: ['/n'] }] },
  };
  const made = await first.createContainer('d', definition);
  await made.create({ id: 'a', pk: 'p', n: 1 });
  await first.close();
  const second = await openOn(files, { index, indexGatherMs: 60_000 });
  const container = second.container('d', 'c');
  // Published, and not in the index yet.
  await container.create({ id: 'b', pk: 'p', n: 2 });
  fail(true);
  expect((await refusal(container.upsert({ id: 'a', pk: 'p', n: 3 }))).code).toBe('outcome-unknown');
  fail(false);
  await second.close();

  await using third = await openOn(files, { index });

  expect((await third.check()).problems).toEqual([]);
  const again = third.container('d', 'c');
  expect((await again.read<{ n: number }>('a', 'p'))?.value.n).toBe(3);
  expect((await refusal(again.create({ id: 'z', pk: 'p', n: 3 }))).code).toBe('unique-key-violation');
});

/** An index of which the bits of segments cannot be read while it fails. */
function unreadableBitmaps(provider: IndexProvider): { readonly index: IndexProvider; fail(isFailing: boolean): void } {
  let isFailing = false;
  let isCondemned = false;
  const index: IndexProvider = {
    open: async () => {
      if (isCondemned) await provider.discard();
      isCondemned = false;
      const inner = await provider.open();
      return {
        keyBytesMax: inner.keyBytesMax,
        get: (key) => inner.get(key),
        range: (options) => {
          if (isFailing && options.from[0] === bitmapTree) throw new DatabaseError('unavailable', 'It cannot be read.');
          return inner.range(options);
        },
        apply: (changes) => inner.apply(changes),
        sync: () => inner.sync(),
        close: () => inner.close(),
      };
    },
    discard: () => provider.discard(),
    condemn: async () => {
      isCondemned = true;
    },
  };
  return {
    index,
    fail: (value) => {
      isFailing = value;
    },
  };
}
