// A process that is told something and answers, one thing after the other; its first answer is that it is ready.

import type { ChildProcess, Serializable } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';

export class ChildWithAnswers {
  readonly #child: ChildProcess;
  /** Rejects when it ends before it should. */
  readonly #ended: Promise<never>;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = once(child, 'exit').then(([code]) => {
      throw new Error(`A process of the benchmark has ended with ${code}.`);
    });
    // Whoever waits for an answer is told; at the end nobody does.
    this.#ended.catch(() => {});
  }

  static async start(module: URL, args: readonly string[]): Promise<ChildWithAnswers> {
    const child = new ChildWithAnswers(fork(module, args));
    await child.#answer();
    return child;
  }

  async ask(question: object): Promise<unknown> {
    const answer = this.#answer();
    this.#child.send(question as Serializable);
    return answer;
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
