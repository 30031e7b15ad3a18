// What a query keeps, counted, so that it ends with a sentence before the process ends without one.

import { DatabaseError } from '@tidemark/model';
import { queryMemoryMax } from '../limits.ts';

export class Memory {
  #left = queryMemoryMax;

  take(bytes: number): void {
    this.#left -= bytes;
    if (this.#left < 0) {
      throw new DatabaseError(
        'bad-request',
        `The query has more to keep than ${queryMemoryMax / 1024 / 1024} MiB: rows to sort, groups or distinct values. Filter more, or ask for smaller pages.`,
      );
    }
  }

  give(bytes: number): void {
    this.#left += bytes;
  }
}
