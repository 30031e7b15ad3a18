import { describe, expect, test, vi } from 'vitest';
import type { Container } from '../src/container.ts';
import { memoryFiles } from '../src/internal.ts';
import { aContainer, aDocument, openOn } from './harness.ts';

describe('reading in a loop', () => {
  test.each([
    ['read', (container: Container) => container.read('d1', 'p1')],
    ['readMany', (container: Container) => container.readMany([['d1', 'p1']])],
    ['readByRid', (container: Container, rid: string) => container.readByRid(rid)],
  ])('[engine 11] lets others go on: %s', async (_, read) => {
    const database = await openOn(memoryFiles());
    const container = await aContainer(database);
    const { document } = await container.create(aDocument(1));
    let turns = 0;
    let next: NodeJS.Immediate;
    const count = (): void => {
      turns += 1;
      next = setImmediate(count);
    };
    next = setImmediate(count);

    for (let n = 0; n < 2_000; n += 1) await read(container, document.value._rid);

    clearImmediate(next);
    expect(turns).toBeGreaterThan(2);
    await database.close();
  });
});

describe('reading what cannot be read', () => {
  test('[engine 11] each of many reads that a thread fails to make is refused, and none goes unheard', async () => {
    const database = await openOn(memoryFiles());
    const container = await aContainer(database);
    await container.create(aDocument(1));
    await database.engine.settle();
    const unheard: unknown[] = [];
    const hear = (error: unknown): void => void unheard.push(error);
    const { segments } = database.engine.state;
    segments.read = () => Promise.reject(new Error('the disk is broken'));
    process.on('unhandledRejection', hear);

    const refused = [];
    for (let n = 0; n < 600; n += 1)
      refused.push(await container.read('d1', 'p1').catch((error: Error) => error.message));
    await new Promise((resolve) => setImmediate(resolve));

    process.off('unhandledRejection', hear);
    expect(new Set(refused)).toEqual(new Set(['the disk is broken']));
    expect(unheard).toEqual([]);
    await database.close();
  });
});

describe('waiting', () => {
  test('[engine 10] a commit calls those whose keys it touches and nobody else, once for each group', async () => {
    const database = await openOn(memoryFiles());
    const container = await aContainer(database, { ranges: 2 });
    const { number } = container.info;
    const half = container.ranges[1]?.min ?? '';
    const called = new Map<string, number>();
    const watch = (what: string, scope: Parameters<typeof database.engine.watch>[1]) =>
      database.engine.watch(number, scope, () => called.set(what, (called.get(what) ?? 0) + 1));
    const keyOf = (pk: string) => container.partitionKey(pk).epk;
    const isLow = (pk: string) => Buffer.from(keyOf(pk)).toString('hex').toUpperCase() < half;
    const pks = Array.from({ length: 20 }, (_, n) => `p${n}`);
    const [low = '', otherLow = ''] = pks.filter(isLow);
    const stops = [
      watch('container', {}),
      watch('range 0', { range: '0' }),
      watch('range 1', { range: '1' }),
      watch('low', { keys: { min: '', max: half } }),
      watch('high', { keys: { min: half, max: 'FF' } }),
      watch('high in range 0', { range: '0', keys: { min: half, max: 'FF' } }),
      ...pks.map((pk) => watch(pk, { epk: keyOf(pk) })),
    ];

    await container.create({ id: '1', pk: low });
    const afterOne = [...called].sort();
    await container.batch(otherLow, [{ create: { id: '1', pk: otherLow } }, { create: { id: '2', pk: otherLow } }]);
    await container.split('0');
    const gone = called.get('range 0');
    await container.create({ id: '3', pk: low });
    for (const stop of stops) stop();
    await container.create({ id: '4', pk: low });

    expect(afterOne).toEqual(
      [
        ['container', 1],
        ['low', 1],
        [low, 1],
        ['range 0', 1],
      ].sort(),
    );
    expect(called.get(otherLow)).toBeGreaterThan(0);
    expect(gone).toBeGreaterThan(2);
    expect(called.get(low)).toBe(2);
    expect(called.get('low')).toBe(3);
    expect(called.get('high in range 0')).toBe(1);
    expect(called.has('high') || called.has('range 1')).toBe(false);
    expect(database.figures.waiters).toBe(0);
    await database.close();
  });

  test('[engine 10] a callback that throws harms neither the commit nor those called after it', async () => {
    const database = await openOn(memoryFiles());
    const container = await aContainer(database);
    const { number } = container.info;
    const mistake = new Error('of the one who waits');
    const fail = (): never => {
      throw mistake;
    };
    const called: string[] = [];
    const uncaught: unknown[] = [];
    vi.stubGlobal('queueMicrotask', (run: () => void) => {
      try {
        run();
      } catch (error) {
        uncaught.push(error);
      }
    });
    database.engine.onRoutingChange(fail);
    const stops = [{}, { keys: { min: '', max: 'FF' } }, { epk: container.partitionKey('p1').epk }].flatMap((scope) => [
      database.engine.watch(number, scope, fail),
      database.engine.watch(number, scope, () => called.push(Object.keys(scope).join())),
    ]);

    await container.create(aDocument(1));
    await container.split('0');
    for (const stop of stops) stop();
    vi.unstubAllGlobals();

    expect(called).toEqual(['', 'epk', 'keys']);
    expect(uncaught).toEqual([mistake, mistake, mistake, mistake]);
    expect(database.health.status).toBe('ok');
    expect((await container.read('d1', 'p1'))?.value.id).toBe('d1');
    await database.close();
  });

  test('[engine 10] who waits for a container that is deleted is called', async () => {
    const database = await openOn(memoryFiles());
    const container = await aContainer(database);
    const called: string[] = [];
    const { number } = container.info;
    database.engine.watch(number, {}, () => called.push('container'));
    database.engine.watch(number, { range: '0' }, () => called.push('range'));
    database.engine.watch(number, { epk: container.partitionKey('a').epk }, () => called.push('key'));
    await database.deleteContainer('d', 'c');
    expect(called.sort()).toEqual(['container', 'key', 'range']);
    await database.close();
  });

  test('[engine 10] [wire 11.5] a feed that waited for its own and got none has moved over what others wrote', async () => {
    const database = await openOn(memoryFiles());
    const container = await aContainer(database, { ranges: 2 });
    for (let n = 0; n < 5; n += 1) await container.create(aDocument(n));
    for (const feed of [
      container.changes({ partitionKey: 'mine' }),
      container.changes({ keys: { min: 'F0', max: 'FF' } }),
    ]) {
      expect((await feed.page()).count).toBe(0);
      const stop = feed.watch(() => {
        throw new Error('nothing came for it');
      });
      expect(stop).toBeDefined();
      for (let n = 0; n < 10; n += 1) await container.upsert(aDocument(n));
      stop?.();
      const before = feed.etag;
      feed.moveToEnd();
      expect(feed.etag).not.toBe(before);
      expect(await feed.page()).toMatchObject({ count: 0, isDrained: true, etag: feed.etag });
    }
    const own = container.changes({ from: 'now', partitionKey: 'mine' });
    await own.page();
    await container.create({ id: '1', pk: 'mine' });
    expect(own.watch(() => {})).toBeUndefined();
    expect((await own.page()).count).toBe(1);
    await database.close();
  });

  test('[M3] [B8] the feed of one range, by its id, ends with range-gone when it is split', async () => {
    const database = await openOn(memoryFiles());
    const container = await aContainer(database);
    for (let n = 0; n < 5; n += 1) await container.create(aDocument(n));
    const feed = container.changes({ range: '0', itemsMax: 2 });
    expect(await feed.page()).toMatchObject({ count: 2, etag: '"2"', range: { id: '0', tailLsn: 5 } });
    await container.split('0');
    await expect(feed.page()).rejects.toMatchObject({ code: 'range-gone', detail: { children: ['1', '2'] } });
    const children = ['1', '2'].map((range) => container.changes({ range, from: { etag: '"2"' } }));
    const pages = await Promise.all(children.map((child) => child.page()));
    expect(pages.reduce((sum, { count }) => sum + count, 0)).toBe(3);
    await database.close();
  });
});
