// Changes that are finished while one before them is not, so that a crash repeats only what is unfinished (S52).
//
//   { position: <stored when this was written, or null>, done: [<digest>, …] }
//
// It counts only for a pump that begins at exactly that position: whoever is made to read from elsewhere is meant to read all.

import type { Clock } from '../environment.ts';
import { notNeeded } from '../environment.ts';
import { doneItemsMax, doneSaveMs } from '../limits.ts';
import { isProcessorError } from '../processor-error.ts';
import type { OpenPage } from './open-page.ts';
import type { PumpMemory } from './pump.ts';

export interface DoneLogOptions {
  readonly clock: Clock;
  readonly memory: PumpMemory;
  /** Pages in the order of the feed. */
  pages(): Iterable<OpenPage>;
  stored(): string | undefined;
}

export class DoneLog {
  readonly #options: DoneLogOptions;
  /** Of the owner before: not delivered again. */
  readonly #known: Set<string> = new Set();
  /** Of this owner, by the sequence numbers of pages that are not held any more, and that the position has not passed. */
  readonly #kept: Map<number, string[]> = new Map();
  #keptCount = 0;
  #isDirty = false;
  #error: unknown;
  /** A document is there that says something. */
  #isSaved = false;
  #timer: AbortController | undefined;
  #isClosed = false;
  #saving: Promise<boolean> = Promise.resolve(true);

  constructor(options: DoneLogOptions) {
    this.#options = options;
  }

  get isSaved(): boolean {
    return this.#isSaved;
  }

  /** Of the last save that was in vain. */
  get error(): unknown {
    return this.#error;
  }

  get knownCount(): number {
    return this.#known.size;
  }

  /** `start`: where the pump begins. */
  async load(start: string | undefined): Promise<void> {
    const value = await this.#options.memory.load('done');
    if (value === undefined) return;
    this.#isSaved = true;
    const { position, done } = value;
    if (position !== (start ?? null) || !Array.isArray(done)) return;
    for (const name of done.slice(0, doneItemsMax)) if (typeof name === 'string') this.#known.add(name);
  }

  /** Whether a former owner has finished it. True once: what is settled here is counted here. */
  take(name: string): boolean {
    return this.#known.delete(name);
  }

  /** Everything was read: what has not come by now was superseded and never will. */
  forgetKnown(): void {
    if (this.#known.size === 0) return;
    this.#known.clear();
    this.touch();
  }

  /** With manual checkpoints: finished on a page that is forgotten before the position passes it. */
  keep(sequence: number, names: readonly string[]): void {
    const room = doneItemsMax - this.#keptCount;
    if (names.length === 0 || names.length > room) return;
    this.#keptCount += names.length;
    this.#kept.set(sequence, [...(this.#kept.get(sequence) ?? []), ...names]);
    this.touch();
  }

  /** The position has passed the page. */
  passed(sequence: number): void {
    this.#keptCount -= this.#kept.get(sequence)?.length ?? 0;
    this.#kept.delete(sequence);
  }

  /** Something was finished, or the position was stored: what is kept is stale. */
  touch(): void {
    this.#isDirty = true;
    if (this.#timer !== undefined || this.#isClosed) return;
    const timer = new AbortController();
    this.#timer = timer;
    const lowest = this.#lowest();
    void this.#options.clock.sleep(doneSaveMs, timer.signal).then(() => {
      if (timer.signal.aborted) return;
      this.#timer = undefined;
      const now = this.#lowest();
      // While the position follows it is not worth a write: only what is held up for a while would be repeated much.
      if (now === lowest || (now === undefined && this.#isSaved)) void this.save();
      else if (now?.settled !== undefined) this.touch();
    });
  }

  /** False: what could not be written is written with the next change; until then a crash would repeat more. */
  save(): Promise<boolean> {
    this.#saving = this.#saving.then(() => this.#saveNow());
    return this.#saving;
  }

  /** Nothing is written by itself any more, also when the answer to a checkpoint comes later than this; `save` still works. */
  close(): void {
    this.#isClosed = true;
    this.#timer?.abort(notNeeded);
    this.#timer = undefined;
  }

  async #saveNow(): Promise<boolean> {
    if (!this.#isDirty) return true;
    const done = this.#names();
    if (done.length === 0 && !this.#isSaved) return true;
    this.#isDirty = false;
    const position = this.#options.stored() ?? null;
    try {
      await this.#options.memory.save('done', done.length === 0 ? undefined : { position, done });
      this.#isSaved = done.length > 0;
      return true;
    } catch (error) {
      this.#isDirty = true;
      this.#error = error;
      // What is left then names a position of long ago; or a later owner has written down what it knows. Nothing is lost by either.
      return done.length === 0 || isProcessorError(error, 'lease-lost');
    }
  }

  #lowest(): OpenPage | undefined {
    const [first] = this.#options.pages();
    return first;
  }

  #names(): string[] {
    const names: string[] = [];
    for (const page of this.#options.pages()) {
      for (const index of page.settled ?? []) {
        if (names.length >= doneItemsMax) return names;
        names.push(page.digestOf(index));
      }
    }
    for (const kept of this.#kept.values()) {
      for (const name of kept) {
        if (names.length >= doneItemsMax) return names;
        names.push(name);
      }
    }
    // Still to come to this owner, and as done as before.
    for (const name of this.#known) {
      if (names.length >= doneItemsMax) return names;
      names.push(name);
    }
    return names;
  }
}
