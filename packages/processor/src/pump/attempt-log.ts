// How often changes have failed, by the digests of their identities; kept in the pump's memory, so that a restart or a move does not
// begin to count anew (F10).
//
//   { items: { <digest>: [failures, message] }, batches: { <digest of the first item>: [failures, items] }, starts?: [position, count] }
//
// A version of a document keeps its identity for ever, so a count is right wherever the position stands. `batches` counts failures of which
// nobody knows which item was the reason; its size tells a next owner where to go on cutting. `starts` counts owners that took over from one
// that died, all at the same position.

import { attemptEntriesMax } from '../limits.ts';
import { messageOf } from '../processor-error.ts';
import type { DocumentBody } from '../store/document-store.ts';
import type { PumpMemory } from './pump.ts';

export interface FailedItem {
  readonly failures: number;
  readonly message: string;
}

export interface FailedBatch {
  readonly failures: number;
  readonly items: number;
}

export class AttemptLog {
  readonly #memory: PumpMemory;
  readonly #items: Map<string, FailedItem> = new Map();
  readonly #batches: Map<string, FailedBatch> = new Map();
  #starts: { readonly position: string | undefined; readonly count: number } | undefined;
  #isDirty = false;
  #saving: Promise<boolean> | undefined;

  constructor(memory: PumpMemory) {
    this.#memory = memory;
  }

  /** Changes that failed and are not settled. While there are none, nobody needs to look. */
  get size(): number {
    return this.#items.size + this.#batches.size;
  }

  async load(): Promise<void> {
    const { items, batches, starts }: Record<string, unknown> = (await this.#memory.load('retry')) ?? {};
    if (Array.isArray(starts) && typeof starts[1] === 'number') {
      this.#starts = { position: typeof starts[0] === 'string' ? starts[0] : undefined, count: starts[1] };
    }
    for (const [name, [failures, message]] of pairs(items)) {
      if (typeof failures === 'number') this.#items.set(name, { failures, message: messageOf(message) });
    }
    for (const [name, [failures, count]] of pairs(batches)) {
      if (typeof failures === 'number' && typeof count === 'number') {
        this.#batches.set(name, { failures, items: count });
      }
    }
  }

  /** The owner before this one died. Returns how many have, one after the other, at this position. */
  countDeath(position: string | undefined): number {
    const count = this.#starts?.position === position ? (this.#starts?.count ?? 0) + 1 : 1;
    this.#starts = { position, count };
    this.#isDirty = true;
    return count;
  }

  /** The position moves: nobody dies of what comes here. False when there were none. */
  forgetDeaths(): boolean {
    if (this.#starts === undefined) return false;
    this.#starts = undefined;
    this.#isDirty = true;
    return true;
  }

  item(name: string): FailedItem | undefined {
    return this.#items.get(name);
  }

  batch(name: string): FailedBatch | undefined {
    return this.#batches.get(name);
  }

  /** Returns how often it has failed in all. */
  failItem(name: string, error: unknown): number {
    const failures = (this.#items.get(name)?.failures ?? 0) + 1;
    const message = messageOf(error).slice(0, messageCharsMax);
    put(this.#items, name, { failures, message });
    this.#isDirty = true;
    return failures;
  }

  failBatch(name: string, items: number): number {
    const failures = (this.#batches.get(name)?.failures ?? 0) + 1;
    put(this.#batches, name, { failures, items });
    this.#isDirty = true;
    return failures;
  }

  /** Its last failure was none. */
  uncount(name: string): void {
    this.#isDirty = true;
    const item = this.#items.get(name);
    const batch = this.#batches.get(name);
    if (item !== undefined) {
      if (item.failures > 1) this.#items.set(name, { ...item, failures: item.failures - 1 });
      else this.#items.delete(name);
    } else if (batch !== undefined) {
      if (batch.failures > 1) this.#batches.set(name, { ...batch, failures: batch.failures - 1 });
      else this.#batches.delete(name);
    }
  }

  forget(name: string): void {
    const hadItem = this.#items.delete(name);
    const hadBatch = this.#batches.delete(name);
    this.#isDirty ||= hadItem || hadBatch;
  }

  /** Stores what is new. False when it could not be: then it counts in this process only. */
  async save(): Promise<boolean> {
    while (this.#saving !== undefined) await this.#saving;
    if (!this.#isDirty) return true;
    this.#isDirty = false;
    this.#saving = this.#memory
      .save('retry', this.size === 0 && this.#starts === undefined ? undefined : this.#body())
      .then(
        () => true,
        () => {
          this.#isDirty = true;
          return false;
        },
      );
    try {
      return await this.#saving;
    } finally {
      this.#saving = undefined;
    }
  }

  #body(): DocumentBody {
    const items: Record<string, unknown> = {};
    const batches: Record<string, unknown> = {};
    for (const [name, { failures, message }] of this.#items) items[name] = [failures, message];
    for (const [name, { failures, items: count }] of this.#batches) batches[name] = [failures, count];
    const starts = this.#starts === undefined ? undefined : [this.#starts.position ?? null, this.#starts.count];
    return { items, batches, ...(starts === undefined ? {} : { starts }) };
  }
}

const messageCharsMax = 200;

/** For whoever looks from outside: how many changes have failed, how often the worst, and why. */
export function readFailures(body: DocumentBody): {
  readonly changes: number;
  readonly attempts: number;
  readonly message: string | undefined;
} {
  const items = pairs(body['items']);
  const failed = [...items, ...pairs(body['batches'])];
  const worst = items.reduce<unknown[]>((most, [, entry]) => (Number(entry[0]) > Number(most[0]) ? entry : most), [0]);
  return {
    changes: failed.length,
    attempts: Math.max(0, ...failed.map(([, [failures]]) => Number(failures))),
    message: worst[1] === undefined ? undefined : String(worst[1]),
  };
}

/** The oldest makes room: it will be counted anew, which only means that it is tried more often. */
function put<Value>(map: Map<string, Value>, name: string, value: Value): void {
  map.delete(name);
  map.set(name, value);
  if (map.size <= attemptEntriesMax) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}

function pairs(value: unknown): [string, unknown[]][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]));
}
