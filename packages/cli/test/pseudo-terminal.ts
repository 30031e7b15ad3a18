// The command line in a terminal of its own, which util-linux' `script` makes.

import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { commandLine } from '@tidemark/testing';
import { afterAll } from 'vitest';

/** Of other systems, `script` is another program. */
export const hasTerminals: boolean =
  spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') === true;

const children = new Set<ChildProcess>();
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

export interface PseudoTerminal {
  type(keys: string): void;
  /** Resolves once the text has been shown, after whatever was waited for before; rejects when it ends without. */
  shows(text: string): Promise<void>;
  /** Everything so far. */
  readonly text: () => string;
  readonly exitCode: Promise<number | null>;
}

export function openTerminal(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  columns: number = 80,
): PseudoTerminal {
  const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:TIDEMARK|npm)_/.test(name)));
  const command = [process.execPath, commandLine, ...args]
    .map((word) => `'${word.replaceAll("'", `'\\''`)}'`)
    .join(' ');
  const child = spawn('script', ['-qec', `stty cols ${columns}; exec ${command}`, '/dev/null'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...clean, ...env, TERM: 'xterm' },
  });
  children.add(child);
  let text = '';
  let seen = 0;
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  const closed = once(child, 'close').then(([code]) => {
    children.delete(child);
    return code as number | null;
  });
  const shows = async (wanted: string): Promise<void> => {
    for (;;) {
      const at = text.indexOf(wanted, seen);
      if (at !== -1) {
        seen = at + wanted.length;
        return;
      }
      const isOver = await Promise.race([once(child.stdout, 'data').then(() => false), closed.then(() => true)]);
      if (isOver && !text.includes(wanted)) throw new Error(`it ended without ${JSON.stringify(wanted)}: ${text}`);
    }
  };
  return { type: (keys) => void child.stdin.write(keys), shows, text: () => text, exitCode: closed };
}
