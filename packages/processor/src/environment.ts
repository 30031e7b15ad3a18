// What the client takes from outside: time, chance, waiting and the network. Nothing else reads them from the process.

export interface Clock {
  /** Wall clock, milliseconds since 1970. */
  nowMs(): number;
  /** Resolves after `ms`, or at once when `signal` aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface Environment {
  readonly clock: Clock;
  /** From 0 to 1, for the spread of retries. */
  random(): number;
  readonly fetch: typeof globalThis.fetch;
}
