// The process of a load, as the bench sees it.

import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Answer, Ask, LoadConfig } from './load-protocol.ts';
import type { Turn, TurnOptions } from './measure/turn.ts';
import type { WorkId } from './works.ts';

const main = fileURLToPath(new URL('./load-child.js', import.meta.url));
/** Far more than it takes: a contestant that hangs must not hold up the others. */
const turnMsMax = 60_000;
const fillMsMax = 240_000;

export class LoadProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  /** Why nothing can be asked any more. */
  #gone: string | undefined;

  constructor(config: LoadConfig, prefix: readonly string[]) {
    const [execPath = process.execPath, ...execArgv] = [...prefix, process.execPath];
    const options = { execPath, execArgv, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] as const };
    this.#child = fork(main, [JSON.stringify(config)], { ...options, stdio: [...options.stdio] });
  }

  async fill(): Promise<void> {
    await this.#ask({ kind: 'fill' }, fillMsMax);
  }

  async turn(work: WorkId, options: TurnOptions): Promise<Turn> {
    const answer = await this.#ask({ kind: 'turn', work, options }, turnMsMax);
    if (answer.kind !== 'turn') throw new Error(`The load answered with ${answer.kind}.`);
    return answer.turn;
  }

  async #ask(ask: Ask, answerMsMax: number): Promise<Answer> {
    if (this.#gone !== undefined) throw new Error(this.#gone);
    const over = new AbortController();
    const { signal } = over;
    const late = setTimeout(() => over.abort(), answerMsMax);
    try {
      const ended = once(this.#child, 'exit', { signal }).then(() => {
        this.#gone ??= 'the process of its load ended';
        throw new Error(this.#gone);
      });
      const answered = once(this.#child, 'message', { signal }) as Promise<[Answer]>;
      this.#child.send(ask);
      const [answer] = await Promise.race([answered, ended]);
      if (answer.kind === 'failed') throw new Error(answer.message);
      return answer;
    } catch (error) {
      if (signal.aborted) {
        // It may be busy for ever, and would answer late what nobody asks any more.
        this.#gone = `it was given up: no answer within ${answerMsMax} ms`;
        this.#child.kill('SIGKILL');
        throw new Error(this.#gone);
      }
      throw error;
    } finally {
      clearTimeout(late);
      over.abort();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    if (this.#child.connected) this.#child.disconnect();
    const late = setTimeout(() => this.#child.kill('SIGKILL'), 10_000);
    await ended;
    clearTimeout(late);
  }
}
