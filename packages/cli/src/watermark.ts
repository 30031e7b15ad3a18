// Up to which line everything is done, when lines are done in any order. That is where a resumed import begins.

import type { Line, LinesStart } from './lines.ts';

export class Watermark {
  #done: LinesStart;
  /** Lines that were begun after the mark: their end, and whether they are done. Bounded by what may be pending. */
  readonly #begun = new Map<number, { readonly end: number; isDone: boolean }>();

  constructor(start: LinesStart) {
    this.#done = start;
  }

  get position(): LinesStart {
    return this.#done;
  }

  /** In the order of the lines. */
  begin({ number, end }: Line): void {
    this.#begun.set(number, { end, isDone: false });
  }

  finish(number: number): void {
    const line = this.#begun.get(number);
    if (line !== undefined) line.isDone = true;
    for (let next = this.#done.number + 1; ; next += 1) {
      const begun = this.#begun.get(next);
      if (begun === undefined || !begun.isDone) return;
      this.#begun.delete(next);
      this.#done = { number: next, end: begun.end };
    }
  }
}
