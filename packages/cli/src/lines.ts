// The lines of a stream as bytes, with their numbers and where they end. A line that is too long is told and not kept.

import { lineBytesMax } from './limits.ts';

export interface Line {
  /** From 1. */
  readonly number: number;
  /** Bytes of the stream up to and with this line. */
  readonly end: number;
  /** Without the line break; undefined when it is too long. */
  readonly bytes: Buffer | undefined;
}

export interface LinesStart {
  readonly end: number;
  readonly number: number;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** `start` is the line before the first one of `chunks`. */
export async function* linesOf(chunks: AsyncIterable<Buffer>, start: LinesStart): AsyncGenerator<Line> {
  let { end, number } = start;
  let pieces: Buffer[] = [];
  let pieceBytes = 0;
  const take = (last: Buffer, breakBytes: number): Line => {
    end += pieceBytes + last.length + breakBytes;
    number += 1;
    const isTooLong = pieceBytes + last.length > lineBytesMax;
    const whole = pieces.length === 0 ? last : Buffer.concat([...pieces, last]);
    pieces = [];
    pieceBytes = 0;
    return { number, end, bytes: isTooLong ? undefined : withoutReturn(whole) };
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, from)) {
      yield take(chunk.subarray(from, at), 1);
      from = at + 1;
    }
    const rest = chunk.subarray(from);
    // What is too long already is counted and dropped.
    if (pieceBytes <= lineBytesMax && rest.length > 0) pieces.push(rest);
    pieceBytes += rest.length;
  }
  if (pieceBytes > 0) yield take(Buffer.alloc(0), 0);
}

/** The rest of a stream behind its first `bytes`. */
export async function* skipBytes(chunks: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer> {
  let left = bytes;
  for await (const chunk of chunks) {
    if (left < chunk.length) yield chunk.subarray(left);
    left = Math.max(0, left - chunk.length);
  }
}

function withoutReturn(bytes: Buffer): Buffer {
  return bytes.at(-1) === carriageReturn ? bytes.subarray(0, -1) : bytes;
}
