// Answers that are ready in one turn of the event loop are sent at its end, one right after the other. Whoever waits for them
// then wakes up once for all of them: to wake a process up costs more than to write to it, and more than a point read.

import { heldAnswersMax, heldBodyBytesMax } from './limits.ts';

export class Outbox {
  #held: (() => void)[] = [];
  readonly #sendAll = (): void => {
    const held = this.#held;
    this.#held = [];
    for (const send of held) send();
  };

  /** A large one is sent at once: not the waking is what takes its time, and many of them would be much to hold. */
  put(bodyBytes: number, send: () => void): void {
    if (bodyBytes > heldBodyBytesMax) {
      send();
      return;
    }
    const count = this.#held.push(send);
    if (count === heldAnswersMax) this.#sendAll();
    else if (count === 1) setImmediate(this.#sendAll);
  }
}
