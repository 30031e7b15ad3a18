import { sliceKeySpace } from '@tidemark/model';
import { expect, test } from 'vitest';
import { ownsKey } from './key-owner.ts';

const identity = { account: '', databaseRid: '', containerRid: '', name: '', partitionKeyPaths: ['/pk'] };

test('[S62] every key belongs to exactly one range', () => {
  const ranges = sliceKeySpace({ kind: 'Hash', version: 2 }, 5);
  for (const laneKey of ['["a"]', '[4]', '[null]', '[{}]', '["ä"]', '[]', 'nonsense']) {
    expect(
      ranges.filter((keys) => ownsKey(keys, identity, laneKey, '')),
      laneKey,
    ).toHaveLength(1);
  }
});

test('a letter without a key belongs to who has the point where it came from', () => {
  expect(ownsKey({ min: '', max: '10' }, identity, '[]', '20')).toBe(false);
  expect(ownsKey({ min: '10', max: 'FF' }, identity, '[]', '20')).toBe(true);
});
