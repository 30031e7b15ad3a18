// For tests of threads: whoever begins one is seen, and may be given a spoiled one or none.

import { syncBuiltinESMExports } from 'node:module';
import type { Worker } from 'node:worker_threads';
import threads from 'node:worker_threads';
import { vi } from 'vitest';

const RealWorker = threads.Worker;

export class Threads {
  started: Worker[] = [];

  /** Each thread is one for the process; modules that are imported from now on have none yet. */
  begin(): void {
    vi.resetModules();
    this.started = [];
  }

  async end(): Promise<void> {
    use(RealWorker);
    for (const worker of this.started) await worker.terminate();
  }

  /** Every thread that is begun from now on is noted, and may be spoiled. */
  watch(spoil: (worker: Worker) => void = () => {}): void {
    const { started } = this;
    use(
      class extends RealWorker {
        constructor(...args: ConstructorParameters<typeof RealWorker>) {
          super(...args);
          started.push(this);
          spoil(this);
        }
      },
    );
  }

  refuse(): void {
    use(
      class {
        constructor() {
          throw Object.assign(new Error('no threads here'), { code: 'ERR_ACCESS_DENIED' });
        }
      },
    );
  }
}

function use(made: unknown): void {
  Object.assign(threads, { Worker: made });
  syncBuiltinESMExports();
}
