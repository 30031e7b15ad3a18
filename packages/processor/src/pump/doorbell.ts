// Waiting for something to happen in the same process. Whoever waits looks again after each ring: a ring says no more than that
// something may have changed.

export class Doorbell {
  #waiters: (() => void)[] = [];

  ring(): void {
    if (this.#waiters.length === 0) return;
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const wake of waiters) wake();
  }

  wait(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiters.push(resolve);
    });
  }
}
