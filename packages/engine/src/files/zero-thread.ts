// A thread that fills files with zeros, one for the process, from the first large file on.
//
// In the thread pool each piece is a trip of its own: all at once they wait for each other's lock of the file, spinning on the
// processors that writers need, and one after the other each waits for a turn of the event loop, so that the log is full before its
// next segment is there. Here a whole part is one message. With 64 batches in flight a fifth more of them get through.

import { Worker } from 'node:worker_threads';

export interface ZeroRange {
  readonly fd: number;
  readonly from: number;
  readonly to: number;
  /** So many at a time; see node-files.ts. */
  readonly writeBytes: number;
}

/** What the thread answers: nothing, or what node:fs has thrown there. */
type Answer = Pick<NodeJS.ErrnoException, 'code' | 'errno' | 'syscall' | 'message'> | undefined;

interface Job {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

// Text, not a file of its own: a file would have to be found beside this one from sources, packages and bundles alike.
const program = `
const { parentPort } = require('node:worker_threads');
const fs = require('node:fs');
parentPort.on('message', ({ fd, from, to, writeBytes }) => {
  let failure;
  try {
    const zeros = Buffer.alloc(Math.min(writeBytes, to - from));
    for (let at = from; at < to; ) at += fs.writeSync(fd, zeros, 0, Math.min(zeros.length, to - at), at);
    fs.fdatasyncSync(fd);
  } catch ({ code, errno, syscall, message }) {
    failure = { code, errno, syscall, message };
  }
  parentPort.postMessage(failure);
});`;

class ZeroThread {
  readonly #worker: Worker;
  /** In the order in which the thread answers them. */
  readonly #jobs: Job[] = [];
  #end: Error | undefined;

  /** Throws where a process may not have threads. */
  constructor() {
    // Not what this process was started with: a loader of its own would cost the thread a second.
    this.#worker = new Worker(program, { eval: true, execArgv: [] });
    this.#worker.on('message', (answer: Answer) => this.#answered(answer));
    this.#worker.on('error', (error) => this.#ended(error));
    this.#worker.on('exit', () => this.#ended(new Error('The thread that writes zeros has ended.')));
    this.#worker.unref();
  }

  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  /** Nothing writes into the file any more when this has settled. */
  fill(range: ZeroRange): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#end !== undefined) return reject(new ZeroThreadError(this.#end));
      // Whoever waits for a file must not find that the process is over; an idle thread keeps nobody.
      if (this.#jobs.length === 0) this.#worker.ref();
      this.#jobs.push({ resolve, reject });
      this.#worker.postMessage(range);
    });
  }

  #answered(answer: Answer): void {
    const job = this.#jobs.shift();
    if (this.#jobs.length === 0) this.#worker.unref();
    if (answer === undefined) job?.resolve();
    else job?.reject(Object.assign(new Error(answer.message), answer));
  }

  #ended(error: Error): void {
    this.#end ??= error;
    for (const { reject } of this.#jobs.splice(0)) reject(new ZeroThreadError(error));
  }
}

/** The thread is no more. Nothing is said of the file or its disk: somebody else may fill it. */
export class ZeroThreadError extends Error {
  constructor(cause: Error) {
    super('Zeros could not be written by a thread.', { cause });
  }
}

let thread: ZeroThread | undefined;

/** What is needed of it; the types of Node do not have it. */
declare const WebAssembly: { readonly Memory: new (size: { readonly initial: number }) => object };

/**
 * Where addresses are limited (`ulimit -v`) V8 ends the process if a thread cannot have its own. For a memory of WebAssembly it sets more
 * of them aside, and throws.
 */
function checkAddresses(): void {
  new WebAssembly.Memory({ initial: 1 });
}

/** Rejects with `ZeroThreadError` where there is no such thread, else with what node:fs throws. */
export async function fillWithZeros(range: ZeroRange): Promise<void> {
  if (thread === undefined || thread.hasEnded) {
    try {
      checkAddresses();
      thread = new ZeroThread();
    } catch (error) {
      throw new ZeroThreadError(error instanceof Error ? error : new Error(String(error)));
    }
  }
  await thread.fill(range);
}
