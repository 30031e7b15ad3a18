// One run over one folder: process after process, each killed.

import { join } from 'node:path';
import { showProgress } from '../common/progress.ts';
import type { Task, UpdatesMeasured } from './messages.ts';
import type { ScaleOptions } from './options.ts';
import type { Life } from './process.ts';
import { liveAndDie } from './process.ts';
import type { Step } from './step.ts';
import { stepLine } from './table.ts';

const stepsMax = 10;

export class ScaleRun {
  readonly steps: Step[] = [];
  readonly folder: string;
  /** Acknowledged, and not there after a kill. */
  lost = 0;
  readonly #options: ScaleOptions;
  readonly #signal: AbortSignal;
  #acknowledgedTail = 0;

  /** When the signal aborts, what has been measured until then is the result. */
  constructor(options: ScaleOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
    this.folder = join(options.folder, 'data');
  }

  async load(): Promise<void> {
    const { documents, kills } = this.#options;
    let count = 0;
    for (let step = 1; step <= stepsMax; step += 1) {
      const target = Math.max(count, Math.floor((documents * step) / stepsMax));
      const life = await this.#live({ role: 'step', count, target });
      const { measured } = life;
      if (measured === undefined) return;
      count = measured.count;
      const opens: { openMs: number; processorMs: number }[] = [];
      for (let kill = 0; kill < kills; kill += 1) {
        const restart = await this.#live({ role: 'restart', count, target: count });
        if (this.#signal.aborted) return;
        opens.push({ openMs: restart.openMs, processorMs: restart.openProcessorMs });
      }
      const done: Step = { ...measured, opens };
      this.steps.push(done);
      showProgress('');
      console.error(stepLine(done));
    }
  }

  async update(): Promise<UpdatesMeasured | undefined> {
    const count = this.steps.at(-1)?.count ?? 0;
    const life = await this.#live({ role: 'updates', count, target: count });
    return life.updated;
  }

  async #live(of: Pick<Task, 'role' | 'count' | 'target'>): Promise<Life> {
    const { documentBytes, rounds, operations, updates, aloneMs, compactingMs, killAfterMs, documents } = this.#options;
    const smallFolder = join(this.#options.folder, 'small');
    const fixed = {
      folder: this.folder,
      smallFolder,
      documentBytes,
      rounds,
      operations,
      updates,
      aloneMs,
      compactingMs,
    };
    const life = await liveAndDie(
      { ...fixed, ...of },
      {
        killAfterMs,
        signal: this.#signal,
        onProgress: (text) =>
          showProgress(`step ${this.steps.length} of ${stepsMax} done, ${documents} in all: ${text}`),
      },
    );
    this.lost += Math.max(0, this.#acknowledgedTail - life.tailAtOpen);
    this.#acknowledgedTail = life.acknowledgedTail;
    return life;
  }
}
