// The same work done all in LMDB: documents as values, an LSN for each range, a feed index, one durable commit for whatever
// is queued. No checks, no system members, no effective keys: the caller names the range.
//
//   document   0 · id                  → lsn u48 · range u16 · bytes
//   feed       1 · range u16 · lsn u48 → id
//   tail       2 · range u16           → lsn u48

import type { RootDatabase } from 'lmdb';
import { open } from 'lmdb';

interface Put {
  readonly range: number;
  readonly id: string;
  readonly bytes: Buffer;
  resolve(): void;
}

const valueHeadBytes = 8;

/** The fastest durable settings that were found; the same as the product's index has. */
const environmentOptions = {
  keyEncoding: 'binary',
  encoding: 'binary',
  compression: false,
  cache: false,
  overlappingSync: true,
  separateFlushed: true,
  eventTurnBatching: false,
  batchStartThreshold: 2 ** 31 - 1,
} as const;

export class LmdbStore {
  readonly #tree: RootDatabase<Buffer, Buffer>;
  readonly #tails = new Map<number, number>();
  #queue: Put[] = [];
  #isRunning = false;

  constructor(folder: string) {
    this.#tree = open<Buffer, Buffer>(folder, environmentOptions);
  }

  put(range: number, id: string, bytes: Buffer): Promise<void> {
    return new Promise((resolve) => {
      this.#queue.push({ range, id, bytes, resolve });
      if (this.#isRunning) return;
      this.#isRunning = true;
      setImmediate(() => void this.#run());
    });
  }

  /** All or nothing, under one LSN each like the rest; what a batch of the product is. */
  putMany(range: number, documents: readonly { readonly id: string; readonly bytes: Buffer }[]): Promise<unknown> {
    return Promise.all(documents.map(({ id, bytes }) => this.put(range, id, bytes)));
  }

  async close(): Promise<void> {
    await this.#tree.close();
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      const puts = this.#queue;
      this.#queue = [];
      await this.#commit(puts);
      for (const { resolve } of puts) resolve();
      // Those who were answered queue again before the next commit begins.
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#isRunning = false;
  }

  async #commit(puts: readonly Put[]): Promise<void> {
    const tree = this.#tree;
    const latest = new Map<string, number>();
    const committed = tree.batch(() => {
      for (const { range, id, bytes } of puts) {
        const lsn = (this.#tails.get(range) ?? 0) + 1;
        this.#tails.set(range, lsn);
        const key = Buffer.from(`\u0000${id}`, 'latin1');
        const before = latest.get(id) ?? this.#lsnOf(key);
        if (before !== undefined) void tree.remove(feedKey(range, before));
        latest.set(id, lsn);
        const value = Buffer.allocUnsafe(valueHeadBytes + bytes.length);
        value.writeUIntLE(lsn, 0, 6);
        value.writeUInt16LE(range, 6);
        bytes.copy(value, valueHeadBytes);
        void tree.put(key, value);
        void tree.put(feedKey(range, lsn), key);
      }
      for (const range of new Set(puts.map((put) => put.range))) {
        const value = Buffer.allocUnsafe(6);
        value.writeUIntLE(this.#tails.get(range) ?? 0, 0, 6);
        void tree.put(Buffer.from([2, range >> 8, range & 0xff]), value);
      }
    });
    await committed;
    await tree.flushed;
  }

  #lsnOf(key: Buffer): number | undefined {
    const value = this.#tree.getBinaryFast(key);
    return value?.readUIntLE(0, 6);
  }
}

function feedKey(range: number, lsn: number): Buffer {
  const key = Buffer.allocUnsafe(9);
  key[0] = 1;
  key.writeUInt16BE(range, 1);
  key.writeUIntBE(lsn, 3, 6);
  return key;
}
