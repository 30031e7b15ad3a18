// A thread that writes large transactions into LMDB.
//
// Queued with lmdb's own way of writing beside the event loop, each change costs the event loop a microsecond, and garbage. Here a
// transaction is one message with all of its changes (entry-batch.ts). With many writers a tenth to a quarter more of them get through.
//
// Facts about lmdb that shape this, read in its source and tried:
//   - An environment is one for the process, by its file: threads open it each for themselves and share it, and a reader sees what another
//     thread has committed once its own transaction is renewed.
//   - A commit of `transactionSync` has flushed its pages, and then the page that makes it the last one, when it returns.
//   - A put that fails may not say so; it spoils the transaction, and the commit fails with an error that does not tell why.
//   - A thread that is ended between two puts leaves the transaction open and its lock held; whoever closes the environment then waits for
//     ever. `process.exit` ends threads, and so does the end of a thread that has begun them.
//   - Whether a transaction could begin is not looked at, and one that could not ends the process. It can, unless one before it has failed.
//
// So a process that ends waits until no transaction is under way, there is no such thread but for the first one of a process, and nothing
// is asked of it after a failure: who wants to know why, or goes on, does it in lmdb's own way.

import { createRequire } from 'node:module';
import { isMainThread } from 'node:worker_threads';
import { HelperThread, ThreadError } from '../files/helper-thread.ts';
import { indexBatchKeptBytesMax } from '../limits.ts';
import type { EntryBatch } from './entry-batch.ts';

const program = `
const trees = new Map();
let kept = Buffer.alloc(0);

function write({ lmdb, folder, options, memory, usedBytes }) {
  let tree = trees.get(folder);
  if (tree === undefined) {
    tree = require(lmdb).open(folder, options);
    trees.set(folder, tree);
  }
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

async function close({ folder }) {
  const tree = trees.get(folder);
  trees.delete(folder);
  await tree?.close();
}

serve(async (job) => {
  try {
    if (job.memory === undefined) await close(job);
    else write(job);
    return true;
  } catch {
    return false;
  }
});`;

/** For all environments: they are written one after the other, as their disk would do it. */
const thread = new HelperThread(program, { what: 'writes the index', isAwaitedAtEnd: true });
const lmdbPath: string = createRequire(import.meta.url).resolve('lmdb');

/** Gives whether it is committed and durable; undefined where there is no thread. The batch is in shared memory. */
export async function writeInThread(
  folder: string,
  options: object,
  { memory, usedBytes }: EntryBatch,
): Promise<boolean | undefined> {
  return isMainThread ? ask({ lmdb: lmdbPath, folder, options, memory, usedBytes }) : undefined;
}

/** When it has resolved the thread has let go of the folder, if it had it. */
export async function closeInThread(folder: string): Promise<void> {
  await ask({ folder });
}

async function ask(job: object): Promise<boolean | undefined> {
  try {
    return (await thread.ask(job)) as boolean; // The program above answers nothing else.
  } catch (error) {
    if (error instanceof ThreadError) return undefined;
    throw error;
  }
}
