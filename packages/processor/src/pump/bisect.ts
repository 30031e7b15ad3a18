// What is left of a batch that failed, as data: segments of item indexes, from left to right. Pure.
//
// A segment that fails without saying which item is cut in halves, and the left one is tried first, so one item that fails among n is
// alone after at most ⌈log2 n⌉ + 1 rounds, and nothing is tried before what stands to its left is settled. The order of changes is
// kept, whatever their keys.

export class BatchPlan {
  /** In reverse: the next one is the last. Never empty ones. */
  readonly #segments: Segment[] = [];

  constructor(items: readonly number[]) {
    this.#push(items, 0);
  }

  /** The segment to be tried now. */
  get next(): readonly number[] | undefined {
    return this.#segments.at(-1)?.items;
  }

  /** How often its items have been tried. */
  get tries(): number {
    return this.#segments.at(-1)?.tries ?? 0;
  }

  /** The next segment is settled. */
  settle(): void {
    this.#segments.pop();
  }

  /** Only these of the next segment are left, without another try. */
  keep(items: readonly number[]): void {
    const segment = this.#segments.pop();
    this.#push(items, segment?.tries ?? 0);
  }

  /** The next segment was tried in vain, and only these of it are left. */
  retry(items: readonly number[]): void {
    const segment = this.#segments.pop();
    this.#push(items, (segment?.tries ?? 0) + 1);
  }

  /** The next segment was tried in vain, and nobody knows why. False: it is a single item and cannot be cut. */
  cut(): boolean {
    const segment = this.#segments.at(-1);
    if (segment === undefined || segment.items.length < 2) return false;
    const { items, tries } = segment;
    const middle = Math.ceil(items.length / 2);
    this.#segments.pop();
    this.#push(items.slice(middle), tries + 1);
    this.#push(items.slice(0, middle), tries + 1);
    return true;
  }

  #push(items: readonly number[], tries: number): void {
    if (items.length > 0) this.#segments.push({ items, tries });
  }
}

interface Segment {
  readonly items: readonly number[];
  readonly tries: number;
}

export function indexesOf(count: number): number[] {
  const indexes: number[] = new Array(count);
  for (let i = 0; i < count; i += 1) indexes[i] = i;
  return indexes;
}
