// The server in a process of its own, as its users start it, to be told to stop or killed.

import type { ChildProcessByStdio } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { commandLine } from '@tidemark/testing';

export interface Running {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  readonly ready: { readonly url: string; readonly port: number; readonly pid: number };
  /** Everything written for people so far. */
  words(): string;
}

export interface LaunchOptions {
  /** For Node itself. */
  readonly nodeArgs?: readonly string[];
  /** Instead of the command as it is installed. */
  readonly command?: string;
  /** What starts Node instead of this process: `['sh', '-c', 'ulimit -n 64; exec "$@"', 'sh']`. */
  readonly through?: readonly string[];
}

export function launch(
  args: readonly string[],
  { command = commandLine, nodeArgs = [], through = [] }: LaunchOptions = {},
): ChildProcessByStdio<null, Readable, Readable> {
  const [first = process.execPath, ...rest] = [...through, process.execPath, ...nodeArgs, command, ...args];
  return spawn(first, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
}

export async function start(args: readonly string[], options: LaunchOptions = {}): Promise<Running> {
  const child = launch(args, options);
  let words = '';
  child.stderr.on('data', (chunk: Buffer) => {
    words += chunk.toString();
  });
  const [line] = (await Promise.race([
    once(createInterface(child.stdout), 'line'),
    once(child, 'exit').then(() => Promise.reject(new Error(`it ended before it was ready: ${words}`))),
  ])) as [string];
  return { child, ready: JSON.parse(line), words: () => words };
}

export async function end(running: Running, signal: NodeJS.Signals): Promise<number | null> {
  const { exitCode, signalCode } = running.child;
  if (exitCode !== null || signalCode !== null) return exitCode;
  const exited = once(running.child, 'exit');
  running.child.kill(signal);
  const [code] = (await exited) as [number | null];
  return code;
}
