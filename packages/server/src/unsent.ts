// Answers that were given and that clients have not taken yet. A client that reads slowly, or not at all, holds its answer in
// this process; here is how much of that there may be.

import type { HttpResponse } from './http/http-response.ts';
import { answerStallMsMax, unsentBytesMax, unsentMsMin } from './limits.ts';

export interface UnsentLimits {
  readonly answerStallMsMax: number;
  readonly unsentBytesMax: number;
  readonly unsentMsMin: number;
}

interface Unsent {
  readonly sizeBytes: number;
  readonly sinceMs: number;
}

export class UnsentAnswers {
  readonly #limits: UnsentLimits;
  readonly #nowMs: () => number;
  /** The one that has waited longest comes first. */
  readonly #answers = new Map<HttpResponse, Unsent>();
  #sizeBytes = 0;
  #cut = 0;

  constructor(limits: Partial<UnsentLimits> = {}, nowMs: () => number = () => performance.now()) {
    this.#limits = { answerStallMsMax, unsentBytesMax, unsentMsMin, ...limits };
    this.#nowMs = nowMs;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** How many were cut off for the sake of others. */
  get cut(): number {
    return this.#cut;
  }

  /** Whether there is room for one more. Makes it, if it must, at the cost of those that nobody has taken for a while. */
  admit(sizeBytes: number): boolean {
    for (const [outgoing, { sinceMs }] of this.#answers) {
      if (this.#sizeBytes + sizeBytes <= this.#limits.unsentBytesMax) return true;
      if (this.#nowMs() - sinceMs < this.#limits.unsentMsMin) return false;
      this.#cut += 1;
      this.#forget(outgoing);
      outgoing.destroy();
    }
    return true;
  }

  /** To be called when it was given to the socket. What the system took at once is not waiting; of anything else all is kept. */
  note(outgoing: HttpResponse, heldBytes = 0): void {
    const { socket } = outgoing;
    if (socket.writableLength === 0) return;
    this.#add(outgoing, Math.max(heldBytes, socket.writableLength));
    // Node starts this anew whenever the client takes something; the connection ends it once the answer is out.
    socket.setTimeout(this.#limits.answerStallMsMax);
    outgoing.once('close', () => this.#forget(outgoing));
  }

  /** For an answer without end, while its client takes no more; what it returns is called when it does, or is gone. */
  hold(outgoing: HttpResponse): () => void {
    this.#add(outgoing, outgoing.writableLength);
    return () => this.#forget(outgoing);
  }

  #add(outgoing: HttpResponse, sizeBytes: number): void {
    this.#answers.set(outgoing, { sizeBytes, sinceMs: this.#nowMs() });
    this.#sizeBytes += sizeBytes;
  }

  #forget(outgoing: HttpResponse): void {
    const unsent = this.#answers.get(outgoing);
    if (unsent === undefined) return;
    this.#answers.delete(outgoing);
    this.#sizeBytes -= unsent.sizeBytes;
  }
}
