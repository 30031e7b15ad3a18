// A command within this process. What it asks of the process is its own: streams, environment, arguments, signals, although several run at
// once. To start takes ten times as long as what most commands do; that each of them also starts, `say` of process.ts sees to.

import { AsyncLocalStorage } from 'node:async_hooks';
import { EventEmitter } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { commandLine } from '@tidemark/testing';
import { runProgram } from '../src/program.ts';

export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

interface Own {
  readonly argv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Readable;
  readonly stdout: PassThrough;
  readonly stderr: PassThrough;
  readonly signals: EventEmitter;
}

const ownOf = new AsyncLocalStorage<Own>();
const parts = ['argv', 'env', 'stdin', 'stdout', 'stderr'] as const;

/** How many commands run: while there is none, the process is as it was. */
let running = 0;
let giveBack: () => void = () => {};

export async function runInProcess(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  input: string | Uint8Array = '',
): Promise<Ended> {
  const stdin = Readable.from(input.length === 0 ? [] : [Buffer.from(input)], { objectMode: false });
  const own: Own = {
    argv: [process.execPath, commandLine, ...args],
    env,
    stdin,
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    signals: new EventEmitter(),
  };
  const out = textOf(own.stdout);
  const err = textOf(own.stderr);
  if (running === 0) giveBack = divide();
  running += 1;
  try {
    const code = await ownOf.run(own, () => runProgram(args));
    return { code, out: await out(), err: await err() };
  } finally {
    running -= 1;
    if (running === 0) {
      giveBack();
      // As long as it is in use, every promise of the process takes longer.
      ownOf.disable();
    }
  }
}

/** Each part of the process is that of the command which asks for it; whoever is none has what there was. */
function divide(): () => void {
  const before = parts.map((name) => [name, Object.getOwnPropertyDescriptor(process, name)] as const);
  for (const [name, descriptor] of before) {
    Object.defineProperty(process, name, {
      configurable: true,
      enumerable: true,
      get: () => ownOf.getStore()?.[name] ?? descriptor?.get?.call(process) ?? descriptor?.value,
    });
  }
  const { on } = process;
  // A command that listens for signals would go on listening once it has ended. The types know each name of an event by itself.
  process.on = function (this: NodeJS.Process, name: NodeJS.Signals, listener: NodeJS.SignalsListener) {
    const signals = name.startsWith('SIG') ? ownOf.getStore()?.signals : undefined;
    if (signals === undefined) return on.call(this, name, listener);
    signals.on(name, listener);
    return this;
  } as typeof process.on;
  return () => {
    process.on = on;
    for (const [name, descriptor] of before)
      if (descriptor !== undefined) Object.defineProperty(process, name, descriptor);
  };
}

/** All of it, once its end has come. */
function textOf(stream: PassThrough): () => Promise<string> {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return async () => {
    const ended = new Promise((resolve) => stream.once('end', resolve));
    stream.end();
    await ended;
    return Buffer.concat(chunks).toString();
  };
}
