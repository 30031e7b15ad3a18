// Places where queries run: a few at a time, for each may keep a page of rows, or rows up to its limit of memory.

export class Places {
  readonly #waiting = new Set<() => void>();
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** First come, first served. Who leaves before its turn, by the signal, gets none: `work` is not called, and it is undefined. */
  async with<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T | undefined> {
    if (signal?.aborted) return undefined;
    if (this.#free > 0) this.#free -= 1;
    else if (!(await this.#turn(signal))) return undefined;
    try {
      return await work();
    } finally {
      const [next] = this.#waiting;
      if (next === undefined) this.#free += 1;
      else next();
    }
  }

  /** Whoever is done hands its place over. False: it was not waited for. */
  #turn(signal: AbortSignal | undefined): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (hasPlace: boolean): void => {
        this.#waiting.delete(take);
        signal?.removeEventListener('abort', leave);
        resolve(hasPlace);
      };
      const take = (): void => end(true);
      const leave = (): void => end(false);
      this.#waiting.add(take);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }
}
