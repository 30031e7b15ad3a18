// Answers that are ready in one turn of the event loop are sent at its end, one right after the other. Whoever waits for them
// then wakes up once for all of them: to wake a process up costs more than to write to it, and more than a point read.
//
// Those that had to wait, for a flush mostly, became ready together: they are sent as soon as all of them are there, and not
// after the requests that have come meanwhile.

import { heldAnswersMax, heldBodyBytesMax } from './limits.ts';

export class Outbox {
  #held: (() => void)[] = [];
  #isSoon = false;
  readonly #sendAll = (): void => {
    const held = this.#held;
    this.#held = [];
    this.#isSoon = false;
    for (const send of held) send();
  };

  /** A large one is sent at once: not the waking is what takes its time, and many of them would be much to hold. */
  put(bodyBytes: number, send: () => void, hasWaited = false): void {
    if (bodyBytes > heldBodyBytesMax) {
      send();
      return;
    }
    const count = this.#held.push(send);
    if (count === heldAnswersMax) this.#sendAll();
    else if (hasWaited) this.#sendSoon();
    else if (count === 1) setImmediate(this.#sendAll);
  }

  /** When everybody who was told in this moment has answered. */
  #sendSoon(): void {
    if (this.#isSoon) return;
    this.#isSoon = true;
    process.nextTick(this.#sendAll);
  }
}
