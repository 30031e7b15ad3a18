// A thread that writes large transactions into LMDB.
//
// Queued with lmdb's own way of writing beside the event loop, each change costs the event loop a microsecond, and garbage. Here a
// transaction is one message with all of its changes (entry-batch.ts). With 64 batches in flight a sixth more of them get through.
//
// Facts about lmdb that shape this, read in its source and tried:
//   - An environment is one for the process, by its file: threads open it each for themselves and share it, and a reader sees what another
//     thread has committed once its own transaction is renewed.
//   - A commit of `transactionSync` has flushed its pages, and then the page that makes it the last one, when it returns.
//   - A put that fails may not say so; it spoils the transaction, and the commit fails with MDB_BAD_TXN, which does not tell why.
//   - A thread that is ended between two puts leaves the transaction open and its lock held; whoever closes the environment then waits for
//     ever. `process.exit` ends threads, and so does the end of a thread that has begun them.
//   - Whether a transaction could begin is not looked at, and one that could not ends the process. It can, unless one before it has failed.
//   - What is at a path is opened, or made, whatever it is: a folder that was moved away would get a second index that nobody reads.
//
// So an index has a thread of its own, in the first thread of a process only; a process that ends waits until no transaction is under way;
// nothing is asked of the thread after a failure until a transaction in lmdb's own way has been seen to work; and it opens nothing but the
// very file that the index has open.

import { createRequire } from 'node:module';
import { isMainThread } from 'node:worker_threads';
import { HelperThread, ThreadError } from '../files/helper-thread.ts';
import { indexBatchKeptBytesMax } from '../limits.ts';
import type { EntryBatch } from './entry-batch.ts';
import { lmdbErrorOf } from './lmdb-error.ts';

const program = `
const fs = require('node:fs');
let tree;
let kept = Buffer.alloc(0);

function open({ lmdb, folder, file, options }) {
  const { dev, ino } = fs.statSync(folder + '/data.mdb', { bigint: true });
  if (dev !== file.dev || ino !== file.ino) throw new Error('Another file is in the place of the index.');
  return require(lmdb).open(folder, options);
}

function write({ index, memory, usedBytes }) {
  tree ??= open(index);
  // Of shared memory lmdb does not find the address.
  const bytes = kept.length >= usedBytes ? kept : Buffer.allocUnsafeSlow(memory.byteLength);
  if (bytes.length <= ${indexBatchKeptBytesMax}) kept = bytes;
  bytes.set(new Uint8Array(memory, 0, usedBytes));
  const words = new Uint32Array(bytes.buffer);
  tree.transactionSync(() => {
    for (let at = 0; at < usedBytes; ) {
      const keyEnd = at + 8 + words[at / 4];
      const valueBytes = words[at / 4 + 1];
      const key = bytes.subarray(at + 8, keyEnd);
      const end = valueBytes === 0xffffffff ? keyEnd : keyEnd + valueBytes;
      if (end === keyEnd) tree.remove(key);
      else tree.put(key, bytes.subarray(keyEnd, end));
      at = Math.ceil(end / 4) * 4;
    }
  });
}

serve(async ({ index, memory, usedBytes }) => {
  try {
    if (memory === undefined) await tree?.close();
    else write({ index, memory, usedBytes });
  } catch ({ code, message }) {
    return { code, message };
  }
});`;

export interface LmdbThreadOptions {
  /** An absolute path. */
  readonly folder: string;
  /** What the index has open there. */
  readonly file: { readonly dev: bigint; readonly ino: bigint };
  /** Those with which it has. */
  readonly options: object;
}

interface Failure {
  /** A number of LMDB or of the system; anything else is not of LMDB. */
  readonly code: unknown;
  readonly message: string;
}

/** `failed`: nothing was written, and whoever tries in lmdb's own way is told why. `missing`: there is no thread. */
export type Written = 'done' | 'failed' | 'missing';

const badTransaction = -30_782;

export class LmdbThread {
  readonly #options: LmdbThreadOptions;
  readonly #thread = new HelperThread(program, { what: 'writes the index', isAwaitedAtEnd: true });
  /** Where it is found. */
  #lmdb: string | undefined;
  #isAsked = false;

  constructor(options: LmdbThreadOptions) {
    this.#options = options;
  }

  /** Of a batch in shared memory; `done`: it is committed and durable. Throws what LMDB has told, or `ThreadError`. */
  async write({ memory, usedBytes }: EntryBatch): Promise<Written> {
    if (isMainThread) this.#lmdb ??= lmdbPath();
    const lmdb = this.#lmdb;
    if (lmdb === undefined) return 'missing';
    let failure: Failure | undefined;
    try {
      // The program above answers nothing else.
      failure = (await this.#thread.ask({ index: { ...this.#options, lmdb }, memory, usedBytes })) as typeof failure;
    } catch (error) {
      if (error instanceof ThreadError && !error.isBegun) return 'missing';
      throw error;
    }
    this.#isAsked = true;
    if (failure === undefined) return 'done';
    // It was before LMDB was asked for a transaction, or it is not the reason.
    if (
      typeof failure.code !== 'number' ||
      failure.code === badTransaction ||
      lmdbErrorOf(failure, '').code === 'disk-full'
    )
      return 'failed';
    throw Object.assign(new Error(failure.message), { code: failure.code });
  }

  /** Lets go of the folder, if it has it. */
  async close(): Promise<void> {
    if (!this.#isAsked) return;
    await this.#thread.ask({});
    await this.#thread.end();
  }
}

/** Undefined where it is not found: a program that was made one file of may be anywhere. */
function lmdbPath(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve('lmdb');
  } catch {
    return undefined;
  }
}
