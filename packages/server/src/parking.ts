// Requests that wait for something to happen, such as readers of the feed for a change. Whoever waits ends the wait when the
// client has gone, and answers at once when the server closes.

import type { ServerResponse } from 'node:http';

export class Parking {
  readonly #parked = new Set<AbortController>();
  #isClosing = false;

  /** From then on every answer says that it is the last one of its connection. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  get size(): number {
    return this.#parked.size;
  }

  /** Aborted when the server closes, when the client has gone, and, without meaning, once the answer is out. */
  signalFor(outgoing: ServerResponse): AbortSignal {
    const controller = new AbortController();
    if (this.#isClosing || outgoing.closed) {
      controller.abort();
      return controller.signal;
    }
    this.#parked.add(controller);
    outgoing.once('close', () => {
      this.#parked.delete(controller);
      controller.abort();
    });
    return controller.signal;
  }

  close(): void {
    this.#isClosing = true;
    for (const controller of this.#parked) controller.abort();
    this.#parked.clear();
  }
}
