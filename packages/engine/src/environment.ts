// What the engine takes from outside: time, chance and waiting. Nothing below reads them from the process itself.

export interface Clock {
  /** Wall clock, milliseconds since 1970. It may jump either way; the engine copes. */
  nowMs(): number;
  /** For measuring: milliseconds since whenever, with fractions, that never jump. */
  monotonicMs(): number;
  /** How much of that time nobody had anything to do in the thread of the caller. Absent where nobody counts it. */
  idleMs?(): number;
  /**
   * Resolves when `monotonicMs` has grown by `ms` at least, never before: whoever wakes may find its deadline reached. At once when `signal`
   * aborts. Never rejects.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Resolves after everybody who is ready to run has run: what a group waits for before it closes. */
  nextTurn(): Promise<void>;
}

export interface Environment {
  readonly clock: Clock;
  /** Of the machine. A share of it is taken to hold what was written last; see `warmShare`. */
  readonly memoryBytes?: number;
  /** Fills with random bytes: salts, database epochs. */
  random(target: Uint8Array): void;
}
