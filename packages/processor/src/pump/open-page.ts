// A page of the feed between its arrival and its acknowledgement.

import type { Delivery } from '../feed/change.ts';
import type { FeedItem, FeedPage } from '../feed/feed-source.ts';
import { itemBytesGuess } from '../limits.ts';
import type { DecodedPage, Decoder, InvalidItem } from './deliveries.ts';
import { digest } from './digest.ts';

export class OpenPage {
  readonly page: FeedPage;
  readonly sequence: number;
  readonly sizeBytes: number;
  /** Not handled, parked or skipped yet. */
  left: number;
  /** Acknowledged while others of the page are not; undefined while there are none. */
  settled: Set<number> | undefined;
  readonly #decoder: Decoder;
  #decoded: DecodedPage | undefined;
  #deliveries: Map<number, Delivery> | undefined;

  constructor(page: FeedPage, sequence: number, decoder: Decoder) {
    this.page = page;
    this.sequence = sequence;
    this.sizeBytes = page.sizeBytes ?? page.items.length * itemBytesGuess;
    this.left = page.items.length;
    this.#decoder = decoder;
  }

  get count(): number {
    return this.page.items.length;
  }

  /** Must come before everything below. */
  async decode(): Promise<DecodedPage> {
    this.#decoded ??= await this.#decoder.decode(this.page);
    return this.#decoded;
  }

  get values(): readonly unknown[] {
    return this.#decoded?.values ?? [];
  }

  get invalid(): ReadonlyMap<number, InvalidItem> {
    return this.#decoded?.invalid ?? new Map();
  }

  /** Made on demand: most changes never need it. */
  delivery(index: number): Delivery {
    this.#deliveries ??= new Map();
    const known = this.#deliveries.get(index);
    if (known !== undefined) return known;
    const item = this.page.items[index] as FeedItem; // Indexes are those of the items.
    const made = this.#decoder.deliveryOf(item, this.values[index], this.#decoded?.invalid.get(index));
    this.#deliveries.set(index, made);
    return made;
  }

  /** The same as the delivery's, without the rest of it. */
  laneKeyOf(index: number): string {
    return this.#decoder.laneKeyOf(this.page.items[index] as FeedItem); // Indexes are those of the items.
  }

  /** The short name under which it is remembered. */
  digestOf(index: number): string {
    return digest(this.delivery(index).identity);
  }
}
