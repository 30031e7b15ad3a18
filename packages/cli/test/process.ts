// The command line: as a real process, as it is built; and commands that run to their end, most of them within this one.

import type { ChildProcessByStdio } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { commandLine, isLong } from '@tidemark/testing';
import { afterAll, expect } from 'vitest';
import { runInProcess } from './in-process.ts';

/** A test that fails leaves its processes behind; they end with its file. */
const children = new Set<Child>();
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

export type Child = ChildProcessByStdio<Writable, Readable, Readable>;

export interface LaunchOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly input?: string | Uint8Array;
  /** Whoever launches it writes to it and ends it. */
  readonly isInputOpen?: boolean;
}

export function launch(
  args: readonly string[],
  { env = {}, cwd, input, isInputOpen = false }: LaunchOptions = {},
): Child {
  const child = spawn(process.execPath, [commandLine, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: environmentOf(env),
    ...(cwd === undefined ? {} : { cwd }),
  });
  children.add(child);
  child.once('exit', () => children.delete(child));
  if (isInputOpen) return child;
  if (input === undefined) child.stdin.end();
  else child.stdin.end(input);
  return child;
}

export interface Said {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function environmentOf(env: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const clean = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(?:TIDEMARK|COSMOS|npm)_/.test(name)),
  );
  return { ...clean, ...env };
}

/** By test file: the commands that have been a process there. */
const started = new Set<string>();

/**
 * Runs to its end: exit code and what it said. In each file the first run of each command is a process, and so is what only a process
 * can be; the others are in this one, since a start takes ten times as long as what most of them do. In the long form all are processes.
 */
export function say(args: readonly string[], options: LaunchOptions = {}): Promise<Said> {
  const { env = {}, cwd, input } = options;
  const command = args.slice(0, ['processor', 'config'].includes(args[0] ?? '') ? 2 : 1).join(' ');
  const place = `${expect.getState().testPath} ${command}`;
  // Flags alone, and `serve`, are a server; what Node itself reads, it reads when it starts.
  const isServer = command === 'serve' || command.startsWith('-');
  const isOfNode = cwd !== undefined || Object.keys(env).some((name) => name.startsWith('NODE_'));
  if (isLong || isServer || isOfNode || !started.has(place)) {
    started.add(place);
    return sayAsProcess(args, options);
  }
  return runInProcess(args, environmentOf(env), input);
}

async function sayAsProcess(args: readonly string[], options: LaunchOptions): Promise<Said> {
  const child = launch(args, options);
  const out = textOf(child.stdout);
  const err = textOf(child.stderr);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out: out(), err: err() };
}

/** What comes from a process; rejects when it ends before. */
export function alive<T>(child: Child, coming: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const over = (code: number | null, signal: NodeJS.Signals | null): void =>
      reject(new Error(`the process that was waited for ended with ${code ?? signal}`));
    if (child.exitCode !== null || child.signalCode !== null) over(child.exitCode, child.signalCode);
    child.once('close', over);
    coming.then(resolve, reject).finally(() => child.off('close', over));
  });
}

/** Everything that has come so far. */
export function textOf(stream: Readable): () => string {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString();
}

export interface Serving {
  readonly child: Child;
  readonly url: string;
  readonly port: number;
  words(): string;
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

/** A server, once it has said that it is ready. */
export async function serve(args: readonly string[], options: LaunchOptions = {}): Promise<Serving> {
  const child = launch(['serve', '--port', '0', ...args], options);
  const words = textOf(child.stderr);
  const [line] = (await Promise.race([
    once(createInterface(child.stdout), 'line'),
    once(child, 'exit').then(() => Promise.reject(new Error(`it ended before it was ready: ${words()}`))),
  ])) as [string];
  const { url, port } = JSON.parse(line);
  // The words for people come over another pipe, and may be read later.
  while (!words().includes('Ctrl-C stops it.')) await alive(child, once(child.stderr, 'data'));
  const end = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> => {
    const exited = once(child, 'exit');
    child.kill(signal);
    const [code] = (await exited) as [number | null];
    return code;
  };
  return { child, url, port, words, end };
}
