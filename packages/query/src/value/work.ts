// What functions compute for one document, counted: nobody else has a turn before it is done. Only those count that can take long.

import { DatabaseError } from '@tidemark/model';
import { stepsPerDocumentMax } from '../limits.ts';

export class Work {
  #left = stepsPerDocumentMax;

  /** For each document anew. */
  begin(): void {
    this.#left = stepsPerDocumentMax;
  }

  /** Throws the sentence where there are not as many left. */
  take(steps: number, sentence: string): void {
    this.#left -= steps;
    if (this.#left < 0) throw new DatabaseError('bad-request', sentence);
  }
}
