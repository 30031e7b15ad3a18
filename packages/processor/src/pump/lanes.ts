// Several handler calls of one range at the same time, with the changes of each key in their order. Pure.
//
// A lane is not bound to keys: a free lane takes keys that nobody works on, so a key with very many changes holds up no other key. A batch
// has changes of one page only, and as many as give each lane its part of the page.

export interface LanePage {
  readonly count: number;
}

export interface LaneBatch<Page> {
  readonly page: Page;
  /** Rising. */
  readonly indexes: readonly number[];
  readonly keys: readonly string[];
}

export class Lanes<Page extends LanePage> {
  readonly #lanes: number;
  /** Changes that wait, by key and in their order. Keys without any are not here. */
  readonly #waiting: Map<string, Waiting<Page>[]> = new Map();
  /** Keys that somebody works on. */
  readonly #busy: Set<string> = new Set();
  /** Keys that wait and are not busy, in the order in which they became so. */
  readonly #ready: Set<string> = new Set();

  constructor(lanes: number) {
    this.#lanes = lanes;
  }

  get busyCount(): number {
    return this.#busy.size;
  }

  get waitingCount(): number {
    return this.#waiting.size;
  }

  /** `indexes` rise. */
  add(page: Page, indexes: readonly number[], keyOf: (index: number) => string): void {
    for (const index of indexes) {
      const key = keyOf(index);
      const queue = this.#waiting.get(key);
      const last = queue?.at(-1);
      if (last !== undefined && last.page === page) last.indexes.push(index);
      else if (queue !== undefined) queue.push({ page, indexes: [index] });
      else {
        this.#waiting.set(key, [{ page, indexes: [index] }]);
        if (!this.#busy.has(key)) this.#ready.add(key);
      }
    }
  }

  /** The next batch; its keys are busy until it is released. */
  take(): LaneBatch<Page> | undefined {
    const [first] = this.#ready;
    const page = first === undefined ? undefined : this.#waiting.get(first)?.[0]?.page;
    if (page === undefined) return undefined;
    const wanted = Math.ceil(page.count / this.#lanes);
    const keys: string[] = [];
    const indexes: number[] = [];
    for (const key of this.#ready) {
      const head = this.#waiting.get(key)?.[0];
      if (head === undefined || head.page !== page) break;
      // A key with much to do has a lane for itself rather than holding up the others of the batch.
      if (indexes.length > 0 && indexes.length + head.indexes.length > wanted) break;
      this.#takeHead(key);
      keys.push(key);
      for (const index of head.indexes) indexes.push(index);
      if (indexes.length >= wanted) break;
    }
    indexes.sort((a, b) => a - b);
    return { page, indexes, keys };
  }

  release(keys: readonly string[]): void {
    for (const key of keys) {
      this.#busy.delete(key);
      if (this.#waiting.has(key)) this.#ready.add(key);
    }
  }

  /** Makes a key busy without taking its changes: something else comes first. False while somebody works on it. */
  reserve(key: string): boolean {
    if (this.#busy.has(key)) return false;
    this.#busy.add(key);
    this.#ready.delete(key);
    return true;
  }

  #takeHead(key: string): void {
    const queue = this.#waiting.get(key);
    queue?.shift();
    if (queue === undefined || queue.length === 0) this.#waiting.delete(key);
    this.#ready.delete(key);
    this.#busy.add(key);
  }
}

interface Waiting<Page> {
  readonly page: Page;
  readonly indexes: number[];
}
