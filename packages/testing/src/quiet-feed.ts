// A FeedSource of many ranges in which hardly anything happens: for tests and benchmarks of who owns what. With a clock it
// waits where it is asked to, as Tidemark does; without one it answers at once, as Azure does.

import type { Clock } from '@tidemark/client';
import type { KeyRange } from '@tidemark/model';
import { DatabaseError } from '@tidemark/model';
import type { FeedItem, FeedPage, FeedRead, FeedSource, PhysicalRange, SourceIdentity } from '@tidemark/processor';

interface QuietRange extends PhysicalRange {
  readonly items: readonly FeedItem[];
}

export class QuietFeed implements FeedSource {
  #ranges: readonly QuietRange[];
  #nextId: number;
  readonly #clock: Clock | undefined;
  readonly #waiting = new Set<AbortController>();
  /** Reads so far. */
  reads = 0;

  constructor(ranges: number, clock?: Clock) {
    this.#clock = clock;
    this.#ranges = Array.from({ length: ranges }, (_, n) => ({
      id: String(n),
      min: n === 0 ? '' : edge(n, ranges),
      max: n + 1 === ranges ? 'FF' : edge(n + 1, ranges),
      parents: [],
      items: [],
    }));
    this.#nextId = ranges;
  }

  async identity(): Promise<SourceIdentity> {
    const name = 'quiet/feed';
    return { account: 'quiet', databaseRid: 'db==', containerRid: 'c==', name, partitionKeyPaths: ['/pk'] };
  }

  async ranges(): Promise<readonly PhysicalRange[]> {
    return this.#ranges.map(({ id, min, max, parents }) => ({ id, min, max, parents }));
  }

  /** Positions count the changes of the range and its ancestors. */
  async read(read: FeedRead): Promise<FeedPage> {
    this.reads += 1;
    const page = this.#page(read);
    const { waitMs = 0, signal } = read;
    if (!page.isDrained || waitMs === 0 || this.#clock === undefined) return page;
    await this.#wait(this.#clock, waitMs, signal);
    return { ...this.#page({ ...read, from: { position: page.position } }), isWaitApplied: true };
  }

  async #wait(clock: Clock, waitMs: number, signal: AbortSignal | undefined): Promise<void> {
    const waiting = new AbortController();
    const wake = (): void => waiting.abort();
    this.#waiting.add(waiting);
    signal?.addEventListener('abort', wake, { once: true });
    await clock.sleep(waitMs, waiting.signal);
    signal?.removeEventListener('abort', wake);
    this.#waiting.delete(waiting);
  }

  #page({ range, keys, from, itemsMax = 100, signal }: FeedRead): FeedPage {
    signal?.throwIfAborted();
    const found = this.#ranges.find((each) => (range === undefined ? holds(each, keys) : each.id === range));
    if (found === undefined) throw new DatabaseError('range-gone', 'The range was split or merged.');
    const { items } = found;
    const at =
      from === 'now'
        ? items.length
        : typeof from === 'object' && 'position' in from
          ? Number(JSON.parse(from.position))
          : 0;
    const page = items.slice(at, at + itemsMax);
    return {
      position: `"${at + page.length}"`,
      items: page,
      isDrained: page.length === 0,
      isWaitApplied: false,
      charge: 1,
      tailLsn: items.length,
      sessionToken: undefined,
      serverTimeMs: undefined,
    };
  }

  add(range: string, value: Readonly<Record<string, unknown>>): void {
    this.#wake();
    this.#ranges = this.#ranges.map((each) =>
      each.id === range ? { ...each, items: [...each.items, { value }] } : each,
    );
  }

  /** Both children have all that the parent had; nothing looks at keys here. */
  split(range: string): void {
    this.#wake();
    this.#ranges = this.#ranges.flatMap((each) => {
      if (each.id !== range) return [each];
      const middle = `${each.min}4`;
      if (middle >= each.max) throw new RangeError(`The range ${range} is too small to be split.`);
      const child = { parents: [each.id], items: each.items };
      return [
        { ...child, id: this.#id(), min: each.min, max: middle },
        { ...child, id: this.#id(), min: middle, max: each.max },
      ];
    });
  }

  merge(first: string, second: string): void {
    this.#wake();
    this.#ranges = this.#ranges.flatMap((each, n) => {
      if (each.id === second) return [];
      const next = this.#ranges[n + 1];
      if (each.id !== first || next?.id !== second) return [each];
      return [{ id: this.#id(), min: each.min, max: next.max, parents: [first, second], items: each.items }];
    });
  }

  #wake(): void {
    for (const waiting of this.#waiting) waiting.abort();
  }

  #id(): string {
    return String(this.#nextId++);
  }
}

function edge(n: number, ranges: number): string {
  return Math.floor((n / ranges) * 0xff_ff)
    .toString(16)
    .toUpperCase()
    .padStart(4, '0');
}

function holds(range: KeyRange, keys: KeyRange | undefined): boolean {
  return keys !== undefined && range.min <= keys.min && keys.max <= range.max;
}
