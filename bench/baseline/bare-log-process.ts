// A bare log in a process of its own. In that of the product it had a heap that was not its own: in some turns full garbage
// collections came every 40 ms and in others not at all, and its rate was 400 or 600 thousand documents a second by chance.

import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Drive } from '../common/drive.ts';
import type { BareTurn } from './bare-log-child.ts';

export class BareLogProcess {
  readonly #child: ChildProcess;
  /** Rejects when it ends before it should. */
  readonly #ended: Promise<never>;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = once(child, 'exit').then(([code]) => {
      throw new Error(`The process of the bare log has ended with ${code}.`);
    });
    // Whoever waits for an answer is told; at the end nobody does.
    this.#ended.catch(() => {});
  }

  /** Ready for its first turn when this resolves. */
  static async start(path: string, { isOneTrip }: { readonly isOneTrip: boolean }): Promise<BareLogProcess> {
    const log = new BareLogProcess(
      fork(new URL('./bare-log-child.js', import.meta.url), isOneTrip ? [path, 'one-trip'] : [path]),
    );
    await log.#answer();
    return log;
  }

  async turn(documents: number, options: BareTurn['options']): Promise<Drive> {
    const answer = this.#answer();
    this.#child.send({ documents, options } satisfies BareTurn);
    return (await answer) as Drive; // The child sends nothing else.
  }

  async close(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.disconnect();
    await ended;
  }

  async #answer(): Promise<unknown> {
    const [message] = await Promise.race([once(this.#child, 'message'), this.#ended]);
    return message;
  }
}
