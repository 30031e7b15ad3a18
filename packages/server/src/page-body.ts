// The body of a page of documents around pieces that are JSON already: one copy, no work for each document.
//
// It is made in a buffer that is given back when the client has it. A fresh one for each page costs page faults when it is
// filled, and garbage collection as soon as there are a few: together more than everything else that a page takes.

import { BufferPool } from '@tidemark/engine/internal';

const pool = new BufferPool();

export class PageBody {
  readonly bytes: Buffer;
  /** To be called once, when nobody reads the bytes any more. Whoever does not call it leaves them to the garbage collector. */
  readonly onSent: () => void;

  constructor(ownerRid: string, pieces: readonly Uint8Array[], count: number) {
    const prefix = `{"_rid":"${ownerRid}","Documents":[`;
    const suffix = `],"_count":${count}}`;
    let length = prefix.length + suffix.length;
    for (const piece of pieces) length += piece.length;
    const buffer = pool.take(length);
    // A rid and a number are ASCII.
    let at = buffer.write(prefix, 0, 'latin1');
    for (const piece of pieces) {
      buffer.set(piece, at);
      at += piece.length;
    }
    buffer.write(suffix, at, 'latin1');
    this.bytes = buffer.length === length ? buffer : buffer.subarray(0, length);
    this.onSent = () => pool.give(buffer);
  }
}
