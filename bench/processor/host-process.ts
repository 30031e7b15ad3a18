// A host in a process of its own, as its parent sees it.

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { ChildConfig } from './host-child.ts';

const main = fileURLToPath(new URL('./host-child.js', import.meta.url));

export class HostProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #waiting = new Set<() => void>();
  /** Ranges opened so far. */
  opened = 0;

  constructor(config: ChildConfig) {
    this.#child = spawn(process.execPath, [main, JSON.stringify(config)], { stdio: ['pipe', 'pipe', 'inherit'] });
    createInterface({ input: this.#child.stdout as NodeJS.ReadableStream }).on('line', () => {
      this.opened += 1;
      for (const look of [...this.#waiting]) look();
    });
  }

  untilOpened(ranges: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        if (this.opened < ranges) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      this.#child.once('exit', () => reject(new Error('The host ended.')));
      look();
    });
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.kill();
    await ended;
  }
}
