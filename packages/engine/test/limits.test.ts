import { FaultFiles, VirtualClock } from '@tidemark/testing';
import { describe, expect, test } from 'vitest';
import { memoryFiles } from '../src/internal.ts';
import { queuedUnitsMax, rangesPerContainerMax, waitersMax } from '../src/limits.ts';
import { aContainer, aDocument, feedOf, keptIndex, openOn, refusal } from './harness.ts';

describe('limits', () => {
  test('[engine 6] more writes than may wait are told to come back, and none of them is written', async () => {
    const files = new FaultFiles(memoryFiles());
    const database = await openOn(files);
    const container = await aContainer(database);
    const gate = files.hold('sync', { path: /\.seg$|spare/ });

    const count = queuedUnitsMax + 6_000;
    const writes = Array.from({ length: count }, (_, n) => refusal(container.upsert({ id: `d${n}`, pk: 'p' })));
    await gate.reached;
    gate.release();
    const answers = await Promise.all(writes);
    const accepted = answers.filter(({ code }) => code === 'accepted').length;
    const found = (await feedOf(container)).size;
    await database.close();

    const refused = answers.filter(({ code }) => code !== 'accepted');
    expect(refused.length).toBeGreaterThan(0);
    expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['too-many-requests']));
    expect(refused[0]?.message).toContain('Try again');
    expect(found).toBe(accepted);
  });

  test('[engine 10] a reader of a container with all the ranges it may have is woken by a write to any of them', async () => {
    const database = await openOn(memoryFiles());
    const container = await aContainer(database, { ranges: rangesPerContainerMax });
    const stop = new AbortController();
    const seen: string[] = [];
    const tail = (async () => {
      for await (const { id } of container.changes({ from: 'now', signal: stop.signal })) {
        seen.push(id);
        if (seen.length === 3) stop.abort();
      }
    })();
    for (const n of [1, 2, 3]) {
      while (database.figures.waiters === 0) await new Promise((resolve) => setImmediate(resolve));
      await container.create({ id: `${n}`, pk: `${n}` });
      while (seen.length < n) await new Promise((resolve) => setImmediate(resolve));
    }
    await tail;
    await database.close();

    expect(seen).toEqual(['1', '2', '3']);
  });

  test('[engine 11] whoever reads page after page lets others have their turn', async () => {
    const database = await openOn(memoryFiles());
    const container = await aContainer(database);
    await Promise.all(Array.from({ length: 100 }, (_, n) => container.create(aDocument(n))));
    const turnsDuring = async (read: () => Promise<unknown>): Promise<number> => {
      let turns = 0;
      let isOver = false;
      const turn = (): void => {
        turns += 1;
        if (!isOver) setImmediate(turn);
      };
      setImmediate(turn);
      for (let n = 0; n < 200; n += 1) await read();
      isOver = true;
      return turns;
    };

    const feed = container.changes({ itemsMax: 1 });
    const ofFeed = await turnsDuring(() => feed.page());
    const ofList = await turnsDuring(() => container.readPage('0', { itemsMax: 1 }));
    await database.close();

    expect(ofFeed).toBeGreaterThan(5);
    expect(ofList).toBeGreaterThan(5);
  });

  test('[engine 10] more readers than may wait are refused; one that leaves makes room', async () => {
    const database = await openOn(memoryFiles());
    const container = await aContainer(database);
    const { number } = container.info;
    const stops = Array.from({ length: waitersMax }, () => database.engine.watch(number, { range: '0' }, () => {}));

    const refused = await refusal(
      Promise.resolve().then(() => database.engine.watch(number, { range: '0' }, () => {})),
    );
    stops[0]?.();
    const stop = database.engine.watch(number, { range: '0' }, () => {});
    stop();
    for (const each of stops) each();
    await database.close();

    expect(refused.code).toBe('too-many-requests');
    expect(refused.message).toContain(String(waitersMax));
    expect(database.figures.waiters).toBe(0);
  });

  test('[engine 8] a range that never was and one that was split are told apart', async () => {
    const database = await openOn(memoryFiles());
    const container = await aContainer(database);
    await container.split('0');

    const unknown = await refusal(container.readPage('77'));
    const gone = await refusal(container.readPage('0'));
    await database.close();

    expect(unknown.code).toBe('range-unknown');
    expect(unknown.message).toContain('77');
    expect(gone.code).toBe('range-gone');
  });

  test.each([
    ['an id that is too long', { id: 'x'.repeat(2_000), pk: 'p' }, 'invalid-id', /1,?023|255|long/],
    ['an id with a slash', { id: 'a/b', pk: 'p' }, 'invalid-id', /\//],
    ['an id that is empty', { id: '', pk: 'p' }, 'invalid-id', /empty|id/],
    ['a document that is too large', { id: 'a', pk: 'p', text: 'x'.repeat(3_000_000) }, 'document-too-large', /\d/],
    ['a document that is too deep', deep(200), 'document-too-deep', /128|deep/],
    ['a partition key that is too long', { id: 'a', pk: 'x'.repeat(5_000) }, 'invalid-partition-key', /\d/],
  ] as const)('[engine 4] %s is refused with its reason', async (_what, document, expected, reason) => {
    const database = await openOn(memoryFiles());
    const container = await aContainer(database);

    const { code, message } = await refusal(container.upsert(document));
    await database.close();

    expect(code).toBe(expected);
    expect(message).toMatch(reason);
  });

  test('[engine 12] a database that was closed says so', async () => {
    const database = await openOn(memoryFiles());
    const container = await aContainer(database);
    await database.close();

    const { code } = await refusal(container.upsert(aDocument(1)));

    expect(code).toBe('closed');
  });
});

describe('many at once', () => {
  test('[engine 6] of a thousand replaces of one document that all name its etag exactly one wins', async () => {
    const database = await openOn(memoryFiles());
    const container = await aContainer(database);
    let { etag } = (await container.upsert(aDocument(1, { n: 0 }))).document;

    for (let round = 1; round <= 3; round += 1) {
      const writes = Array.from({ length: 1_000 }, (_, n) => container.upsert(aDocument(1, { n }), { ifMatch: etag }));
      const results = await Promise.allSettled(writes);
      const won = results.filter((result) => result.status === 'fulfilled');
      const lost = results.filter((result) => result.status === 'rejected');

      expect(won).toHaveLength(1);
      expect(new Set(lost.map(({ reason }) => reason.code))).toEqual(new Set(['precondition-failed']));
      etag = (await container.read('d1', 'p1'))?.etag as string;
      expect(won[0]?.value.document.etag).toBe(etag);
    }
    await database.close();
  });

  test('[engine 6] a thousand increments at once add up to a thousand, and each has an LSN of its own', async () => {
    const database = await openOn(memoryFiles(), { index: keptIndex() });
    const container = await aContainer(database);
    await container.upsert(aDocument(1, { n: 0 }));

    const patches = Array.from({ length: 1_000 }, () =>
      container.patch('d1', 'p1', [{ op: 'incr', path: '/n', value: 1 }]),
    );
    const results = await Promise.all(patches);
    const found = await container.read('d1', 'p1');
    const report = await database.check();
    await database.close();

    expect(found?.value['n']).toBe(1_000);
    expect(new Set(results.map(({ document }) => document.lsn)).size).toBe(1_000);
    expect(report.problems).toEqual([]);
  });

  test('[engine 8] a hot key written, patched, deleted and read while its range is split and merged never goes back', async () => {
    const database = await openOn(memoryFiles(), { index: keptIndex() });
    const container = await aContainer(database);
    await container.upsert({ id: 'hot', pk: 'p', n: 0 });
    let isDone = false;
    let lastLsn = 0;
    const reader = (async () => {
      while (!isDone) {
        const found = await container.read('hot', 'p');
        if (found !== undefined) {
          expect(found.lsn).toBeGreaterThanOrEqual(lastLsn);
          lastLsn = found.lsn;
        }
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    const splitter = (async () => {
      for (let round = 0; round < 10; round += 1) {
        const [range] = container.ranges;
        await container.split(range?.id as string);
        const [left, right] = container.ranges;
        await container.merge(left?.id as string, right?.id as string);
      }
    })();

    const writes = Array.from({ length: 500 }, (_, n) => {
      if (n % 7 === 0) return refusal(container.patch('hot', 'p', [{ op: 'set', path: '/n', value: n }]));
      if (n % 11 === 0) return refusal(container.delete('hot', 'p'));
      return refusal(container.upsert({ id: 'hot', pk: 'p', n }));
    });
    const answers = await Promise.all(writes);
    await splitter;
    isDone = true;
    await reader;
    const report = await database.check();
    await database.close();

    expect(new Set(answers.map(({ code }) => code))).toEqual(new Set(['accepted', 'not-found']));
    expect(report.problems).toEqual([]);
  });

  test('[engine 6] a clock that jumps back is reported, and times do not go back', async () => {
    const clock = new VirtualClock();
    const environment = { clock, random: (target: Uint8Array) => void target.fill(7) };
    const database = await openOn(memoryFiles(), { environment });
    const container = await aContainer(database);
    const before = (await container.upsert(aDocument(1))).document.timeMs;

    clock.jump(-3_600_000);
    const after = (await container.upsert(aDocument(1))).document.timeMs;
    const { clockJumpMs } = database.health;
    await database.close();

    expect(after).toBeGreaterThanOrEqual(before);
    expect(clockJumpMs).toBeLessThanOrEqual(-3_599_000);
  });
});

function deep(levels: number): object {
  let value: unknown = 1;
  for (let i = 0; i < levels; i += 1) value = [value];
  return { id: 'a', pk: 'p', value };
}
