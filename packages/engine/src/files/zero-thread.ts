// A thread that fills files with zeros, from the first large file on.
//
// In the thread pool each piece is a trip of its own: all at once they wait for each other's lock of the file, spinning on the
// processors that writers need, and one after the other each waits for a turn of the event loop, so that the log is full before its
// next segment is there. Here a whole part is one message. With 64 batches in flight a fifth more of them get through.

import { HelperThread } from './helper-thread.ts';

export interface ZeroRange {
  readonly fd: number;
  readonly from: number;
  readonly to: number;
  /** So many at a time; see node-files.ts. */
  readonly writeBytes: number;
}

/** What the thread answers: nothing, or what node:fs has thrown there. */
type Failure = Pick<NodeJS.ErrnoException, 'code' | 'errno' | 'syscall' | 'message'>;

const program = `
const fs = require('node:fs');
serve(({ fd, from, to, writeBytes }) => {
  try {
    const zeros = Buffer.alloc(Math.min(writeBytes, to - from));
    for (let at = from; at < to; ) at += fs.writeSync(fd, zeros, 0, Math.min(zeros.length, to - at), at);
    fs.fdatasyncSync(fd);
  } catch ({ code, errno, syscall, message }) {
    return { code, errno, syscall, message };
  }
});`;

const thread = new HelperThread(program, { what: 'writes zeros' });

/** Nothing writes into the file any more when this has settled. Rejects with `ThreadError`, or with what node:fs throws. */
export async function fillWithZeros(range: ZeroRange): Promise<void> {
  const failure = (await thread.ask(range)) as Failure | undefined; // The program above answers nothing else.
  if (failure !== undefined) throw Object.assign(new Error(failure.message), failure);
}
