// A thread beside the event loop that runs a program of ours, from the first job on. A job is a message, and so is its answer.
//
// The program is text, not a file of its own: a file would have to be found beside this one from sources, packages and bundles alike. It
// calls `serve` with a function from jobs to answers.

import process from 'node:process';
import { Worker } from 'node:worker_threads';

const prelude = `
const { parentPort, workerData: underWay } = require('node:worker_threads');
function serve(work) {
  parentPort.on('message', async ({ number, job }) => {
    const answer = await work(job);
    Atomics.sub(underWay, 0, 1);
    Atomics.notify(underWay, 0);
    parentPort.postMessage({ number, answer });
  });
}
`;
/** So long a process that ends waits for jobs at most: what holds them up must not hold it up for ever. */
const endLimitMs = 10_000;

/** There is no thread, or it has ended. */
export class ThreadError extends Error {
  /** It may have begun with the job. If not, somebody else may do it. */
  readonly isBegun: boolean;

  constructor(what: string, isBegun: boolean, cause: unknown) {
    super(`The thread that ${what} ${isBegun ? 'has ended' : 'cannot be started'}.`, { cause });
    this.isBegun = isBegun;
  }
}

export interface HelperThreadOptions {
  /** For messages. */
  readonly what: string;
  /** `process.exit` ends a thread wherever it is. Whoever must not be broken off in a job is waited for. */
  readonly isAwaitedAtEnd?: boolean;
}

export class HelperThread {
  readonly #program: string;
  readonly #options: HelperThreadOptions;
  #running: RunningThread | undefined;

  constructor(program: string, options: HelperThreadOptions) {
    this.#program = program;
    this.#options = options;
  }

  /** Rejects with `ThreadError` where it cannot be started or ends before it has answered. */
  async ask(job: object): Promise<unknown> {
    const running = this.#start();
    try {
      return await running.ask(job);
    } catch (error) {
      throw new ThreadError(this.#options.what, true, error);
    }
  }

  /** It has no job. The next one has another thread. */
  async end(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    if (running === undefined) return;
    awaited.delete(running);
    await running.end();
  }

  #start(): RunningThread {
    if (this.#running?.hasEnded === false) return this.#running;
    if (this.#running !== undefined) awaited.delete(this.#running);
    try {
      checkAddresses();
      this.#running = new RunningThread(this.#program);
    } catch (error) {
      throw new ThreadError(this.#options.what, false, error);
    }
    if (this.#options.isAwaitedAtEnd) awaitAtEnd(this.#running);
    return this.#running;
  }
}

interface Job {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}

interface Answer {
  readonly number: number;
  readonly answer: unknown;
}

class RunningThread {
  readonly #worker: Worker;
  /** One number, which the thread has too: jobs that it was asked for and has not done. */
  readonly #underWay = new Int32Array(new SharedArrayBuffer(4));
  readonly #jobs = new Map<number, Job>();
  #jobCount = 0;
  #end: Error | undefined;

  /** Throws where a process may not have threads. */
  constructor(program: string) {
    // Not what this process was started with: a loader of its own would cost the thread a second.
    this.#worker = new Worker(prelude + program, { eval: true, execArgv: [], workerData: this.#underWay });
    this.#worker.on('message', ({ number, answer }: Answer) => this.#settle(number)?.resolve(answer));
    this.#worker.on('error', (error) => this.#ended(error));
    this.#worker.on('exit', () => this.#ended(new Error('The thread has ended.')));
    this.#worker.unref();
  }

  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  ask(job: object): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#end !== undefined) return reject(this.#end);
      const number = this.#jobCount;
      this.#worker.postMessage({ number, job });
      Atomics.add(this.#underWay, 0, 1);
      this.#jobCount += 1;
      // Whoever waits for an answer must not find that the process is over; an idle thread keeps nobody.
      if (this.#jobs.size === 0) this.#worker.ref();
      this.#jobs.set(number, { resolve, reject });
    });
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  /** Stands still until nothing is under way. */
  wait(): void {
    const underWay = this.#underWay;
    for (let count = Atomics.load(underWay, 0); count > 0 && !this.hasEnded; count = Atomics.load(underWay, 0)) {
      if (Atomics.wait(underWay, 0, count, endLimitMs) === 'timed-out') return;
    }
  }

  #settle(number: number): Job | undefined {
    const job = this.#jobs.get(number);
    this.#jobs.delete(number);
    if (this.#jobs.size === 0) this.#worker.unref();
    return job;
  }

  #ended(error: Error): void {
    this.#end ??= error;
    for (const { reject } of this.#jobs.values()) reject(error);
    this.#jobs.clear();
  }
}

/** What is needed of it; the types of Node do not have it. */
declare const WebAssembly: { readonly Memory: new (size: { readonly initial: number }) => object };

/**
 * Where addresses are limited (`ulimit -v`) V8 ends the process if a thread cannot have its own. For a memory of WebAssembly it sets more
 * of them aside, and throws.
 */
function checkAddresses(): void {
  new WebAssembly.Memory({ initial: 1 });
}

/** Those for which the end of the process waits, with one listener for all. */
const awaited = new Set<RunningThread>();
let isEndHeard = false;

function awaitAtEnd(running: RunningThread): void {
  awaited.add(running);
  if (isEndHeard) return;
  isEndHeard = true;
  process.on('exit', () => {
    for (const each of awaited) each.wait();
  });
}
