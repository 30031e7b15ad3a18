// Documents beside the leases: what must survive a restart or be seen by other hosts and is too big for a lease. Each belongs to one
// writer at a time, the owner of a lease or a host; the epoch in it keeps a former owner from writing over its successor. It never falls, also
// when a lease that somebody deleted is made again: a new lease of the same token begins above it.

import { isDatabaseError } from '@tidemark/model';
import { retryPauseMs } from '../bounded.ts';
import type { Ground } from '../environment.ts';
import { ProcessorError } from '../processor-error.ts';
import type { DocumentBody, DocumentStore, StoredDocument } from '../store/document-store.ts';

export interface SidecarParts extends Ground {
  readonly store: DocumentStore;
  readonly signal: AbortSignal | undefined;
}

/** One document with one writer. */
export class Sidecar {
  readonly #parts: SidecarParts;
  readonly #id: string;
  readonly #epoch: number;
  readonly #mayBeLate: boolean;
  #stored: StoredDocument | undefined;
  #isKnown = false;

  /** `mayBeLate`: what a former owner writes is as true as what is there; only newer is better. */
  constructor(parts: SidecarParts, id: string, epoch: number, mayBeLate = false) {
    this.#parts = parts;
    this.#id = id;
    this.#epoch = epoch;
    this.#mayBeLate = mayBeLate;
  }

  async load(): Promise<DocumentBody | undefined> {
    this.#stored = await this.#parts.store.read(this.#id, { signal: this.#parts.signal });
    this.#isKnown = true;
    return this.#stored?.body;
  }

  async save(value: DocumentBody | undefined): Promise<void> {
    const { clock, signal } = this.#parts;
    for (let tries = 0; ; tries += 1) {
      if (!this.#isKnown) await this.load();
      this.#refuseSuccessor();
      try {
        return await this.#write(value);
      } catch (error) {
        const code = isDatabaseError(error) ? error.code : undefined;
        const isOpen = code === 'precondition-failed' || code === 'conflict' || code === 'not-found';
        this.#isKnown = false;
        if (!isOpen || tries === triesMax) throw error;
        // Another writer explains one refusal. What is refused again is not asked in a row.
        if (tries > 0) await clock.sleep(retryPauseMs(this.#parts, tries - 1), signal);
      }
    }
  }

  async #write(value: DocumentBody | undefined): Promise<void> {
    const { store, signal } = this.#parts;
    const current = this.#stored;
    const body = { ...value, id: this.#id, epoch: Math.max(this.#epoch, epochOf(current)) };
    if (value === undefined) {
      if (current !== undefined) await store.remove(current, signal);
      this.#stored = undefined;
    } else if (current === undefined) {
      this.#stored = await store.create(body, signal);
    } else {
      this.#stored = await store.replace(current, body, signal);
    }
  }

  #refuseSuccessor(): void {
    if (this.#mayBeLate || epochOf(this.#stored) <= this.#epoch) return;
    throw new ProcessorError('lease-lost', `${this.#id} belongs to a later owner.`);
  }
}

/** -1: no lease has left one. */
export function epochOf(sidecar: StoredDocument | undefined): number {
  const epoch = sidecar?.body['epoch'];
  return typeof epoch === 'number' ? epoch : -1;
}

const triesMax = 3;
