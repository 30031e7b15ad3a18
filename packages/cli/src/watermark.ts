// Up to which line everything is done, when lines are done in any order, and which beyond it are. A resumed import begins there
// and leaves those out, so that it neither writes nor counts a line twice.

import type { Line, LinesStart } from './lines.ts';

/** The first line and the last one. */
export type LineSpan = readonly [first: number, last: number];

export class Watermark {
  #done: LinesStart;
  /** Lines that were begun after the mark: their end, and whether they are done. */
  readonly #begun = new Map<number, { readonly end: number; isDone: boolean }>();
  /** Done beyond the mark before this run, in order; the first goes when it has been passed. */
  readonly #before: LineSpan[];

  constructor(start: LinesStart, before: readonly LineSpan[] = []) {
    this.#done = start;
    this.#before = [...before];
  }

  get position(): LinesStart {
    return this.#done;
  }

  /** What is done beyond the mark. */
  get beyond(): readonly LineSpan[] {
    const spans: [number, number][] = [];
    for (const [number, { isDone }] of this.#begun) {
      if (!isDone) continue;
      const last = spans.at(-1);
      if (last?.[1] === number - 1) last[1] = number;
      else spans.push([number, number]);
    }
    const begun = Math.max(this.#done.number, ...[...this.#begun.keys()].slice(-1));
    const later = this.#before
      .filter(([, last]) => last > begun)
      .map(([first, last]) => [Math.max(first, begun + 1), last] as const);
    return [...spans, ...later];
  }

  /** In the order of the lines. False when it is done since before this run, and there is nothing to finish. */
  begin({ number, end }: Line): boolean {
    const isDone = this.#wasDone(number);
    this.#begun.set(number, { end, isDone });
    if (isDone) this.#advance();
    return !isDone;
  }

  finish(number: number): void {
    const line = this.#begun.get(number);
    if (line !== undefined) line.isDone = true;
    this.#advance();
  }

  #wasDone(number: number): boolean {
    while ((this.#before[0]?.[1] ?? number) < number) this.#before.shift();
    return (this.#before[0]?.[0] ?? number + 1) <= number;
  }

  #advance(): void {
    for (let next = this.#done.number + 1; ; next += 1) {
      const begun = this.#begun.get(next);
      if (begun === undefined || !begun.isDone) return;
      this.#begun.delete(next);
      this.#done = { number: next, end: begun.end };
    }
  }
}
