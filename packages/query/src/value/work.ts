// What one document costs, counted: nobody else has a turn before it is done, and what is made for it is all there at once.
//
// Steps are time, about ten nanoseconds each. Bytes are what functions, literals and subqueries make; they are counted as they are
// made, and nobody knows which of them are garbage already, but for where a test, a number or a whole row has come out of them:
// who made it notes `made` before, and goes back to it.

import { DatabaseError } from '@tidemark/model';
import { madeBytesPerDocumentMax, stepsPerDocumentMax } from '../limits.ts';

export class Work {
  #stepsLeft = stepsPerDocumentMax;
  #made = 0;

  /** For each document anew. */
  begin(): void {
    this.#stepsLeft = stepsPerDocumentMax;
    this.#made = 0;
  }

  /** Throws the sentence where there are not as many left. */
  take(steps: number, sentence: string = tooLong): void {
    this.#stepsLeft -= steps;
    if (this.#stepsLeft < 0) throw new DatabaseError('bad-request', sentence);
  }

  /** Bytes that are there, as far as anybody knows. */
  get made(): number {
    return this.#made;
  }

  /** Throws where that is too much; before it is made, where its size is known. */
  make(bytes: number): void {
    this.#made += bytes;
    if (this.#made > madeBytesPerDocumentMax) throw new DatabaseError('bad-request', tooMuch);
  }

  /** What was made since then is garbage. */
  forget(made: number): void {
    this.#made = made;
  }
}

const tooLong =
  'The query computes too much for one document: its functions, comparisons and texts are many, or of large values. Filter before joining.';
const tooMuch = `The query makes values of more than ${madeBytesPerDocumentMax / 1024 / 1024} MiB for one document. Filter before joining, or select the parts and put them together in the client.`;
