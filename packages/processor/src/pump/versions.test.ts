import { expect, test } from 'vitest';
import { decodeVersion } from './versions.ts';

const document = { id: 'd1', pk: 'a', _rid: 'r', _self: 's', _etag: 'e', _ts: 7 };

test('[F26] a create has its document and no version before it', () => {
  const change = decodeVersion({ current: document, metadata: { lsn: 5, crts: 7, operationType: 'create' } }, ['/pk']);

  expect(change).toEqual({
    type: 'create',
    id: 'd1',
    lsn: 5,
    timeMs: 7000,
    previousLsn: undefined,
    current: document,
    previous: undefined,
  });
});

test('[F26] a replace has both versions where the endpoint sends them', () => {
  const metadata = { lsn: 6, crts: 8, operationType: 'replace', previousImageLSN: 5 };

  expect(decodeVersion({ current: document, previous: { id: 'd1' }, metadata }, ['/pk'])).toMatchObject({
    type: 'replace',
    previousLsn: 5,
    previous: { id: 'd1' },
  });
});

test('[F26] a delete has its id and key, and says whether its time was over', () => {
  const metadata = {
    lsn: 9,
    crts: 8,
    operationType: 'delete',
    previousImageLSN: 6,
    id: 'd1',
    partitionKey: { pk: 'a', 'user/id': 4 },
  };

  expect(decodeVersion({ current: {}, metadata }, ['/pk', '/user/id'])).toMatchObject({
    type: 'delete',
    id: 'd1',
    current: undefined,
    partitionKey: ['a', 4],
  });
  expect(decodeVersion({ current: {}, metadata: { ...metadata, timeToLiveExpired: true } }, ['/pk'])?.type).toBe(
    'expired',
  );
});

test('what is none of them is nothing', () => {
  expect(decodeVersion({ current: document, metadata: { lsn: 1, operationType: 'merge' } }, ['/pk'])).toBeUndefined();
  expect(decodeVersion({ current: document }, ['/pk'])).toBeUndefined();
  expect(decodeVersion({ current: {}, metadata: { lsn: 1, operationType: 'create' } }, ['/pk'])).toBeUndefined();
});
