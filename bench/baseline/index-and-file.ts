// The raw limit of a point read: one get of a small entry from an index of the same number of keys, and one read of the
// document's bytes from a file. No partition keys, no checksum, no versions.

import { Buffer } from 'node:buffer';
import * as fs from 'node:fs';
import { join } from 'node:path';
import type { RootDatabase } from 'lmdb';
import { open } from 'lmdb';

/** As long as the product's doc key and doc value. */
const keyPadding = `\u0001${'k'.repeat(30)}`;
const valueBytes = 54;
const loadedAtOnce = 5_000;

export class IndexAndFile {
  readonly #tree: RootDatabase<Buffer, Buffer>;
  readonly #fd: number;

  private constructor(tree: RootDatabase<Buffer, Buffer>, fd: number) {
    this.#tree = tree;
    this.#fd = fd;
  }

  /** Filled without flushes: only reading is measured. */
  static async create(
    folder: string,
    count: number,
    document: (n: number) => { readonly id: string; readonly bytes: Buffer },
  ): Promise<IndexAndFile> {
    fs.mkdirSync(folder, { recursive: true });
    const options = { keyEncoding: 'binary', encoding: 'binary', cache: false, noSync: true } as const;
    const tree = open<Buffer, Buffer>(join(folder, 'index'), options);
    const fd = fs.openSync(join(folder, 'documents'), 'w+');
    let offset = 0;
    for (let first = 0; first < count; first += loadedAtOnce) {
      const pieces: Buffer[] = [];
      const start = offset;
      await tree.batch(() => {
        for (let n = first; n < Math.min(count, first + loadedAtOnce); n += 1) {
          const { id, bytes } = document(n);
          const value = Buffer.alloc(valueBytes);
          value.writeUIntLE(offset, 0, 6);
          value.writeUInt32LE(bytes.length, 8);
          void tree.put(keyOf(id), value);
          pieces.push(bytes);
          offset += bytes.length;
        }
      });
      fs.writeSync(fd, Buffer.concat(pieces), 0, offset - start, start);
    }
    return new IndexAndFile(tree, fd);
  }

  read(id: string): Buffer {
    const value = this.#tree.getBinaryFast(keyOf(id));
    if (value === undefined) throw new Error(`The document ${id} is missing.`);
    const target = Buffer.allocUnsafe(value.readUInt32LE(8));
    fs.readSync(this.#fd, target, 0, target.length, value.readUIntLE(0, 6));
    return target;
  }

  async close(): Promise<void> {
    await this.#tree.close();
    fs.closeSync(this.#fd);
  }
}

function keyOf(id: string): Buffer {
  return Buffer.from(keyPadding + id, 'latin1');
}
