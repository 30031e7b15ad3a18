// Writers in flight: each does one operation after the other until time or work is up.

export interface Drive {
  readonly operations: number;
  /** Up to the last acknowledgement that counts. */
  readonly acknowledgedMs: number;
  /** The same; without a ramp, to the end of what was left to do in the background. */
  readonly elapsedMs: number;
  /** Of all threads; unlike time it hardly depends on who else uses the machine. */
  readonly processorMs: number;
  readonly latencyMs: Quantiles;
}

export interface Quantiles {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export interface DriveOptions {
  readonly writers: number;
  /** Ends after this time, or after this many operations. */
  readonly turnMs?: number;
  readonly operations?: number;
  /** Work that was put off must not be left to the next one's turn: it counts, unless there is a ramp. */
  settle?(): Promise<void>;
  /**
   * The turn begins this long after the first operation. When that is longer than work is put off, the turn has such work to do too, and
   * shows what can be kept up. Writers are in the middle of their work at both of its ends: what is acknowledged between them counts.
   */
  readonly rampMs?: number;
}

export async function drive(options: DriveOptions, operation: () => Promise<unknown>): Promise<Drive> {
  const { rampMs = 0, turnMs = Number.POSITIVE_INFINITY } = options;
  const nowMs = performance.now();
  const turn = rampMs > 0 ? new SteadyTurn(nowMs + rampMs, turnMs) : new WholeTurn(nowMs, turnMs);
  const limit = options.operations ?? Number.POSITIVE_INFINITY;
  let begun = 0;
  const write = async (): Promise<void> => {
    for (;;) {
      const beganMs = performance.now();
      if (begun >= limit || turn.isOver(beganMs)) return;
      begun += 1;
      await operation();
      turn.acknowledged(beganMs, performance.now());
    }
  };
  await Promise.all(Array.from({ length: options.writers }, write));
  return turn.ended(options.settle);
}

interface Turn {
  isOver(nowMs: number): boolean;
  acknowledged(beganMs: number, atMs: number): void;
  ended(settle: DriveOptions['settle']): Promise<Drive>;
}

/**
 * From one acknowledgement to another: the first after the ramp, and the first when as much time as wanted has gone by since.
 * Writers go on until then, however long it takes: of those who answer seldom, one answer would be all there is.
 */
export class SteadyTurn implements Turn {
  readonly #latencies: number[] = [];
  readonly #rampEndMs: number;
  readonly #turnMs: number;
  #startedMs: number | undefined;
  #processorBefore: NodeJS.CpuUsage | undefined;
  #elapsedMs: number | undefined;
  #processorMs = 0;

  constructor(rampEndMs: number, turnMs: number) {
    this.#rampEndMs = rampEndMs;
    this.#turnMs = turnMs;
  }

  isOver(): boolean {
    return this.#elapsedMs !== undefined;
  }

  acknowledged(beganMs: number, atMs: number): void {
    if (atMs < this.#rampEndMs || this.#elapsedMs !== undefined) return;
    if (this.#startedMs === undefined) {
      this.#startedMs = atMs;
      this.#processorBefore = process.cpuUsage();
      return;
    }
    this.#latencies.push(atMs - beganMs);
    if (atMs - this.#startedMs < this.#turnMs) return;
    const { user, system } = process.cpuUsage(this.#processorBefore);
    this.#processorMs = (user + system) / 1_000;
    this.#elapsedMs = atMs - this.#startedMs;
  }

  async ended(settle: DriveOptions['settle']): Promise<Drive> {
    await settle?.();
    if (this.#elapsedMs === undefined) throw new Error('The writers have ended before the turn.');
    const operations = this.#latencies.length;
    const elapsedMs = this.#elapsedMs;
    const latencyMs = quantiles(this.#latencies);
    return { operations, elapsedMs, acknowledgedMs: elapsedMs, processorMs: this.#processorMs, latencyMs };
  }
}

export function perSecond({ operations, elapsedMs }: { operations: number; elapsedMs: number }): number {
  return (operations / elapsedMs) * 1_000;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export function quantiles(values: readonly number[]): Quantiles {
  const sorted = Float64Array.from(values).sort();
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}

/** From the first operation to the last acknowledgement, and what was put off besides. */
class WholeTurn implements Turn {
  readonly #latencies: number[] = [];
  readonly #startedMs: number;
  readonly #turnMs: number;
  readonly #processorBefore = process.cpuUsage();

  constructor(startedMs: number, turnMs: number) {
    this.#startedMs = startedMs;
    this.#turnMs = turnMs;
  }

  isOver(nowMs: number): boolean {
    return nowMs - this.#startedMs >= this.#turnMs;
  }

  acknowledged(beganMs: number, atMs: number): void {
    this.#latencies.push(atMs - beganMs);
  }

  async ended(settle: DriveOptions['settle']): Promise<Drive> {
    const acknowledgedMs = performance.now() - this.#startedMs;
    await settle?.();
    const elapsedMs = performance.now() - this.#startedMs;
    const { user, system } = process.cpuUsage(this.#processorBefore);
    const operations = this.#latencies.length;
    const latencyMs = quantiles(this.#latencies);
    return { operations, elapsedMs, acknowledgedMs, processorMs: (user + system) / 1_000, latencyMs };
  }
}
