// What a query keeps, counted, so that it ends with a sentence before the process ends without one.

import { DatabaseError } from '@tidemark/model';
import { queryMemoryBytesMax } from '../limits.ts';

export class Memory {
  readonly #whole: Memory | undefined;
  #left = queryMemoryBytesMax;

  /** A part of it, which is given back at once. */
  constructor(whole?: Memory) {
    this.#whole = whole;
  }

  take(bytes: number): void {
    this.#left -= bytes;
    this.#whole?.take(bytes);
    if (this.#left < 0) {
      throw new DatabaseError(
        'bad-request',
        `The query has more to keep than ${queryMemoryBytesMax / 1024 / 1024} MiB: rows to sort, groups or distinct values. Filter more, select less, or let it name a partition key.`,
      );
    }
  }

  give(bytes: number): void {
    this.#left += bytes;
    this.#whole?.give(bytes);
  }

  /** All that is taken. */
  giveAll(): void {
    this.give(queryMemoryBytesMax - this.#left);
  }
}
