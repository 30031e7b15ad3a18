import { openDatabase } from '@tidemark/engine';
import { newOffer } from '@tidemark/model';
import { describe, expect, it } from 'vitest';
import { bucketsKept } from './limits.ts';
import { findContainer } from './resources.ts';
import { Throttle } from './throttle.ts';

const offer = newOffer({ kind: 'manual', unitsPerSecond: 400 });
const definition = { id: 'c', partitionKey: { paths: ['/pk'], version: 2 } };

describe('throttling', () => {
  it('[M16] keeps nothing of containers and ranges that are gone', async () => {
    await using database = await openDatabase({ memory: true, maintenance: false });
    await database.createDatabase('db');
    let nowMs = 0;
    const throttle = new Throttle(database, () => nowMs);
    const path = { kind: 'container', ids: ['db', 'c'], ridLink: undefined } as never;
    for (let times = 0; times < bucketsKept / 3 + 50; times += 1) {
      await database.createContainer('db', definition, { offer, ranges: 3 });
      throttle.enter(findContainer(database, path), undefined).settle(1_000);
      await database.deleteContainer('db', 'c');
      nowMs += 1_000;
    }
    expect(throttle.bucketCount).toBeLessThanOrEqual(bucketsKept + 10);
  });

  it('[M16] [B1] meters the pages of a stream in the range that has its key by then', async () => {
    await using database = await openDatabase({ memory: true, maintenance: false });
    await database.createDatabase('db');
    const container = await database.createContainer('db', definition, { offer });
    const throttle = new Throttle(database, () => 0);
    const path = { kind: 'container', ids: ['db', 'c'], ridLink: undefined } as never;
    const place = findContainer(database, path);
    const request = { path, headers: { 'x-ms-documentdb-partitionkey': '["a"]' } } as never;
    const admit = throttle.meter(request, place);
    admit().settle(100);
    await container.split('0');
    // Each child has half of it, and only the one with the key is charged.
    admit().settle(200);
    expect(() => admit()).toThrow('Request rate is large');
    const own = database.engine.rangeOf(place.info.number, container.partitionKey('a').epk);
    const other = container.ranges.find(({ id }) => id !== own)?.id;
    expect(() => throttle.enter(place, other).settle(1)).not.toThrow();
  });

  it('[M16] does not limit what nothing is provisioned for', async () => {
    await using database = await openDatabase({ memory: true, maintenance: false });
    await database.createDatabase('db');
    await database.createContainer('db', definition);
    const throttle = new Throttle(database, () => 0);
    const path = { kind: 'container', ids: ['db', 'c'], ridLink: undefined } as never;
    for (let times = 0; times < 10; times += 1) {
      throttle.enter(findContainer(database, path), '0').settle(1_000_000);
    }
    expect(throttle.bucketCount).toBe(0);
  });
});
