// One timer for everybody who waits for a bounded time: thousands of timers of their own would cost more than the waiting.

/** Something that is told when its time is over. It is in one slot at most. */
export interface Timed {
  /** The slot it is in; -1 when it is in none. Only the wheel writes it. */
  slot: number;
  onTime(): void;
}

export class TimerWheel {
  readonly #tickMs: number;
  readonly #slots: (Set<Timed> | undefined)[];
  readonly #nowMs: () => number;
  #count = 0;
  /** The slot whose time came last, and when that was. */
  #hand = 0;
  #handMs = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Waits of up to `msMax`, none of them shorter than asked for and none longer by more than a tick and a turn. */
  constructor(tickMs: number, msMax: number, nowMs: () => number = () => performance.now()) {
    this.#tickMs = tickMs;
    this.#slots = new Array(Math.ceil(msMax / tickMs) + 2);
    this.#nowMs = nowMs;
  }

  get count(): number {
    return this.#count;
  }

  add(timed: Timed, ms: number): void {
    this.#start();
    // The tick that is running has begun already, so it does not count.
    const lateMs = this.#nowMs() - this.#handMs;
    const ticks = Math.max(1, Math.ceil((ms + lateMs) / this.#tickMs));
    timed.slot = (this.#hand + Math.min(ticks, this.#slots.length - 1)) % this.#slots.length;
    const slot = this.#slots[timed.slot] ?? new Set();
    this.#slots[timed.slot] = slot;
    slot.add(timed);
    this.#count += 1;
  }

  remove(timed: Timed): void {
    if (timed.slot === -1) return;
    this.#slots[timed.slot]?.delete(timed);
    timed.slot = -1;
    this.#count -= 1;
    if (this.#count === 0) this.#stop();
  }

  /** Tells everybody whose time is over. The timer calls it; a test may. */
  turn(): void {
    const now = this.#nowMs();
    while (this.#handMs + this.#tickMs <= now) {
      this.#handMs += this.#tickMs;
      this.#hand = (this.#hand + 1) % this.#slots.length;
      const slot = this.#slots[this.#hand];
      this.#slots[this.#hand] = undefined;
      for (const timed of slot ?? []) {
        timed.slot = -1;
        this.#count -= 1;
        timed.onTime();
      }
      if (this.#count === 0) break;
    }
    if (this.#count === 0) this.#stop();
  }

  #start(): void {
    if (this.#timer !== undefined) return;
    this.#handMs = this.#nowMs();
    this.#timer = setInterval(() => this.turn(), this.#tickMs);
    // Whoever waits has a socket that keeps the process alive, if anything does.
    this.#timer.unref();
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
