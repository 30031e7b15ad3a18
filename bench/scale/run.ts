// One run over one folder: process after process, each killed.

import { join } from 'node:path';
import { showProgress } from '../common/progress.ts';
import type { Measured, Task, UpdatesMeasured } from './messages.ts';
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
  #acknowledgedTail = 0;

  constructor(options: ScaleOptions) {
    this.#options = options;
    this.folder = join(options.folder, 'data');
  }

  async load(): Promise<void> {
    const { documents, kills } = this.#options;
    let count = 0;
    for (let step = 1; step <= stepsMax; step += 1) {
      const target = Math.max(count, Math.floor((documents * step) / stepsMax));
      const life = await this.#live({ role: 'step', count, target });
      const measured = life.measured as Measured; // A step that was not measured has ended by itself, which throws.
      count = measured.count;
      const opens: { openMs: number; processorMs: number }[] = [];
      for (let kill = 0; kill < kills; kill += 1) {
        const restart = await this.#live({ role: 'restart', count, target: count });
        opens.push({ openMs: restart.openMs, processorMs: restart.openProcessorMs });
      }
      const done: Step = { ...measured, opens };
      this.steps.push(done);
      showProgress('');
      console.error(stepLine(done));
    }
  }

  async update(): Promise<UpdatesMeasured> {
    const count = this.steps.at(-1)?.count ?? 0;
    const life = await this.#live({ role: 'updates', count, target: count });
    return life.updated as UpdatesMeasured; // As above.
  }

  async #live(of: Pick<Task, 'role' | 'count' | 'target'>): Promise<Life> {
    const { documentBytes, rounds, operations, updates, aloneMs, compactingMs, killAfterMs, documents } = this.#options;
    const referencePath = join(this.#options.folder, 'reference');
    const fixed = {
      folder: this.folder,
      referencePath,
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
        onProgress: (text) =>
          showProgress(`${of.role} ${this.steps.length + 1} of ${stepsMax}, ${documents} in all: ${text}`),
      },
    );
    this.lost += Math.max(0, this.#acknowledgedTail - life.tailAtOpen);
    this.#acknowledgedTail = life.acknowledgedTail;
    return life;
  }
}
