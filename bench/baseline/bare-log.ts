// The raw limit of writing: a preallocated, zero-filled file; whatever is queued goes out with one write and one fdatasync,
// and then its writers are answered. No index, no checks, no checksums, nothing decided.
//
// In one trip through the thread pool it does so like the product's log on Linux, where a write can be its own flush; that
// is quicker than what most logs do. It writes into zeros that were written in pieces of the same size. When the file is full
// it begins again at the start; that costs nothing, so nothing is preallocated in anybody's turn.

import { Buffer } from 'node:buffer';
import * as fs from 'node:fs';
import { platform } from 'node:os';

const fileBytes: number = 256 * 1024 * 1024;
const zeroBytes: number = 256 * 1024;
/** As much as a group of the product may have; a larger write gains nothing. */
const writeBytesMax: number = 1024 * 1024;
const canWriteDurably: boolean = platform() === 'linux';

export class BareLog {
  #fd: number;
  /** A write is flushed when it is done. */
  readonly #isOneTrip: boolean;
  readonly #target: Buffer = Buffer.allocUnsafe(writeBytesMax * 2);
  #queue: Buffer[] = [];
  #waiting: (() => void)[] = [];
  #isRunning = false;
  #offset = 0;

  constructor(path: string, options: { readonly isOneTrip: boolean }) {
    this.#isOneTrip = options.isOneTrip && canWriteDurably;
    this.#fd = fs.openSync(path, 'w+');
    const zeros = Buffer.alloc(zeroBytes);
    for (let offset = 0; offset < fileBytes; offset += zeroBytes) fs.writeSync(this.#fd, zeros, 0, zeroBytes, offset);
    fs.fsyncSync(this.#fd);
    if (!this.#isOneTrip) return;
    fs.closeSync(this.#fd);
    this.#fd = fs.openSync(path, fs.constants.O_WRONLY | fs.constants.O_DSYNC);
  }

  append(bytes: Buffer): Promise<void> {
    return new Promise((resolve) => {
      this.#queue.push(bytes);
      this.#waiting.push(resolve);
      if (this.#isRunning) return;
      this.#isRunning = true;
      // Whoever writes in this turn of the event loop goes along.
      setImmediate(() => this.#writeNext());
    });
  }

  close(): void {
    fs.closeSync(this.#fd);
  }

  #writeNext(): void {
    if (this.#queue.length === 0) {
      this.#isRunning = false;
      return;
    }
    let length = 0;
    let count = 0;
    for (const bytes of this.#queue) {
      if (length + bytes.length > writeBytesMax && count > 0) break;
      bytes.copy(this.#target, length);
      length += bytes.length;
      count += 1;
    }
    const answered = this.#waiting.slice(0, count);
    this.#queue = this.#queue.slice(count);
    this.#waiting = this.#waiting.slice(count);
    if (this.#offset + length > fileBytes) this.#offset = 0;
    const offset = this.#offset;
    this.#offset += length;
    fs.write(this.#fd, this.#target, 0, length, offset, (error, written) => {
      if (error !== null || written !== length) throw error ?? new Error('The bare log could not be written.');
      if (this.#isOneTrip) this.#answer(answered);
      else this.#flush(answered);
    });
  }

  #flush(answered: readonly (() => void)[]): void {
    fs.fdatasync(this.#fd, (error) => {
      if (error !== null) throw error;
      this.#answer(answered);
    });
  }

  #answer(answered: readonly (() => void)[]): void {
    for (const resolve of answered) resolve();
    setImmediate(() => this.#writeNext());
  }
}
