// Work that takes longer than a request should: it is begun by one request and looked at by others. It ends by itself, or
// when the server closes. At most one of a kind runs at a time; of those that have ended the last few are remembered.

import { DatabaseError, isDatabaseError } from '@tidemark/model';
import { jobsRememberedMax } from '../limits.ts';
import { statusOf } from '../status.ts';

export type JobKind = 'backup' | 'check';

interface JobProgress {
  readonly done: number;
  readonly total: number;
}

export interface Job {
  readonly id: string;
  readonly kind: JobKind;
  readonly state: 'running' | 'done' | 'failed';
  readonly startedAt: string;
  readonly finishedAt?: string;
  /** Of its bytes. */
  readonly progress?: JobProgress;
  readonly result?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
}

export interface JobControl {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: JobProgress) => void;
}

export class Jobs {
  /** In the order in which they began. */
  readonly #jobs = new Map<string, Job>();
  readonly #running = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  readonly #onFailure: (error: unknown, job: Job) => void;
  #count = 0;

  /** `onFailure` is told of whatever ends a job early. */
  constructor(onFailure: (error: unknown, job: Job) => void) {
    this.#onFailure = onFailure;
  }

  get all(): readonly Job[] {
    return [...this.#jobs.values()];
  }

  find(id: string): Job | undefined {
    return this.#jobs.get(id);
  }

  start(kind: JobKind, run: (control: JobControl) => Promise<unknown>): Job {
    if (this.#stop.signal.aborted) throw new DatabaseError('unavailable', 'The server is closing.');
    const other = this.all.find((job) => job.kind === kind && job.state === 'running');
    if (other !== undefined) {
      throw new DatabaseError('conflict', `The ${kind} ${other.id} is still running; look at it under jobs.`);
    }
    this.#count += 1;
    const id = String(this.#count);
    this.#jobs.set(id, { id, kind, state: 'running', startedAt: now() });
    this.#forgetOld();
    const running = this.#run(id, run).finally(() => this.#running.delete(running));
    this.#running.add(running);
    return this.#get(id);
  }

  /** Stops what is running and waits for it. */
  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
  }

  async #run(id: string, run: (control: JobControl) => Promise<unknown>): Promise<void> {
    const onProgress = (progress: JobProgress): void => this.#change(id, { progress });
    try {
      const result = await run({ signal: this.#stop.signal, onProgress });
      this.#change(id, { state: 'done', finishedAt: now(), result });
    } catch (error) {
      const shown = isDatabaseError(error)
        ? { code: statusOf[error.code].name, message: error.message }
        : { code: statusOf.internal.name, message: 'Something went wrong; the log of the server says what.' };
      this.#change(id, { state: 'failed', finishedAt: now(), error: shown });
      this.#onFailure(error, this.#get(id));
    }
  }

  #get(id: string): Job {
    return this.#jobs.get(id) as Job; // One that runs is never forgotten.
  }

  #change(id: string, change: Partial<Job>): void {
    this.#jobs.set(id, { ...this.#get(id), ...change });
  }

  #forgetOld(): void {
    for (const { id, state } of this.all) {
      if (this.#jobs.size <= jobsRememberedMax) return;
      if (state !== 'running') this.#jobs.delete(id);
    }
  }
}

function now(): string {
  return new Date().toISOString();
}
