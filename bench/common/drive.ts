// Writers in flight: each does one operation after the other until time or work is up.

export interface Drive {
  readonly operations: number;
  /** From the first operation that counts to the last acknowledgement, and to the end of what was left to do in the background. */
  readonly elapsedMs: number;
  readonly acknowledgedMs: number;
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
   * What is begun in this time, before the turn, does not count. When it is longer than work is put off, the turn has such work to do
   * too, and shows what can be kept up.
   */
  readonly rampMs?: number;
}

export async function drive(options: DriveOptions, operation: () => Promise<unknown>): Promise<Drive> {
  const { rampMs = 0 } = options;
  const latencies: number[] = [];
  let processorBefore = process.cpuUsage();
  let startedMs = performance.now();
  const rampEndMs = startedMs + rampMs;
  const endMs = rampEndMs + (options.turnMs ?? Number.POSITIVE_INFINITY);
  const limit = options.operations ?? Number.POSITIVE_INFINITY;
  let begun = 0;
  let isRamp = rampMs > 0;
  const write = async (): Promise<void> => {
    for (;;) {
      const beganMs = performance.now();
      if (begun >= limit || beganMs >= endMs) return;
      if (isRamp && beganMs >= rampEndMs) {
        isRamp = false;
        latencies.length = 0;
        processorBefore = process.cpuUsage();
        startedMs = beganMs;
      }
      begun += 1;
      await operation();
      if (beganMs >= startedMs) latencies.push(performance.now() - beganMs);
    }
  };
  await Promise.all(Array.from({ length: options.writers }, write));
  const acknowledgedMs = performance.now() - startedMs;
  const processorAfter = process.cpuUsage(processorBefore);
  await options.settle?.();
  const elapsedMs = rampMs > 0 ? acknowledgedMs : performance.now() - startedMs;
  const { user, system } = rampMs > 0 ? processorAfter : process.cpuUsage(processorBefore);
  const processorMs = (user + system) / 1_000;
  const latencyMs = quantiles(latencies);
  return { operations: latencies.length, elapsedMs, acknowledgedMs, processorMs, latencyMs };
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
