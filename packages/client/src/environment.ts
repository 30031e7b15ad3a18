// What this package takes from outside: time, chance, waiting and the network. Nothing else reads them from the process.

export interface Clock {
  /** Wall clock, milliseconds since 1970. It may jump: nothing is decided by it, it is only written down and shown. */
  nowMs(): number;
  /** Never jumps and never goes back; its zero means nothing. Every deadline is measured by it. */
  monotonicMs(): number;
  /**
   * Resolves when `monotonicMs` has grown by `ms` at least, never before: whoever wakes may find its deadline reached. At once when `signal`
   * aborts. Never rejects.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Time and chance, for everything that decides. */
export interface Ground {
  readonly clock: Clock;
  /** From 0 to 1: the spread of retries, and names that must not repeat. */
  random(): number;
}

export interface Environment extends Ground {
  readonly fetch: typeof globalThis.fetch;
}

/** Why a wait ends that nobody needs any more. An abort without a reason makes an error with a stack, which costs more than the wait. */
export const notNeeded = 'not needed any more';
