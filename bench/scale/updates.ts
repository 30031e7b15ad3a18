// Updates of documents all over the database: what the log takes with compaction running, and what compaction takes of the
// writes. Stretches without it and with it take turns, so that both rates are of the same minute; what the former leave to
// do, the latter do.

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Drive } from '../common/drive.ts';
import { drive, perSecond } from '../common/drive.ts';
import { fileBytesIn } from '../common/folder-bytes.ts';
import type { Chance } from '../engine/chance.ts';
import type { Subject } from '../engine/subject.ts';
import type { Task, UpdatesMeasured, UpdateWindow } from './messages.ts';
import { allowedBytes } from './space.ts';

const writers = 64;
const sampleMs = 250;
/** As the engine's own maintenance waits between its rounds. */
const roundMs = 500;
/** Of the chart. */
const samplesMax = 200;

export async function measureUpdates(
  subject: Subject,
  chance: Chance,
  task: Task,
  /** Told what is known so far, again and again: whoever has no more time has that. */
  tell: (updated: UpdatesMeasured) => void,
): Promise<void> {
  const segments = join(task.folder, 'segments');
  const windows: UpdateWindow[] = [];
  const samples: UpdatesMeasured['samples'][number][] = [];
  let updates = 0;
  const bytesBefore = fileBytesIn(segments);
  const writtenBefore = subject.database.figures.groupBytes;
  const sample = (): void => {
    const live = subject.container.ranges.reduce((sum, range) => sum + range.sizeBytes, 0);
    samples.push({ updates, bytes: fileBytesIn(segments), allowedBytes: allowedBytes(live) });
  };
  const timer = setInterval(sample, sampleMs);
  const update = async (): Promise<void> => {
    await subject.update(chance);
    updates += 1;
  };
  const write = (turnMs: number): Promise<Drive> => drive({ writers, turnMs, settle: subject.settle }, update);
  await write(task.aloneMs);
  while (updates < task.updates) {
    windows.push(windowOf(await write(task.aloneMs), false, 0));
    const compaction = new Compaction(subject);
    const driven = await write(task.compactingMs);
    windows.push(windowOf(driven, true, await compaction.stop()));
    sample();
    const worst = samples.reduce((a, b) => (a.bytes / a.allowedBytes > b.bytes / b.allowedBytes ? a : b));
    const every = Math.ceil(samples.length / samplesMax);
    tell({
      updates,
      windows,
      worstBytes: worst.bytes,
      allowedBytes: worst.allowedBytes,
      uncompactedBytes: bytesBefore + subject.database.figures.groupBytes - writtenBefore,
      samples: samples.filter((_, i) => i % every === 0 || i === samples.length - 1),
    });
  }
  clearInterval(timer);
}

function windowOf(driven: Drive, isCompacting: boolean, compactionShare: number): UpdateWindow {
  return { isCompacting, compactionShare, perSecond: perSecond(driven), p99Ms: driven.latencyMs.p99 };
}

/** As the engine does it by itself: one after the other while there is something to gain, then a pause. */
class Compaction {
  readonly #stop = new AbortController();
  readonly #startedMs: number = performance.now();
  readonly #running: Promise<void>;
  #busyMs = 0;

  constructor(subject: Subject) {
    this.#running = this.#run(subject);
  }

  /** Resolves with the share of the time in which there was something to do. */
  async stop(): Promise<number> {
    this.#stop.abort();
    const elapsedMs = performance.now() - this.#startedMs;
    await this.#running;
    return Math.min(1, this.#busyMs / elapsedMs);
  }

  async #run({ database }: Subject): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const beganMs = performance.now();
      if (await database.engine.compact({ isLazy: true })) this.#busyMs += performance.now() - beganMs;
      else await sleep(roundMs, undefined, { signal: this.#stop.signal }).catch(() => {}); // Or until it is stopped.
    }
  }
}
