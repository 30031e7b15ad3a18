// Doc keys of the records of a group, one behind the other: a buffer of its own for each would cost more than the rest of a record.

import { Buffer } from 'node:buffer';

/** Enough for the few keys of most frames that are replayed; those of a crowd grow it once. */
const bytesMin = 256;

export class KeySlab {
  bytes: Buffer = Buffer.allocUnsafeSlow(bytesMin);
  #usedBytes = 0;

  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** Forgets the keys behind; the memory stays. */
  cutTo(usedBytes: number): this {
    this.#usedBytes = usedBytes;
    return this;
  }

  /** Gives where it begins. */
  add(key: Buffer): number {
    const start = this.#usedBytes;
    const end = start + key.length;
    if (end > this.bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(end, this.bytes.length * 2));
      this.bytes.copy(larger, 0, 0, start);
      this.bytes = larger;
    }
    this.bytes.set(key, start);
    this.#usedBytes = end;
    return start;
  }
}
