// A page of the feed between its arrival and its acknowledgement.

import type { Delivery } from '../feed/change.ts';
import type { FeedItem, FeedPage } from '../feed/feed-source.ts';
import { itemBytesGuess } from '../limits.ts';
import type { DecodedPage, Decoder, DeliveryFacts, InvalidItem } from './deliveries.ts';
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
  /** Read off before any handler has seen the changes. */
  #facts: readonly (DeliveryFacts | undefined)[] = [];
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
    if (this.#decoded === undefined) {
      this.#facts = this.page.items.map((item) => this.#decoder.factsOf(item));
      this.#decoded = await this.#decoder.decode(this.page);
    }
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
    const invalid = this.#decoded?.invalid.get(index);
    const made = this.#decoder.deliveryOf(item, this.values[index], invalid, this.#facts[index]);
    this.#deliveries.set(index, made);
    return made;
  }

  /** The same as the delivery's, without the rest of it. */
  laneKeyOf(index: number): string {
    return this.#decoder.laneKeyOf(this.page.items[index] as FeedItem, this.#facts[index]); // Indexes are those of the items.
  }

  /** As it came from the feed, with the members that tell it from others as they came. Undefined: nobody could parse it. */
  itemOf(index: number): Readonly<Record<string, unknown>> | undefined {
    const item = this.page.items[index] as FeedItem; // Indexes are those of the items.
    const facts = this.#facts[index];
    return 'raw' in item || facts === undefined ? undefined : this.#decoder.restored(item.value, facts);
  }

  /** The short name under which it is remembered. */
  digestOf(index: number): string {
    return digest(this.delivery(index).identity);
  }
}
