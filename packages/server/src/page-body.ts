// The body of a page of documents around pieces that are JSON already, without work for each document. Where the pieces are
// long they are sent as they lie; where they are short, one copy of all costs less than telling the system of each.
//
// A copy is made in a buffer that is given back when the client has it. A fresh one for each page costs page faults when it is
// filled, and garbage collection as soon as there are a few: together more than everything else that a page takes.

import { BufferPool } from '@tidemark/engine/internal';
import type { BodyPieces } from './http/http-response.ts';
import { heldShareMax, sentPieceBytesMin } from './limits.ts';

const pool = new BufferPool();

export class PageBody {
  readonly body: Buffer | BodyPieces;
  /** To be called once, when nobody reads the bytes any more. Whoever does not call it leaves them to the garbage collector. */
  readonly onSent: () => void;
  /** What it keeps in memory until then: the buffers that its bytes lie in. */
  readonly heldBytes: number;

  /** `release` is called as soon as the pieces are not needed any more. */
  constructor(ownerRid: string, pieces: readonly Buffer[], count: number, release: () => void = nothingToDo) {
    // A rid and a number are ASCII.
    const prefix = `{"_rid":"${ownerRid}","Documents":[`;
    const suffix = `],"_count":${count}}`;
    let length = prefix.length + suffix.length;
    for (const piece of pieces) length += piece.length;
    const isLong = length >= sentPieceBytesMin * pieces.length && pieces.length > 0;
    const held = isLong ? heldBytesOf(pieces) : Number.POSITIVE_INFINITY;
    if (held <= length * heldShareMax) {
      this.heldBytes = held;
      this.body = { length, pieces: [Buffer.from(prefix, 'latin1'), ...pieces, Buffer.from(suffix, 'latin1')] };
      this.onSent = release;
      return;
    }
    const buffer = pool.take(length);
    let at = buffer.write(prefix, 0, 'latin1');
    for (const piece of pieces) {
      buffer.set(piece, at);
      at += piece.length;
    }
    buffer.write(suffix, at, 'latin1');
    release();
    this.body = buffer.length === length ? buffer : buffer.subarray(0, length);
    this.heldBytes = buffer.length;
    this.onSent = () => pool.give(buffer);
  }
}

/**
 * What cannot be freed while the pieces are not sent: the buffers that they lie in. Between them may lie whatever was read along, such
 * as older versions, many times their size.
 */
function heldBytesOf(pieces: readonly Buffer[]): number {
  let sum = 0;
  for (const buffer of new Set(pieces.map((piece) => piece.buffer))) sum += buffer.byteLength;
  return sum;
}

function nothingToDo(): void {}
