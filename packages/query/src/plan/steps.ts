// What one look at a filter may take, counted: nobody else has a turn before it is done.

export class Steps {
  #left: number;

  constructor(most: number) {
    this.#left = most;
  }

  get left(): number {
    return this.#left;
  }

  /** False where there are not as many left; then none is taken. */
  take(count: number): boolean {
    if (count > this.#left) return false;
    this.#left -= count;
    return true;
  }
}
