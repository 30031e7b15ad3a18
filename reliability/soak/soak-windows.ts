// What was measured, window by window, and whether its lines are flat.

export interface Window {
  /** Since the start. */
  readonly atSeconds: number;
  readonly writesPerSecond: number;
  readonly readsPerSecond: number;
  readonly writeMs: Percentiles;
  readonly readMs: Percentiles;
  readonly anonymousMiB: number;
  readonly heapMiB: number;
  /** How late timers of the server were. */
  readonly loopDelayMs: number;
}

export interface Percentiles {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** By then caches, pools and compiled code have their size. */
const warmShare = 0.25;

export function percentilesOf(durationsMs: readonly number[]): Percentiles {
  const sorted = [...durationsMs].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { p50: at(0.5), p99: at(0.99), max: sorted.at(-1) ?? 0 };
}

/** The last third by the first, both after the warm-up, each by its median: one slow window is no trend. */
export function trendOf(windows: readonly Window[], value: (window: Window) => number): number {
  const warm = windows.slice(Math.floor(windows.length * warmShare));
  const third = Math.ceil(warm.length / 3);
  const first = medianOf(warm.slice(0, third).map(value));
  const last = medianOf(warm.slice(-third).map(value));
  return first === 0 ? 1 : last / first;
}

function medianOf(values: readonly number[]): number {
  return percentilesOf(values).p50;
}
