// Runs the jobs of the engine, one after the other, again and again. A job that fails is tried again in the next round; what
// it found is in the engine's health.

import type { Clock } from '../environment.ts';
import { splitBytes } from '../limits.ts';
import type { EmbeddedEngine } from './engine.ts';

const roundMs = 500;

export async function runMaintenance(engine: EmbeddedEngine, clock: Clock, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(roundMs, signal);
    if (signal.aborted) return;
    try {
      await maintainOnce(engine, signal);
    } catch (error) {
      engine.noteJobFailure(error);
    }
  }
}

/** One round: everything that is due now, as far as the signal lets it. */
export async function maintainOnce(engine: EmbeddedEngine, signal?: AbortSignal): Promise<void> {
  if (engine.health.status === 'read-only') return;
  while ((await engine.purge()) > 0 && signal?.aborted !== true);
  for (const { number } of engine.state.catalog.containers()) {
    while (engine.state.findContainer(number) !== undefined && (await engine.sweep(number)) > 0) {
      if (signal?.aborted === true) return;
    }
    if (engine.state.findContainer(number) === undefined) continue;
    await engine.trim(number);
    for (const range of engine.ranges(number)) {
      if (range.sizeBytes > splitBytes) await engine.split(number, range.id);
    }
  }
  while (signal?.aborted !== true && (await engine.compact()));
}
