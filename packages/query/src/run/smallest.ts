// Of many entries the first few of an order, whatever the order in which they come: a heap whose root is the last of those kept.

export class Smallest<T> {
  readonly #compare: (a: T, b: T) => number;
  readonly #most: number;
  readonly #heap: T[] = [];

  constructor(most: number, compare: (a: T, b: T) => number) {
    this.#most = most;
    this.#compare = compare;
  }

  get size(): number {
    return this.#heap.length;
  }

  /** Whether it would be kept. */
  wants(entry: T): boolean {
    if (this.#heap.length < this.#most) return true;
    return this.#most > 0 && this.#compare(entry, this.#heap[0] as T) < 0;
  }

  /** The entry that has to go for it, if any. It must be wanted. */
  add(entry: T): T | undefined {
    if (this.#heap.length < this.#most) {
      this.#heap.push(entry);
      this.#rise(this.#heap.length - 1);
      return undefined;
    }
    const gone = this.#heap[0] as T;
    this.#heap[0] = entry;
    this.#sink(0);
    return gone;
  }

  /** The last of those that are kept. */
  get last(): T | undefined {
    return this.#heap[0];
  }

  /** There must be one. */
  dropLast(): T {
    const heap = this.#heap;
    const gone = heap[0] as T;
    const end = heap.pop() as T;
    if (heap.length > 0) {
      heap[0] = end;
      this.#sink(0);
    }
    return gone;
  }

  inOrder(): T[] {
    return [...this.#heap].sort(this.#compare);
  }

  #rise(from: number): void {
    const heap = this.#heap;
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#compare(heap[at] as T, heap[parent] as T) <= 0) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #sink(from: number): void {
    const heap = this.#heap;
    let at = from;
    for (;;) {
      let largest = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < heap.length && this.#compare(heap[child] as T, heap[largest] as T) > 0) largest = child;
      }
      if (largest === at) return;
      this.#swap(at, largest);
      at = largest;
    }
  }

  #swap(a: number, b: number): void {
    const kept = this.#heap[a] as T;
    this.#heap[a] = this.#heap[b] as T;
    this.#heap[b] = kept;
  }
}
