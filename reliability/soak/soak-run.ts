// Mixed load for as long as one likes: writes, batches and deletes of the SDK, point reads, both feeds, processor hosts, splits and
// merges. What is measured has to stay as it was after the warm-up, and nothing may be lost.

import { setTimeout as pause } from 'node:timers/promises';
import { anonymousBytesOf, SeededRandom, sizeOf } from '@tidemark/testing';
import { Load } from '../load/load.ts';
import { Reshaper } from '../load/reshaper.ts';
import { readMetrics } from '../load/server-metrics.ts';
import type { Outcome, RunOptions } from '../outcome.ts';
import { trendsOf, writeReport } from './soak-report.ts';
import type { Window } from './soak-windows.ts';
import { percentilesOf, trendOf } from './soak-windows.ts';

/** Without minutes it is counted in windows, so that a slow machine sees as many. */
const windowsWanted = 60;
const windowMsMin = 250;
/** Every so often everything comes to rest, is judged and forgotten. */
const roundMs = 120_000;
/** Memory: the last third by the first. What is small may swing by what a garbage collector leaves. */
const memoryTrendMax = 1.3;
const memorySwingMiB = 48;
/** Long enough for the readers, short enough for the log not to grow by what is kept. */
const historyMinutes = 2;

export async function runSoak({ seed, minutes, report, onProgress }: RunOptions): Promise<Outcome> {
  const windowMs = Math.max(windowMsMin, ((minutes ?? 0) * 60_000) / windowsWanted);
  const random = new SeededRandom(seed);
  const writesMs: number[] = [];
  await using load = await Load.open({ historyMinutes, onAcknowledge: (durationMs) => writesMs.push(durationMs) });
  const reshaper = new Reshaper(load.setting, random);
  const reads = new PointReads(load, random);
  const windows: Window[] = [];
  const sinceMs = performance.now();
  let roundSinceMs = sinceMs;
  load.start();
  await load.untilAcknowledged(100);
  await readMetrics(load.setting.url);
  reads.start();
  const isOver = (): boolean =>
    minutes === undefined ? windows.length === sizeOf('soakWindows') : performance.now() - sinceMs > minutes * 60_000;
  while (!isOver() && load.problems.length === 0) {
    const windowSinceMs = performance.now();
    await pause(windowMs);
    const windowSeconds = (performance.now() - windowSinceMs) / 1000;
    windows.push(
      await lookAt(load, (performance.now() - sinceMs) / 1000, windowSeconds, writesMs.splice(0), reads.take()),
    );
    if (windows.length % 10 === 5) await reshaper.reshape();
    if (windows.length % 5 === 0) onProgress(progressOf(windows));
    if (performance.now() - roundSinceMs < roundMs) continue;
    await load.settle();
    await load.replaceHosts();
    load.start();
    writesMs.length = 0;
    roundSinceMs = performance.now();
  }
  await reads.stop();
  await load.settle();
  await load.stop();
  const length = minutes === undefined ? 'some seconds' : `${minutes} minutes`;
  if (report !== undefined) await writeReport(report, windows, `${length}, seed ${seed}`);
  const problems = [...load.problems, ...memoryProblems(windows)];
  const { splits, merges } = reshaper;
  const total = { windows: windows.length, acknowledged: load.judge.acknowledged, reads: reads.count, splits, merges };
  return { problems, figures: { ...total, lastByFirst: trendsOf(windows), last: windows.at(-1) } };
}

export function memoryProblems(windows: readonly Window[]): string[] {
  const trend = trendOf(windows, ({ anonymousMiB }) => anonymousMiB);
  const most = Math.max(0, ...windows.map(({ anonymousMiB }) => anonymousMiB));
  const grownMiB = most - most / trend;
  if (trend <= memoryTrendMax || grownMiB <= memorySwingMiB) return [];
  return [`memory is not flat: the last third has ${trend.toFixed(2)} times what the first had`];
}

/** Clients that read what others write. */
class PointReads {
  readonly #load: Load;
  readonly #random: SeededRandom;
  #durationsMs: number[] = [];
  #running: Promise<unknown> = Promise.resolve();
  #isOver = false;
  count = 0;

  constructor(load: Load, random: SeededRandom) {
    this.#load = load;
    this.#random = random;
  }

  start(): void {
    this.#running = Promise.all([this.#run(), this.#run()]);
    this.#running.catch(() => {});
  }

  take(): number[] {
    const taken = this.#durationsMs;
    this.#durationsMs = [];
    return taken;
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    const { container, judge, problems } = this.#load;
    while (!this.#isOver) {
      const { key, id } = this.#random.pick([...judge.documents()]);
      const sinceMs = performance.now();
      const { statusCode } = await container.item(id, key).read();
      if (statusCode !== 200 && statusCode !== 404) problems.push(`a read was answered with ${statusCode}`);
      this.#durationsMs.push(performance.now() - sinceMs);
      this.count += 1;
    }
  }
}

async function lookAt(
  { setting }: Load,
  atSeconds: number,
  windowSeconds: number,
  writesMs: readonly number[],
  readsMs: readonly number[],
): Promise<Window> {
  const metrics = await readMetrics(setting.url);
  const mebibytes = (bytes: number): number => bytes / 2 ** 20;
  return {
    atSeconds,
    writesPerSecond: writesMs.length / windowSeconds,
    readsPerSecond: readsMs.length / windowSeconds,
    writeMs: percentilesOf(writesMs),
    readMs: percentilesOf(readsMs),
    anonymousMiB: mebibytes(anonymousBytesOf(setting.server.child.pid)),
    heapMiB: mebibytes(metrics.get('tidemark_memory_bytes{kind="heap"}') ?? 0),
    loopDelayMs: 1000 * (metrics.get('tidemark_event_loop_delay_seconds{quantile="0.99"}') ?? 0),
  };
}

function progressOf(windows: readonly Window[]): string {
  const { atSeconds = 0, writesPerSecond = 0, writeMs, anonymousMiB = 0, loopDelayMs = 0 } = windows.at(-1) ?? {};
  const writes = `${Math.round(writesPerSecond)} writes/s, median ${writeMs?.p50.toFixed(1)} ms, p99 ${writeMs?.p99.toFixed(1)} ms`;
  return `${Math.round(atSeconds)} s: ${writes}, ${Math.round(anonymousMiB)} MiB, timers ${loopDelayMs.toFixed(1)} ms late`;
}
