// The fixed work that costs stand beside: it does not know how large the database is.
//
//   upserts      a bare log with the same writers and documents, each parsed and checksummed first
//   point reads  reads of as many bytes at random places of a file that is in memory
//   feed pages   reads of 1 MiB of that file, checksummed

import * as fs from 'node:fs';
import { crc32 } from 'node:zlib';
import { BareLog } from '../baseline/bare-log.ts';
import type { Drive } from '../common/drive.ts';
import { drive } from '../common/drive.ts';
import type { Chance } from '../engine/chance.ts';

const fileBytes: number = 64 * 1024 * 1024;
const pageBytes: number = 1024 * 1024;

export class Reference {
  readonly #log: BareLog;
  readonly #fd: number;
  readonly #chance: Chance;
  readonly #page: Buffer = Buffer.allocUnsafeSlow(pageBytes);

  constructor(path: string, chance: Chance) {
    this.#log = new BareLog(path, fileBytes);
    this.#fd = fs.openSync(path, 'r');
    this.#chance = chance;
  }

  write(writers: number, operations: number, document: () => Buffer): Promise<Drive> {
    return drive({ writers, operations }, () => {
      const bytes = document();
      if (crc32(bytes) < 0 || typeof JSON.parse(bytes.toString('utf8')) !== 'object') throw new Error('No document.');
      return this.#log.append(bytes);
    });
  }

  read(bytes: number, operations: number): Promise<Drive> {
    return drive({ writers: 1, operations }, async () => this.#read(Buffer.allocUnsafe(bytes)));
  }

  readPage(operations: number): Promise<Drive> {
    return drive({ writers: 1, operations }, async () => {
      this.#read(this.#page);
      if (crc32(this.#page) < 0) throw new Error('No checksum.');
    });
  }

  close(): void {
    fs.closeSync(this.#fd);
    this.#log.close();
  }

  #read(target: Buffer): void {
    const read = fs.readSync(this.#fd, target, 0, target.length, this.#chance(fileBytes - target.length));
    if (read !== target.length) throw new Error('The reference file is too short.');
  }
}
