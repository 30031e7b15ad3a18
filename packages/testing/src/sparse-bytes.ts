// The content of a simulated file: pages of 4 KiB, absent ones are zeros. A preallocated segment costs nothing until it is
// written, and a copy shares its pages until either side changes them.

const pageBytes = 4096;

export class SparseBytes {
  #pages = new Map<number, Uint8Array>();
  /** Pages that another copy may hold too; they are copied before a change. */
  #shared = new Set<number>();
  #sizeBytes = 0;

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  copy(): SparseBytes {
    const copy = new SparseBytes();
    copy.#pages = new Map(this.#pages);
    copy.#shared = new Set(this.#pages.keys());
    copy.#sizeBytes = this.#sizeBytes;
    this.#shared = new Set(this.#pages.keys());
    return copy;
  }

  write(bytes: Uint8Array, offset: number): void {
    if (bytes.length === 0) return;
    this.#forEachPage(offset, bytes.length, (page, from, to, position) => {
      this.#ownPage(page).set(bytes.subarray(position, position + to - from), from);
    });
    this.#sizeBytes = Math.max(this.#sizeBytes, offset + bytes.length);
  }

  /** Zeros, extending the file if need be. */
  zero(offset: number, length: number): void {
    this.#forEachPage(offset, length, (page, from, to) => {
      if (to - from === pageBytes) this.#pages.delete(page);
      else if (this.#pages.has(page)) this.#ownPage(page).fill(0, from, to);
    });
    this.#sizeBytes = Math.max(this.#sizeBytes, offset + length);
  }

  read(target: Uint8Array, offset: number): number {
    const length = Math.max(0, Math.min(target.length, this.#sizeBytes - offset));
    this.#forEachPage(offset, length, (page, from, to, position) => {
      const bytes = this.#pages.get(page);
      if (bytes) target.set(bytes.subarray(from, to), position);
      else target.fill(0, position, position + to - from);
    });
    return length;
  }

  /** Extends with zeros, or cuts off. */
  resize(sizeBytes: number): void {
    if (sizeBytes < this.#sizeBytes) this.zero(sizeBytes, this.#sizeBytes - sizeBytes);
    this.#sizeBytes = sizeBytes;
  }

  #ownPage(page: number): Uint8Array {
    const existing = this.#pages.get(page);
    if (existing && !this.#shared.has(page)) return existing;
    const own = existing ? existing.slice() : new Uint8Array(pageBytes);
    this.#pages.set(page, own);
    this.#shared.delete(page);
    return own;
  }

  #forEachPage(offset: number, length: number, visit: PageVisit): void {
    const end = offset + length;
    for (let start = offset; start < end; ) {
      const page = Math.floor(start / pageBytes);
      const pageStart = page * pageBytes;
      const stop = Math.min(end, pageStart + pageBytes);
      visit(page, start - pageStart, stop - pageStart, start - offset);
      start = stop;
    }
  }
}

/** [from, to) within the page; `position` is where that part begins in the caller's bytes. */
type PageVisit = (page: number, from: number, to: number, position: number) => void;
