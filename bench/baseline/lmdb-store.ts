// The same work done all in LMDB: the product's own reading of client bytes, effective key, decision and system members, and
// then documents, feed and tail in one tree, with one durable commit for whatever is queued. No checksums: LMDB has none.
//
//   document   doc key (the product's)    → lsn u48 · ix u16 · rid u48 · time u48 · body with system members
//   feed       2 · lsn u48 · ix u16       → doc key
//   tail       3                          → lsn u48

import { Buffer } from 'node:buffer';
import type { ClientDocument, Container, Unit } from '@tidemark/engine/internal';
import { decide, docKey, SystemMembers } from '@tidemark/engine/internal';
import type { RootDatabase } from 'lmdb';
import { open } from 'lmdb';

interface Put {
  readonly unit: Unit;
  /** Of the documents, in the order of the commands. */
  readonly keys: readonly Buffer[];
  /** Of a batch, id → number of the command. */
  readonly places: ReadonlyMap<string, number> | undefined;
  resolve(): void;
}

interface Current {
  readonly lsn: number;
  readonly ix: number;
  readonly ridNumber: number;
  readonly timeMs: number;
}

const headBytes = 20;
const numbers = { database: 1, container: 1, epoch: 1 };
const tailKey: Buffer = Buffer.from([3]);
const nothing: Buffer = Buffer.alloc(0);

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
  /** Reads documents and makes keys; nothing is stored in it. */
  readonly #front: Container;
  readonly #system = new SystemMembers(numbers.database, numbers.container, numbers.epoch);
  #lsn = 0;
  #nextRid = 1;
  #queue: Put[] = [];
  #isRunning = false;

  constructor(folder: string, front: Container) {
    this.#tree = open<Buffer, Buffer>(folder, environmentOptions);
    this.#front = front;
  }

  upsert(bytes: Buffer): Promise<void> {
    return this.#submit([this.#front.readClient(bytes)]);
  }

  /** All or nothing, of one partition key, under one LSN: what a batch of the product is. */
  upsertMany(many: readonly Buffer[]): Promise<void> {
    return this.#submit(many.map((bytes) => this.#front.readClient(bytes)));
  }

  async close(): Promise<void> {
    await this.#tree.close();
  }

  #submit(documents: readonly ClientDocument[]): Promise<void> {
    return new Promise((resolve) => {
      const partitionKey = this.#front.partitionKeyOf(documents[0] as ClientDocument);
      const { epk, bytes } = partitionKey;
      const keys = documents.map(({ id }) => docKey(numbers.container, epk, bytes, Buffer.from(id)));
      const commands = documents.map((document) => ({ kind: 'upsert', document }) as const);
      const places = documents.length === 1 ? undefined : new Map(documents.map(({ id }, at) => [id, at]));
      this.#queue.push({ unit: { partitionKey, commands }, keys, places, resolve });
      if (this.#isRunning) return;
      this.#isRunning = true;
      setImmediate(() => void this.#run());
    });
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
    /** What this commit has written, which the tree does not show yet. */
    const written = new Map<string, Current>();
    const committed = tree.batch(() => {
      for (const put of puts) this.#apply(put, written);
      const tail = Buffer.allocUnsafe(6);
      tail.writeUIntLE(this.#lsn, 0, 6);
      void tree.put(tailKey, tail);
    });
    await committed;
    await tree.flushed;
  }

  #apply({ unit, keys, places }: Put, written: Map<string, Current>): void {
    const nowMs = Date.now();
    const found: (Current | undefined)[] = [];
    const view = {
      current: (id: string) => {
        const at = places?.get(id) ?? 0;
        const current = this.#current(keys[at] as Buffer, written);
        found[at] = current;
        if (current === undefined) return undefined;
        return {
          kind: 'stored' as const,
          ...current,
          etag: '',
          ttl: undefined,
          uniqueDigests: nothing,
          body: undefined,
          hasBody: false,
        };
      },
      uniqueHolder: () => undefined,
    };
    const context = { nowMs, defaultTtl: undefined, uniqueKeys: [], partitionKeyPaths: [['pk']] };
    const decision = decide(view, unit, context);
    if (decision.kind !== 'commit') throw new Error('An upsert was refused.');
    this.#lsn += 1;
    for (const [ix, { document, ridNumber }] of decision.mutations.entries()) {
      const key = keys[ix] as Buffer;
      const before = found[ix];
      const current = { lsn: this.#lsn, ix, ridNumber: ridNumber ?? this.#nextRid++, timeMs: nowMs };
      if (before !== undefined) void this.#tree.remove(feedKey(before));
      void this.#tree.put(key, this.#valueOf(current, document?.openBytes ?? nothing));
      void this.#tree.put(feedKey(current), key);
      written.set(key.toString('latin1'), current);
    }
  }

  #current(key: Buffer, written: ReadonlyMap<string, Current>): Current | undefined {
    const own = written.get(key.toString('latin1'));
    if (own !== undefined) return own;
    const value = this.#tree.getBinaryFast(key);
    if (value === undefined) return undefined;
    const number = (offset: number): number => value.readUIntLE(offset, 6);
    return { lsn: number(0), ix: value.readUInt16LE(6), ridNumber: number(8), timeMs: number(14) };
  }

  #valueOf(current: Current, openBytes: Buffer): Buffer {
    const end = headBytes + openBytes.length;
    const value = Buffer.allocUnsafe(end + this.#system.tailBytes(current));
    value.writeUIntLE(current.lsn, 0, 6);
    value.writeUInt16LE(current.ix, 6);
    value.writeUIntLE(current.ridNumber, 8, 6);
    value.writeUIntLE(current.timeMs, 14, 6);
    openBytes.copy(value, headBytes);
    this.#system.writeTail(current, value, end);
    return value;
  }
}

function feedKey({ lsn, ix }: Current): Buffer {
  const key = Buffer.allocUnsafe(9);
  key[0] = 2;
  key.writeUIntBE(lsn, 1, 6);
  key.writeUInt16BE(ix, 7);
  return key;
}
