// Of rows that have an order the first few behind the page before: the one way in which sorted rows, groups and distinct values
// become pages.

import type { Placed, SortedAfter } from './after.ts';
import { afterEntry, comparePlaces, PageStart } from './after.ts';
import { Smallest } from './smallest.ts';

export class Kept<T extends Placed> {
  readonly #start: PageStart;
  readonly #smallest: Smallest<T>;
  readonly #areDescending: readonly boolean[];
  #entries: readonly T[] = [];
  #shown = 0;
  #isCut = false;

  constructor(most: number, areDescending: readonly boolean[], after: SortedAfter | undefined) {
    this.#areDescending = areDescending;
    this.#start = new PageStart(after, areDescending);
    this.#smallest = new Smallest<T>(most + this.#start.again, (a, b) =>
      comparePlaces(a.place, b.place, areDescending),
    );
  }

  /** Whether it would be kept, as it is now. */
  wants(entry: T): boolean {
    if (this.#start.isPassed(entry.place)) return false;
    if (this.#smallest.wants(entry)) return true;
    this.#isCut = true;
    return false;
  }

  /** The entry that has to go for it, if any. It must be wanted. */
  add(entry: T): T | undefined {
    const gone = this.#smallest.add(entry);
    if (gone !== undefined) this.#isCut = true;
    return gone;
  }

  /** How many were shown before, and are kept once more. */
  get again(): number {
    return this.#start.again;
  }

  /** Where the page needs no more than the others. */
  dropLast(): T {
    this.#isCut = true;
    return this.#smallest.dropLast();
  }

  get last(): T | undefined {
    return this.#smallest.last;
  }

  /** Whether entries had to go, which come on a later page. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** Those of this page. */
  inOrder(): readonly T[] {
    this.#entries = this.#smallest.inOrder();
    this.#shown = this.#start.shownOf(this.#entries);
    return this.#entries.slice(this.#shown);
  }

  /** Behind so many of the entries in order. */
  after(count: number): SortedAfter {
    return afterEntry(this.#entries, this.#shown + count - 1, this.#areDescending, this.#start.after);
  }
}
