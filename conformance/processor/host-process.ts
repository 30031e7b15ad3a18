// A host in a process of its own, and everything that it has said.

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { programOf } from '@tidemark/testing';
import type { HostCommand, HostConfig, HostWord } from './host-protocol.ts';

const main = programOf(new URL('./host-main.ts', import.meta.url));

/** Less than a test may take, so that it tells what it waited for. */
export const waitMsMax = 150_000;

export type WordOf<Type extends HostWord['type']> = Extract<HostWord, { readonly type: Type }>;

export class HostProcess {
  readonly instance: string;
  readonly words: HostWord[] = [];
  /** Ids of what was in batches whose handler came to its end. */
  readonly handledIds: Set<string> = new Set();
  readonly #batches = new Map<number, WordOf<'batch'>>();
  readonly #child: ChildProcess;
  readonly #listeners = new Set<() => void>();
  #errors = '';
  /** Why no more words will come. */
  #end: string | undefined;

  constructor(config: HostConfig, onWord: () => void, onHandled: (batch: WordOf<'batch'>) => void = () => {}) {
    this.instance = config.instance;
    const args = [main, JSON.stringify(config)];
    this.#child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.#errors += chunk.toString();
    });
    this.#listeners.add(onWord);
    this.#child.on('message', (message) => {
      const word = message as HostWord;
      this.words.push(word);
      if (word.type === 'batch') this.#batches.set(word.call, word);
      const batch = word.type === 'handled' ? this.#batches.get(word.call) : undefined;
      if (batch !== undefined) {
        this.#batches.delete(batch.call);
        for (const { id } of batch.items) this.handledIds.add(id);
        onHandled(batch);
      }
      this.#tell();
    });
    // The channel is read to its end before 'close'; 'exit' may come earlier.
    this.#child.on('close', (code, signal) => {
      this.#end = `ended with ${signal ?? code}: ${this.#errors}`;
      this.#tell();
    });
  }

  get errors(): string {
    return this.#errors;
  }

  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  of<Type extends HostWord['type']>(type: Type): WordOf<Type>[] {
    return this.words.filter((word): word is WordOf<Type> => word.type === type);
  }

  /** Batches whose handler has come to its end. */
  handled(): WordOf<'batch'>[] {
    const calls = new Set(this.of('handled').map(({ call }) => call));
    return this.of('batch').filter(({ call }) => calls.has(call));
  }

  /** Leases that are open now. */
  get open(): string[] {
    const open = new Set<string>();
    for (const word of this.words) {
      if (word.type === 'opened') open.add(word.lease);
      if (word.type === 'closed') open.delete(word.lease);
    }
    return [...open];
  }

  /** A host that could not start lives on and does nothing. */
  get #failure(): string | undefined {
    const [failed] = this.of('failed');
    return failed && `could not start: ${failed.code} ${failed.text}`;
  }

  /** Resolves when it holds; rejects when the process ended, could not start, or has been waited for too long, and it never will. */
  until(what: string, holds: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer);
        this.#listeners.delete(look);
      };
      const look = (): void => {
        const isOver = holds();
        const why = this.#end ?? this.#failure;
        if (!isOver && why === undefined) return;
        stop();
        if (isOver) resolve();
        else reject(new Error(`${this.instance} never had: ${what}; it ${why}`));
      };
      const timer = setTimeout(() => {
        stop();
        reject(new Error(`${this.instance} has not had: ${what}\n${this.describe()}`));
      }, waitMsMax);
      this.#listeners.add(look);
      look();
    });
  }

  /** Its last words, for whoever has waited for others in vain. */
  describe(): string {
    const words = this.words.slice(-12).map((word) => JSON.stringify(word).slice(0, 300));
    return [`${this.instance} ${this.#end ?? 'is alive'}, ${this.words.length} words`, ...words, this.#errors].join(
      '\n',
    );
  }

  async untilWord<Type extends HostWord['type']>(
    type: Type,
    fits: (word: WordOf<Type>) => boolean = () => true,
  ): Promise<WordOf<Type>> {
    await this.until(type, () => this.of(type).some(fits));
    return this.of(type).find(fits) as WordOf<Type>;
  }

  tell(command: HostCommand['command']): void {
    this.#child.send({ command } satisfies HostCommand);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** And waits until all of its words are here. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    if (this.#end !== undefined) return this.#child.exitCode;
    const closed = once(this.#child, 'close');
    this.#child.kill(signal);
    const [code] = (await closed) as [number | null];
    return code;
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
