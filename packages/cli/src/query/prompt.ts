// `tidemark query` at a terminal without a query: one is typed, over as many lines as it takes, and a semicolon sends it.
//
// A line that begins with a backslash is a command, also in the midst of a query. One thing is under way at a time; lines that come meanwhile wait. Ctrl-C stops what is under way, or forgets what was typed; Ctrl-D ends.

import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { History } from './history.ts';
import { rememberIn } from './history.ts';
import { saysSomething, splitStatements } from './statements.ts';

export interface PromptOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** Lines can be edited and come back; a test may have no terminal. */
  readonly isTerminal: boolean;
  readonly history: History;
  /** What stands before a line: where one is. */
  place(): string;
  /** A whole query, without its semicolon. Ends early when the signal aborts; tells by itself what goes wrong. */
  run(text: string, signal: AbortSignal): Promise<void>;
  /** `\use shop/orders`: `command` is `use`. False ends the prompt. */
  command(command: string, argument: string, signal: AbortSignal): Promise<boolean>;
}

/** Until \q, Ctrl-D or the end of the input. */
export async function runPrompt(options: PromptOptions): Promise<void> {
  const { input, output, isTerminal, history } = options;
  const reader = createInterface({
    input,
    output,
    terminal: isTerminal,
    history: [...history.entries],
    historySize: history.entriesMax,
    removeHistoryDuplicates: true,
  });
  const entry = new Entry();
  let underWay: AbortController | undefined;
  let isOver = false;
  let wake = (): void => {};
  const show = (): void => {
    const place = options.place();
    reader.setPrompt(entry.isBegun ? `${'...'.padStart(place.length)}> ` : `${place}> `);
    reader.prompt();
  };

  reader.on('history', (entries) => rememberIn(entries, entry.typed, history));
  reader.on('line', (line) => {
    entry.take(line);
    wake();
  });
  reader.on('close', () => {
    // What is under way comes to its end: Ctrl-D may have been typed ahead.
    isOver = true;
    wake();
  });
  reader.on('SIGINT', () => {
    // Also what waits behind it: it was pasted with it.
    entry.forget();
    if (underWay !== undefined) return underWay.abort();
    output.write('^C\n');
    // To the end of the line, and all before it is gone.
    if (isTerminal) for (const name of ['e', 'u']) reader.write(null, { ctrl: true, name });
    show();
  });

  for (;;) {
    const job = entry.next();
    if (job !== undefined) {
      underWay = new AbortController();
      const goesOn = await workOn(job, options, underWay.signal);
      underWay = undefined;
      if (!goesOn) break;
    } else if (isOver) {
      // Whatever comes next begins on a line of its own.
      output.write('\n');
      break;
    } else {
      show();
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
  reader.close();
}

type Job = { readonly text: string } | { readonly command: string; readonly argument: string };

async function workOn(job: Job, options: PromptOptions, signal: AbortSignal): Promise<boolean> {
  if ('command' in job) return options.command(job.command, job.argument, signal);
  await options.run(job.text, signal);
  return true;
}

/** Lines, as they come, on their way to become queries and commands. */
class Entry {
  readonly #jobs: Job[] = [];
  #typed = '';

  /** What has no semicolon yet. */
  get typed(): string {
    return this.#typed;
  }

  get isBegun(): boolean {
    return this.#typed !== '';
  }

  take(line: string): void {
    // No line of a query begins with a backslash: whoever has forgotten a semicolon can get out.
    const [command, name = '', argument = ''] = /^\s*\\(\S*?)(?:\s+(.*?))?\s*;?\s*$/.exec(line) ?? [];
    if (command !== undefined) {
      this.#jobs.push({ command: name, argument });
      return;
    }
    const [, word] = /^\s*(exit|quit|help)\s*;?\s*$/i.exec(line) ?? [];
    if (word !== undefined && !this.isBegun) {
      this.#jobs.push({ command: word.toLowerCase(), argument: '' });
      return;
    }
    const { statements, rest } = splitStatements(`${this.#typed}${line}\n`);
    for (const text of statements) this.#jobs.push({ text: text.trim() });
    this.#typed = saysSomething(rest) ? rest : '';
  }

  next(): Job | undefined {
    return this.#jobs.shift();
  }

  forget(): void {
    this.#jobs.length = 0;
    this.#typed = '';
  }
}
