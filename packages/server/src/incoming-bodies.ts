// Bodies that are coming in. A client that sends slowly, or stops in the middle, holds what it has sent in this process; here is
// how much of that there may be. What has come in whole is no longer counted: the engine bounds what waits to be written.

import { batchBytesMax, DatabaseError, documentBytesMax } from '@tidemark/model';
import { bodiesBytesMax, bodyBytesMax, bodyMsMin, firstBodyBytes } from './limits.ts';

export interface BodyLimits {
  readonly bodiesBytesMax: number;
  readonly bodyMsMin: number;
}

/** What a body is to be: each has its own limit, and the one of all bodies helps nobody who sends a document. */
export type BodyKind = 'document' | 'batch' | 'other';

export class IncomingBodies {
  readonly #limits: BodyLimits;
  readonly #nowMs: () => number;
  /** The one that began first comes first. */
  readonly #bodies = new Set<IncomingBody>();
  #sizeBytes = 0;

  constructor(limits: Partial<BodyLimits> = {}, nowMs: () => number = () => performance.now()) {
    this.#limits = { bodiesBytesMax, bodyMsMin, ...limits };
    this.#nowMs = nowMs;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** `refuse` is called at most once: whatever still comes in of it is then dropped. */
  open(refuse: (error: DatabaseError) => void, kind: BodyKind = 'other'): IncomingBody {
    const body = new IncomingBody(this, this.#nowMs(), refuse, kind);
    this.#bodies.add(body);
    return body;
  }

  /** Makes room, if it must, at the cost of those that have been coming in for a while. */
  admit(body: IncomingBody, bytes: number): boolean {
    for (const other of this.#bodies) {
      if (this.#sizeBytes + bytes <= this.#limits.bodiesBytesMax) break;
      if (other === body || this.#nowMs() - other.sinceMs < this.#limits.bodyMsMin) return false;
      other.refuse(tooManyBodies());
    }
    this.#sizeBytes += bytes;
    return true;
  }

  forget(body: IncomingBody, bytes: number): void {
    this.#bodies.delete(body);
    this.#sizeBytes -= bytes;
  }
}

/** Grows with what comes, one copy for each doubling: a body of a million chunks of one byte is no million objects. */
export class IncomingBody {
  readonly sinceMs: number;
  readonly #bodies: IncomingBodies;
  readonly #refuse: (error: DatabaseError) => void;
  readonly #kind: BodyKind;
  #buffer: Buffer = noBytes;
  #sizeBytes = 0;
  #isOver = false;

  constructor(bodies: IncomingBodies, sinceMs: number, refuse: (error: DatabaseError) => void, kind: BodyKind) {
    this.#bodies = bodies;
    this.sinceMs = sinceMs;
    this.#refuse = refuse;
    this.#kind = kind;
  }

  add(chunk: Buffer): void {
    if (this.#isOver) return;
    const sizeBytes = this.#sizeBytes + chunk.length;
    if (sizeBytes > bodyBytesMax) this.refuse(bodyTooLarge(this.#kind));
    else if (sizeBytes > this.#buffer.length && !this.#grow(sizeBytes)) this.refuse(tooManyBodies());
    else {
      chunk.copy(this.#buffer, this.#sizeBytes);
      this.#sizeBytes = sizeBytes;
    }
  }

  /** All of it is here. Empty when it was refused. */
  end(): Buffer {
    const whole = this.#buffer.subarray(0, this.#sizeBytes);
    this.close();
    return whole;
  }

  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#bodies.forget(this, this.#buffer.length);
    this.#buffer = noBytes;
    this.#sizeBytes = 0;
  }

  refuse(error: DatabaseError): void {
    this.close();
    this.#refuse(error);
  }

  #grow(sizeBytes: number): boolean {
    const capacity = Math.min(bodyBytesMax, Math.max(sizeBytes, 2 * this.#buffer.length, firstBodyBytes));
    if (!this.#bodies.admit(this, capacity - this.#buffer.length)) return false;
    const larger = Buffer.allocUnsafeSlow(capacity);
    this.#buffer.copy(larger, 0, 0, this.#sizeBytes);
    this.#buffer = larger;
    return true;
  }
}

export function bodyTooLarge(kind: BodyKind): DatabaseError {
  switch (kind) {
    case 'document':
      return new DatabaseError(
        'document-too-large',
        `A document may have at most ${inBytes(documentBytesMax)} of UTF-8; the body of this request is larger.`,
      );
    case 'batch':
      return new DatabaseError(
        'batch-too-large',
        `A batch may have at most ${inBytes(batchBytesMax)}; the body of this request is larger.`,
      );
    case 'other':
      return new DatabaseError(
        'document-too-large',
        `The body of a request may have at most ${inBytes(bodyBytesMax)}.`,
      );
  }
}

function inBytes(limit: number): string {
  return `${limit} bytes (${limit / 1024 / 1024} MiB)`;
}

function tooManyBodies(): DatabaseError {
  return new DatabaseError('unavailable', 'Other requests have to come in first; try again in a moment.', {
    retryAfterMs: bodyMsMin,
  });
}

const noBytes: Buffer = Buffer.alloc(0);
