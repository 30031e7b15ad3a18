// Late entries that change while a transaction is under way, fails and is tried again, or ends with the process: what is on the
// disk is always what was taken for the last transaction that was applied, and readers see what was put last.

import { expect, test } from 'vitest';
import { freshSeed } from '../../../testing/src/fresh-seed.ts';
import { SeededRandom } from '../../../testing/src/seeded-random.ts';
import { isLong, sizeOf } from '../../../testing/src/sizes.ts';
import type { Version } from './documents.ts';
import type { IndexStore } from './index-store.ts';
import { docKey, treeBounds } from './keys.ts';
import type { LateIndex } from './late-index.ts';
import { openLateIndex } from './late-index.ts';
import { memoryIndex } from './memory-index.ts';

const lsnAt = 4;
const fixedBytes = 54;

/** Key → what stands for its version. */
type Model = Map<string, string>;

class Killed extends Error {}

class Life {
  readonly random: SeededRandom;
  readonly #inner;
  readonly #keys: number;
  index: LateIndex | undefined;
  readonly now: Model;
  #left: number;
  isOver = false;

  constructor(random: SeededRandom, inner: ReturnType<typeof memoryIndex>, onDisk: Model) {
    this.random = random;
    this.#inner = inner;
    this.#keys = 12 + random.int(30);
    this.now = new Map(onDisk);
    this.#left = random.bool() ? Number.POSITIVE_INFINITY : random.int(25);
  }

  /** Transactions during which others go on; now and then the disk is full, and once the process dies. */
  get store(): IndexStore {
    const inner = this.#inner;
    return {
      keyBytesMax: inner.keyBytesMax,
      get: (key) => inner.get(key),
      range: (options) => inner.range(options),
      apply: async (changes) => {
        this.change();
        await Promise.resolve();
        this.change();
        this.#left -= 1;
        this.isOver ||= this.#left < 0;
        if (this.isOver) throw new Killed();
        if (this.random.bool(0.15)) throw new Error('full');
        await inner.apply(changes);
        this.change();
      },
      sync: () => inner.sync(),
      close: () => inner.close(),
    };
  }

  /** Some puts and removals. */
  change(): void {
    const { random, index } = this;
    for (let i = random.int(6); i > 0 && index !== undefined; i -= 1) {
      const n = random.int(this.#keys);
      const key = docKey(1 + (n % 2), Buffer.from([n, (n * 67) & 0xff]), Buffer.from('p'), Buffer.from(`d${n}`));
      const text = key.toString('latin1');
      if (random.bool(0.25)) {
        index.remove(key, 0, key.length, index.hashOf(key));
        this.now.delete(text);
        continue;
      }
      const version = versionOf(random.int(1_000_000), random.bool(0.2) ? 16 : 0);
      index.put(key, 0, key.length, index.hashOf(key), version);
      this.now.set(text, `${version.lsn}/${version.uniqueDigests.length}`);
    }
  }
}

test('[engine 5] what changes while a transaction is under way goes with the next one', async () => {
  const first = isLong ? freshSeed('flights') : 1;
  for (let seed = first; seed < first + sizeOf('flights'); seed += 1) {
    const random = new SeededRandom(`flight-${seed}`);
    let disk = memoryIndex().snapshot();
    let onDisk: Model = new Map();
    for (let lives = 0; lives < 4; lives += 1) {
      const inner = memoryIndex({ from: disk });
      const life = new Life(random, inner, onDisk);
      const limits = { changesMax: 3 + random.int(20), mergedMax: 1 + random.int(5), seed: random.int(1_000_000) };
      const index = await openLateIndex(life.store, limits);
      life.index = index;
      expectSame(index, onDisk);
      for (let step = 0; step < 25 && !life.isOver; step += 1) {
        life.change();
        const changes = index.take();
        const taken = new Map(life.now);
        life.change();
        while (!life.isOver) {
          const error: unknown = await index.apply(changes).catch((reason: unknown) => reason);
          if (error instanceof Killed) break;
          if (error === undefined) {
            onDisk = taken;
            break;
          }
          life.change();
        }
        for (let parts = random.int(4); parts > 0 && !life.isOver && index.isMerging; parts -= 1) {
          await index.mergeAhead().catch(() => {});
          if (life.isOver) break;
          expectSame(index, life.now);
          if (random.bool(0.1)) {
            expectSame(await openLateIndex(memoryIndex({ from: inner.snapshot() }), limits), onDisk);
          }
        }
        // Somebody else's, with nothing of documents.
        if (!life.isOver && random.bool(0.3)) await index.apply([]).catch(() => {});
        expectSame(index, life.now);
      }
      disk = inner.snapshot();
    }
  }
});

function versionOf(lsn: number, digestBytes: number): Version {
  const place = { segment: 1, ordinal: 2, offset: 3, length: 4, checksum: 5, recordBytes: 6 };
  const uniqueDigests = Buffer.alloc(digestBytes, lsn & 0xff);
  return { range: 1, lsn, ix: 0, timeMs: 3, ttl: undefined, ridNumber: 4, uniqueDigests, place, body: undefined };
}

function expectSame(index: LateIndex, model: Model): void {
  const found = index.range({ ...treeBounds('doc'), limit: 10_000 });
  const described = found.map(({ key, value }): [string, string] => [key.toString('latin1'), describe(value)]);
  expect(described).toEqual([...model].sort(([a], [b]) => (a < b ? -1 : 1)));
  for (const [text, version] of model) {
    const value = index.get(Buffer.from(text, 'latin1'));
    expect(value === undefined ? undefined : describe(value)).toBe(version);
  }
}

function describe(value: Buffer): string {
  return `${value.readUInt32LE(lsnAt)}/${value.length - fixedBytes}`;
}
