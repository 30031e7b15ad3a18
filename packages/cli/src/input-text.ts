// All of a small input as text.

import type { Readable } from 'node:stream';
import { say, size } from './terminal.ts';
import { UsageError } from './usage-error.ts';

/** `what` begins the sentence for an input that is too long. */
export async function inputText(
  input: Readable & { isTTY?: boolean },
  bytesMax: number,
  what: string,
): Promise<string> {
  if (input.isTTY === true) say('reading from the terminal; Ctrl-D ends it.');
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of input) {
    const piece = Buffer.from(chunk);
    bytes += piece.length;
    if (bytes > bytesMax) throw new UsageError(`${what} has ${size(bytesMax)} at most; this is more.`);
    chunks.push(piece);
  }
  return Buffer.concat(chunks).toString('utf8');
}
