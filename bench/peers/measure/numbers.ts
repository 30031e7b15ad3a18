// Which documents are written and read: the same for everybody. Half of all writes replace a document that was there from the
// start, half are of new ones. Those in flight at one time are all different.

/** Has no divisor in common with numbers of documents that people ask for. */
const stride = 7_919;
/** New documents of bulks are far from those of single writes. */
const bulkBase = 100_000_000;

interface Piece {
  readonly existing: readonly number[];
  /** How many of those have been given out, and which new one is looked at next. */
  at: number;
  next: number;
}

export class Numbers {
  /** Documents 0 … documents - 1 are there from the start. */
  readonly documents: number;
  #steps = 0;
  #added = 0;
  #version = 0;
  readonly #pieces: Piece[];
  readonly #pieceOf: (n: number) => number;
  #turn = 0;

  constructor(documents: number, pieces: number, pieceOf: (n: number) => number) {
    this.documents = documents;
    this.#pieceOf = pieceOf;
    const all = Array.from({ length: documents }, (_, n) => n);
    this.#pieces = Array.from({ length: pieces }, (_, piece) => ({
      existing: all.filter((n) => pieceOf(n) === piece),
      at: 0,
      next: bulkBase,
    }));
  }

  version(): number {
    this.#version += 1;
    return this.#version;
  }

  existing(): number {
    this.#steps += 1;
    return (this.#steps * stride) % this.documents;
  }

  written(): number {
    if ((this.#steps + this.#added) % 2 === 0) return this.existing();
    this.#added += 1;
    return this.documents + this.#added;
  }

  /** `count` documents of one piece; the pieces take turns. */
  bulk(count: number): { readonly piece: number; readonly documents: number[] } {
    const piece = this.#turn % this.#pieces.length;
    this.#turn += 1;
    const own = this.#pieces[piece] as Piece;
    const documents: number[] = [];
    while (documents.length < count / 2) {
      documents.push(own.existing[own.at % own.existing.length] as number);
      own.at += 1;
    }
    while (documents.length < count) {
      while (this.#pieceOf(own.next) !== piece) own.next += 1;
      documents.push(own.next);
      own.next += 1;
    }
    return { piece, documents };
  }
}
