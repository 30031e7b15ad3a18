// Snapshots: a scan of one shows what was there when it was opened, whatever is written, split, merged, settled and tidied up between
// its batches.

import type { Container, RangeInfo, ScanRequest, Snapshot } from '@tidemark/engine/internal';
import { intersectKeyRanges } from '@tidemark/model';
import { expect } from 'vitest';
import { SeededRandom } from '../seeded-random.ts';
import type { Bench, ContractCase } from './bench.ts';
import { numbers } from './bench.ts';

/** A part of the key space, and from which rid on it is still to be read. */
interface Part {
  readonly min: string;
  readonly max: string;
  readonly from: number | undefined;
}

type Selection = Pick<ScanRequest, 'keys' | 'partitionKey' | 'ids'>;

/** Reads batch after batch, in the order of the key space, whatever becomes of the ranges. */
class Walk {
  readonly found = new Map<number, string>();
  readonly #bench: Bench;
  readonly #container: number;
  readonly #snapshot: Snapshot;
  readonly #selection: Selection;
  #parts: Part[] = [{ min: '', max: 'FF', from: undefined }];
  #areMany = false;

  constructor(bench: Bench, container: Container, snapshot: Snapshot, selection: Selection) {
    this.#bench = bench;
    this.#container = container.info.number;
    this.#snapshot = snapshot;
    this.#selection = selection;
  }

  get isOver(): boolean {
    return this.#parts.length === 0;
  }

  async step(itemsMax: number): Promise<void> {
    const { engine } = this.#bench;
    const [part, ...others] = this.#parts as [Part, ...Part[]];
    const ranges = engine.ranges(this.#container);
    const range = ranges.find(({ min, max }) => min <= part.min && part.min < max) as RangeInfo;
    const end = part.max < range.max ? part.max : range.max;
    const isWhole = part.min === range.min && end === range.max;
    const { keys = [{ min: '', max: 'FF' }], partitionKey, ids } = this.#selection;
    const own = keys.flatMap((each) => intersectKeyRanges(each, { min: part.min, max: end }) ?? []);
    const batch = await engine.scan(this.#container, range.id, {
      ...{ from: part.from, itemsMax, bytesMax: 1e6, snapshot: this.#snapshot, areMany: this.#areMany },
      ...(isWhole && this.#selection.keys === undefined ? {} : { keys: own }),
      ...(partitionKey === undefined ? {} : { partitionKey }),
      ...(ids === undefined ? {} : { ids }),
    });
    this.#areMany = batch.areMany;
    for (const { ridNumber, bytes } of batch.documents) {
      expect(this.found.has(ridNumber), 'a document comes once').toBe(false);
      this.found.set(ridNumber, bytes.toString('utf8'));
    }
    if (end < part.max) others.unshift({ min: end, max: part.max, from: part.from });
    if (batch.continuation !== undefined) others.unshift({ min: part.min, max: end, from: batch.continuation });
    this.#parts = others;
  }

  async toEnd(itemsMax: number): Promise<ReadonlyMap<number, string>> {
    while (!this.isOver) await this.step(itemsMax);
    return this.found;
  }
}

/** Everything at once. */
async function readAll(bench: Bench, container: Container, selection: Selection): Promise<ReadonlyMap<number, string>> {
  const snapshot = bench.engine.snapshot(container.info.number);
  try {
    return await new Walk(bench, container, snapshot, selection).toEnd(10_000);
  } finally {
    snapshot.close();
  }
}

/** Writers of one document, of whom none waits for the one before. */
function write(container: Container, random: SeededRandom, at: number): Promise<unknown> {
  const pk = `p${random.int(6)}`;
  const id = `${random.int(14)}`;
  const writes = numbers(2 + random.int(4)).map((n): Promise<unknown> => {
    if (random.int(4) === 0) return container.delete(id, pk).catch(() => {});
    return container.upsert({ id, pk, n: at + n / 10, pad: 'x'.repeat(random.int(600)) });
  });
  return Promise.all(writes);
}

/** One thing that happens beside a scan. */
async function happen(bench: Bench, container: Container, random: SeededRandom, at: number): Promise<void> {
  const pk = `p${random.int(6)}`;
  const id = `${random.int(14)}`;
  const ranges = bench.rangeIds(container);
  switch (random.int(15)) {
    case 0:
      if (random.bool(0.3)) await container.deletePartition(pk);
      return;
    case 1:
      return bench.settle();
    case 2:
      return bench.runJobs();
    case 3:
      if (ranges.length < 5) await container.split(random.pick(ranges)).catch(() => {});
      return;
    case 4: {
      const first = random.int(ranges.length - 1);
      if (!bench.offers('merge') || ranges.length < 2) return;
      await container.merge(ranges[first] as string, ranges[first + 1] as string);
      return;
    }
    case 5:
      return bench.clock.jump(random.int(4_000));
    case 6:
    case 7:
    case 8:
      await container.delete(id, pk).catch(() => {});
      return;
    case 9: {
      // Both in one group, or nearly so.
      const anew = [container.delete(id, pk).catch(() => {}), container.create({ id, pk, n: at }).catch(() => {})];
      await Promise.all(anew);
      return;
    }
    default:
      await container.upsert({
        id,
        pk,
        n: at,
        pad: 'x'.repeat(random.int(600)),
        ...(random.bool(0.2) ? { ttl: 5 } : {}),
      });
  }
}

function selectionOf(container: Container, random: SeededRandom): Selection {
  const ids = random.bool(0.3) ? { ids: ['3', '7', '12', 'none'] } : {};
  const keys = [
    { min: '10', max: '20' },
    { min: '28', max: 'FF' },
  ];
  switch (random.int(4)) {
    case 0:
      return { partitionKey: container.partitionKey(`p${random.int(6)}`), ...ids };
    case 1:
      return { keys, ...ids };
    default:
      return ids;
  }
}

/** Opens a snapshot somewhere in a history, and reads it while that goes on. */
export async function checkSnapshot(bench: Bench, seed: number): Promise<void> {
  const random = new SeededRandom(`snapshot ${seed}`);
  const setup = { ranges: 1 + random.int(3), defaultTtl: 60, historyMs: random.pick([0, 60_000]) };
  const container = await bench.container(setup);
  for (const at of numbers(60)) await happen(bench, container, random, at);
  const selection = selectionOf(container, random);
  const all = await readAll(bench, container, {});
  const expected = await readAll(bench, container, selection);
  for (const [rid, text] of expected) expect(all.get(rid), `seed ${seed}`).toBe(text);
  const snapshot = bench.engine.snapshot(container.info.number);
  const walk = new Walk(bench, container, snapshot, selection);
  const writing: Promise<unknown>[] = [];
  const others: Snapshot[] = [];

  for (let at = 100; !walk.isOver; at += 1) {
    for (let left = random.int(9); left > 0; left -= 1) await happen(bench, container, random, at);
    const stepping = walk.step(1 + random.int(5));
    writing.push(write(container, random, at));
    await Promise.all([stepping, happen(bench, container, random, at)]);
    if (random.bool(0.3)) others.push(bench.engine.snapshot(container.info.number));
  }
  await Promise.all(writing);
  for (const other of [snapshot, ...others]) other.close();

  expect([...walk.found].sort(byRid), `seed ${seed}`).toEqual([...expected].sort(byRid));
  await bench.engine.deleteContainer(container.info.number);
}

export const snapshotCases: readonly ContractCase[] = [
  {
    title: '[M20] a scan of a snapshot shows what was there when it was opened, whatever happens between its batches',
    async run(bench) {
      for (const seed of numbers(10)) await checkSnapshot(bench, seed);
    },
  },
  {
    title:
      '[M20] a snapshot that is opened between two writes of one document shows the first, and both are acknowledged',
    needs: ['flush'],
    async run(bench) {
      const container = await bench.container();
      await container.create({ id: '1', pk: 'a', n: 0 });
      for (const n of numbers(20, 1)) {
        const gate = bench.holdFlush();
        const first = container.upsert({ id: '1', pk: 'a', n });
        await gate.reached;
        // It is decided upon the one whose flush is held, and goes into the group behind.
        const second = container.upsert({ id: '1', pk: 'a', n: n + 0.5 });
        gate.release();
        await first;
        const now = await container.read('1', 'a');
        const snapshot = bench.engine.snapshot(container.info.number);
        await second;
        await container.upsert({ id: '1', pk: 'a', n: n + 0.7 });

        const found = await new Walk(bench, container, snapshot, {}).toEnd(10);
        snapshot.close();

        const [text] = [...found.values()];
        expect([n, n + 0.5]).toContain(now?.value['n']);
        expect(JSON.parse(text as string)['n']).toBe(now?.value['n']);
      }
    },
  },
  {
    title:
      '[M20] a snapshot of many documents of one key that are deleted meanwhile has them all, before and after the index knows',
    async run(bench) {
      const container = await bench.container();
      const many = 1_500;
      const operations = numbers(many).map((n) => ({ create: { id: `${n}`, pk: 'a' } }));
      for (let at = 0; at < many; at += 100) await container.batch('a', operations.slice(at, at + 100));
      for (const isSettled of [false, true]) {
        const snapshot = bench.engine.snapshot(container.info.number);
        const selection = isSettled ? { partitionKey: container.partitionKey('a') } : {};
        const walk = new Walk(bench, container, snapshot, selection);
        await walk.step(100);
        if (isSettled) await container.deletePartition('a');
        else
          for (const n of numbers(500, 900)) {
            if (n % 2 === 0) await container.upsert({ id: `${n}`, pk: 'a', again: true });
            await container.delete(`${n}`, 'a');
          }
        await bench.runJobs();
        await bench.settle();

        expect((await walk.toEnd(100)).size).toBe(isSettled ? many - 500 : many);
        snapshot.close();
      }
      expect((await readAll(bench, container, {})).size).toBe(0);
    },
  },
  {
    title: '[M20] the tail of a batch of a snapshot is that of its moment, also of what a split has made since',
    async run(bench) {
      const container = await bench.container();
      for (const n of numbers(4)) await container.create({ id: `${n}`, pk: `p${n}` });
      const number = container.info.number;
      const snapshot = bench.engine.snapshot(number);
      for (const n of numbers(4)) await container.upsert({ id: `${n}`, pk: `p${n}` });
      const request = { from: undefined, itemsMax: 10, bytesMax: 1e6, snapshot };

      expect((await bench.engine.scan(number, '0', request)).tail).toBe(4);
      await container.split('0');

      for (const range of bench.rangeIds(container)) {
        await container.upsert({ id: 'more', pk: bench.keyIn(container, range) });
        expect((await bench.engine.scan(number, range, request)).tail).toBe(4);
      }
      snapshot.close();
    },
  },
];

function byRid([a]: readonly [number, string], [b]: readonly [number, string]): number {
  return a - b;
}
