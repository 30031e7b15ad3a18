// Runs the jobs of the engine, one after the other, again and again. A job that fails is tried again in the next round;
// damage that it found shows in the engine's health.

import type { Clock } from '../environment.ts';
import { splitBytes } from '../limits.ts';
import type { EmbeddedEngine } from './engine.ts';
import { growByOne } from './growth.ts';

const roundMs = 500;

export async function runMaintenance(engine: EmbeddedEngine, clock: Clock, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(roundMs, signal);
    await maintainOnce(engine, signal);
  }
}

/** One round: everything that is due now, as far as the signal lets it. A job that fails does not keep the others back. */
export async function maintainOnce(engine: EmbeddedEngine, signal?: AbortSignal): Promise<void> {
  const isStopped = () => signal?.aborted === true || engine.health.status === 'read-only';
  const attempt = async (job: () => Promise<unknown>): Promise<void> => {
    try {
      if (!isStopped()) await job();
    } catch (error) {
      engine.noteJobFailure(error);
    }
  };
  const repeat = (step: () => Promise<number | boolean>) =>
    attempt(async () => {
      while (!isStopped() && Number(await step()) > 0);
    });
  await attempt(() => engine.state.segments.giveBackSpares());
  // Whoever looks at the health must not be told of a full disk only because nobody has written since.
  engine.state.segments.retrySpare();
  await attempt(() => engine.lookForLog());
  await repeat(() => engine.purge());
  for (const { number } of engine.state.catalog.containers()) {
    const isThere = () => engine.state.findContainer(number) !== undefined;
    await repeat(async () => (isThere() ? engine.sweep(number) : 0));
    await attempt(async () => {
      if (isThere() && isTrimDue(engine, number)) await engine.trim(number);
    });
    await repeat(() => growByOne(engine, number));
    await attempt(async () => {
      const large = isThere() ? engine.ranges(number).filter((range) => range.sizeBytes > splitBytes) : [];
      for (const range of large) await engine.split(number, range.id);
    });
  }
  await repeat(() => engine.erase());
  await repeat(() => engine.compact({ isLazy: true }));
}

/** Each trim is a record in the log: history is kept a twentieth longer than asked for, rather than trimmed every second. */
function isTrimDue(engine: EmbeddedEngine, container: number): boolean {
  const { historyMs, floorSecond } = engine.state.container(container).entry;
  const floorMs = engine.state.environment.clock.nowMs() - historyMs;
  return historyMs > 0 && floorMs - floorSecond * 1000 >= Math.max(1_000, historyMs / 20);
}
