// Buffers for long reads, lent and given back. A fresh one costs page faults when it is filled and garbage collection when it
// is not needed any more, together as much as the read itself.
//
// Giving back is voluntary: what nobody gives back is collected like anything else.

import { Buffer } from 'node:buffer';
import { recycledBytesMax } from '../limits.ts';

/** Shorter ones are not worth keeping. */
const keptBytesMin: number = 64 * 1024;

/** Above this, sizes are multiples of it. */
const coarseBytes: number = 512 * 1024;

export class BufferPool {
  /** By size. */
  readonly #free = new Map<number, Buffer[]>();
  #freeBytes = 0;
  /** How many others have a part of it. */
  readonly #others = new WeakMap<ArrayBufferLike, number>();

  /** At least so many bytes, with anything in them. */
  take(bytes: number): Buffer {
    if (bytes < keptBytesMin) return Buffer.allocUnsafeSlow(bytes);
    const size = sizeFor(bytes);
    const buffer = this.#free.get(size)?.pop();
    if (buffer === undefined) return Buffer.allocUnsafeSlow(size);
    this.#freeBytes -= size;
    return buffer;
  }

  /** One more has a part of it from now on, and gives it back as well. */
  share(buffer: ArrayBufferLike): void {
    this.#others.set(buffer, (this.#others.get(buffer) ?? 0) + 1);
  }

  /** Whoever gives it back may not have a part of it any more. */
  give(buffer: Buffer): void {
    const others = this.#others.get(buffer.buffer) ?? 0;
    if (others > 0) {
      this.#others.set(buffer.buffer, others - 1);
      return;
    }
    const size = buffer.length;
    if (size < keptBytesMin || this.#freeBytes + size > recycledBytesMax) return;
    const free = this.#free.get(size);
    if (free === undefined) this.#free.set(size, [buffer]);
    else free.push(buffer);
    this.#freeBytes += size;
  }
}

/** Few sizes, so that one fits the next. Long ones are rounded by less than their double: clients that read slowly keep many. */
function sizeFor(bytes: number): number {
  return bytes <= coarseBytes ? 2 ** Math.ceil(Math.log2(bytes)) : Math.ceil(bytes / coarseBytes) * coarseBytes;
}
