// Keys that are typed, without a terminal: what a terminal sends goes into a stream.

import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { History } from './history.ts';
import { noHistory } from './history.ts';
import { runPrompt } from './prompt.ts';

interface Sitting {
  readonly ended: Promise<void>;
  /** What was run, with a `\` before what is a command. */
  readonly done: string[];
  readonly shown: () => string;
  type(keys: string): void;
  /** Resolves once so many queries and commands were begun. */
  begun(count: number): Promise<void>;
}

interface SittingOptions {
  readonly isTerminal?: boolean;
  readonly history?: History;
  run?(text: string, signal: AbortSignal): Promise<void>;
}

function sitDown({ isTerminal = true, history = noHistory, run = async () => {} }: SittingOptions = {}): Sitting {
  const input = new PassThrough();
  const output = new PassThrough();
  const done: string[] = [];
  let text = '';
  let look = (): void => {};
  output.on('data', (piece) => {
    text += piece;
  });
  const note = (what: string): void => {
    done.push(what);
    look();
  };
  const ended = runPrompt({
    input,
    output,
    isTerminal,
    history,
    place: () => 'shop/orders',
    run(query, signal) {
      note(query);
      return run(query, signal);
    },
    async command(name, argument) {
      note(`\\${name} ${argument}`);
      return name !== 'q';
    },
  });
  const begun = (count: number): Promise<void> =>
    new Promise((resolve) => {
      look = () => {
        if (done.length >= count) resolve();
      };
      look();
    });
  return { ended, done, shown: () => text, type: (keys) => void input.write(keys), begun };
}

const ctrlC = '\u0003';
const ctrlD = '\u0004';
const up = '\u001b[A';

test('a query goes over lines up to its semicolon; several on a line are run one after the other', async () => {
  const { ended, done, shown, type } = sitDown();

  type(`SELECT *\nFROM c -- all;\nWHERE c.x = ';';\nSELECT 1; SELECT 2;\n${ctrlD}`);
  await ended;

  expect(done).toEqual(["SELECT *\nFROM c -- all;\nWHERE c.x = ';'", 'SELECT 1', 'SELECT 2']);
  expect(shown()).toContain('shop/orders> ');
  expect(shown().endsWith('\n')).toBe(true);
});

test('the prompt of a query that has begun is another one', async () => {
  const { ended, shown, type } = sitDown({ isTerminal: false });

  type('SELECT *\n');
  await new Promise(setImmediate);
  type('FROM c;\n\\q\n');
  await ended;

  expect(shown()).toContain('shop/orders>         ...> ');
});

test('a line that begins with a backslash is a command, also where a query has begun, which goes on behind it', async () => {
  const kept: string[] = [];
  const history = { entries: [], entriesMax: 100, add: (entry: string) => void kept.push(entry) };
  const { ended, done, type } = sitDown({ history });

  type('\\use shop/orders ;\nSELECT\n\\param n=1;\n1;\nSELECT 2\n\\q;\nSELECT never;\n');
  await ended;

  expect(done).toEqual(['\\use shop/orders', '\\param n=1', 'SELECT\n1', '\\q ']);
  expect(kept.slice(0, 4)).toEqual(['\\use shop/orders ;', '\\param n=1;', 'SELECT 1;', '\\q;']);
});

test.each(['exit', 'QUIT;', ' help ; '])(
  '%s alone is understood, and is a word where a query has begun',
  async (word) => {
    const { ended, done, type } = sitDown();
    const name = word.replace(';', '').trim();

    type(`${word}\nSELECT\n${name};\n\\q\n`);
    await ended;

    expect(done).toEqual([`\\${name.toLowerCase()} `, `SELECT\n${name}`, '\\q ']);
  },
);

test('Ctrl-C forgets what was typed, in this line and in those before', async () => {
  const { ended, done, type } = sitDown();

  type(`SELECT 1\nFROM${ctrlC}SELECT 2;\n${ctrlD}`);
  await ended;

  expect(done).toEqual(['SELECT 2']);
});

test('Ctrl-C stops the query that runs and what waits behind it, and the prompt comes back', async () => {
  const untilStopped = (text: string, signal: AbortSignal): Promise<void> =>
    text === 'SELECT long'
      ? new Promise((resolve) => signal.addEventListener('abort', () => resolve()))
      : Promise.resolve();
  const { ended, done, type, begun } = sitDown({ run: untilStopped });

  type('SELECT long;\nSELECT waiting;\n');
  await begun(1);
  type(ctrlC);
  type(`SELECT next;\n${ctrlD}`);
  await ended;

  expect(done).toEqual(['SELECT long', 'SELECT next']);
});

test('a query that runs when the input ends comes to its end, and so do those behind it', async () => {
  const { ended, done, type } = sitDown({ run: () => new Promise(setImmediate) });

  type(`SELECT 1;\nSELECT 2;\n${ctrlD}`);
  await ended;

  expect(done).toEqual(['SELECT 1', 'SELECT 2']);
});

test('the arrow keys bring back what was typed now and before, a query over several lines as one', async () => {
  const kept: string[] = [];
  const history = { entries: ['SELECT before;'], entriesMax: 100, add: (entry: string) => void kept.push(entry) };
  const { ended, done, type } = sitDown({ history });

  type(`SELECT *\nFROM c;\n${up}\n${up}${up}\n${ctrlD}`);
  await ended;

  expect(done).toEqual(['SELECT *\nFROM c', 'SELECT * FROM c', 'SELECT before']);
  expect(kept.slice(0, 2)).toEqual(['SELECT * FROM c;', 'SELECT * FROM c;']);
});
