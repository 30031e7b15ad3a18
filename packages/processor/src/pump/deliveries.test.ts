import { expect, test } from 'vitest';
import type { FeedItem, FeedPage, SourceIdentity } from '../feed/feed-source.ts';
import { Decoder } from './deliveries.ts';

const identity: SourceIdentity = {
  account: 'localhost',
  databaseRid: 'db==',
  containerRid: 'coll==',
  name: 'shop/orders',
  partitionKeyPaths: ['/tenant', '/user/id'],
};

function page(items: readonly FeedItem[]): FeedPage {
  return {
    position: '"1"',
    items,
    isDrained: false,
    isWaitApplied: false,
    charge: 1,
    tailLsn: undefined,
    sessionToken: undefined,
    serverTimeMs: undefined,
  };
}

test('a change is known by its container, version, id and key', () => {
  const decoder = new Decoder(identity, 'latest', undefined);
  const value = { id: 'd1', tenant: 'a', user: { id: 4 }, _lsn: 12, _ts: 3 };

  const delivery = decoder.deliveryOf({ value }, value);

  expect(delivery).toMatchObject({ id: 'd1', laneKey: '["a",4]', lsn: 12, timeMs: 3000 });
  expect(delivery.identity).toBe('coll==/12/d1/["a",4]');
  expect(decoder.laneKeyOf({ value })).toBe(delivery.laneKey);
});

test('an absent value of the key is told from null', () => {
  const decoder = new Decoder(identity, 'latest', undefined);

  expect(decoder.laneKeyOf({ value: { tenant: null } })).toBe('[null,{}]');
});

test('[F26] versions of a document in one transaction are different changes', () => {
  const decoder = new Decoder(identity, 'all-versions', undefined);
  const version = (etag: string, operationType: string): FeedItem => ({
    value: { current: { id: 'd1', tenant: 'a', _etag: etag }, metadata: { lsn: 5, crts: 1, operationType } },
  });
  const identities = [version('1', 'create'), version('2', 'replace'), version('3', 'replace')].map(
    (item) => decoder.deliveryOf(item, undefined).identity,
  );

  expect(new Set(identities).size).toBe(3);
});

test('[S26] [F35] what cannot be read or is refused by the schema keeps its bytes and its reason', async () => {
  const schema = {
    '~standard': {
      validate: (value: unknown) => {
        const { total }: { total?: unknown } = Object(value);
        return typeof total === 'number'
          ? { value: { ...Object(value), checked: true } }
          : { issues: [{ message: 'must be a number', path: ['total'] }] };
      },
    },
  };
  const decoder = new Decoder(identity, 'latest', schema);
  const raw = Buffer.from('{"id":');
  const { values, invalid } = await decoder.decode(
    page([{ value: { id: 'a', total: 3 } }, { raw, reason: 'cut' }, { value: { id: 'b', total: 'x' } }]),
  );

  expect(values).toEqual([{ id: 'a', total: 3, checked: true }, undefined, undefined]);
  expect(invalid.get(1)).toEqual({ raw, reason: 'cut', kind: 'unparseable' });
  expect(invalid.get(2)).toMatchObject({ kind: 'schema', reason: 'total: must be a number' });
  expect(Buffer.from(invalid.get(2)?.raw ?? []).toString()).toBe('{"id":"b","total":"x"}');
});

test('[F26] an envelope of no known kind is not dropped', async () => {
  const decoder = new Decoder(identity, 'all-versions', undefined);
  const { invalid } = await decoder.decode(page([{ value: { metadata: { operationType: 'merge' } } }]));

  expect(invalid.get(0)?.kind).toBe('unparseable');
});
