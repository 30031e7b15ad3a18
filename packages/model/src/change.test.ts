import { expect, test } from 'vitest';
import type { StoredDocument, VersionChange } from './change.ts';
import { isCreate, isDelete, isReplace } from './change.ts';

const current: StoredDocument = { id: '1', _rid: 'r', _self: 's', _etag: 'e', _ts: 1, pk: 'a' };

const changes: readonly VersionChange[] = [
  { current, metadata: { operationType: 'create', lsn: 1, crts: 10 } },
  { current, metadata: { operationType: 'replace', lsn: 2, crts: 11, previousImageLSN: 1 } },
  {
    current: {},
    previous: current,
    metadata: {
      operationType: 'delete',
      lsn: 3,
      crts: 12,
      previousImageLSN: 2,
      id: '1',
      partitionKey: { pk: 'a' },
    },
  },
];

test('changes are told apart by their operation type [wire 11.7]', () => {
  expect(changes.map(isCreate)).toEqual([true, false, false]);
  expect(changes.map(isReplace)).toEqual([false, true, false]);
  expect(changes.map(isDelete)).toEqual([false, false, true]);
  expect(changes.filter(isDelete).map((change) => change.metadata.id)).toEqual(['1']);
});
