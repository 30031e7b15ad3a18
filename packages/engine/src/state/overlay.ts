// The overlay: what is durable in the log and visible, and not yet in the index. Every read looks here first.
//
// An entry leaves when the index transaction that holds it can be seen by readers, and only if no newer group has replaced
// the entry meanwhile; so a reader always finds a version in one of the two.
//
// What is decided and not yet on disk is kept with it, so that a write is looked up and entered once: of each document the
// newest entry, which holds on to the one under it until it is published itself. Only decisions see those.

import type { Version } from '../index/documents.ts';
import type { Slice } from '../index/slices.ts';
import { overlayBytesMax, overlayRecordsMax } from '../limits.ts';
import type { FrameView } from '../log/frame.ts';

export interface OverlayEntry {
  readonly container: number;
  /** The doc key; made when it is asked for. */
  readonly key: Buffer;
  /** Undefined: the document was deleted. */
  readonly version: Version | undefined;
  /** Of the group that published it. */
  readonly order: number;
  /** Not published yet. */
  readonly isStaged?: boolean;
}

/** An entry on its way from the decision to the index. */
export interface PassingEntry extends OverlayEntry {
  order: number;
  isStaged: boolean;
  /** While it is staged: the entry before it, published or not. */
  under: OverlayEntry | undefined;
}

export interface RecentSlice {
  readonly slice: Slice;
  readonly view: FrameView;
  readonly order: number;
}

interface UniqueEntry {
  readonly id: string | undefined;
  readonly order: number;
}

export class Overlay {
  readonly #versions = new Map<string, OverlayEntry>();
  readonly #uniques = new Map<string, UniqueEntry>();
  readonly #slices = new Map<number, RecentSlice[]>();
  #records = 0;
  #bytes = 0;
  #order = 0;

  get isFull(): boolean {
    return this.#records >= overlayRecordsMax || this.#bytes >= overlayBytesMax;
  }

  /** So much that the index should take it now: while it does, as much again may come. */
  get isFilling(): boolean {
    return this.#records >= overlayRecordsMax / 4 || this.#bytes >= overlayBytesMax / 2;
  }

  get records(): number {
    return this.#records;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The number of the group that was published last, counted from the open; log positions may repeat in a rebuild. */
  get order(): number {
    return this.#order;
  }

  /** By the doc key as Latin-1 text; `undefined` means: ask the index. */
  find(keyText: string): OverlayEntry | undefined {
    const entry = this.#versions.get(keyText);
    return entry?.isStaged === true ? publishedUnder(entry as PassingEntry) : entry;
  }

  /** The same, for decisions. */
  findDecided(keyText: string): OverlayEntry | undefined {
    return this.#versions.get(keyText);
  }

  stage(keyText: string, entry: PassingEntry): void {
    entry.isStaged = true;
    entry.under = this.#versions.get(keyText);
    this.#versions.set(keyText, entry);
  }

  /** Gives the entry it replaces. Staged entries are published in the order in which they were staged. */
  publish(keyText: string, entry: PassingEntry, order: number): OverlayEntry | undefined {
    entry.order = order;
    if (!entry.isStaged) {
      const before = this.find(keyText);
      this.#put(keyText, entry);
      return before;
    }
    const before = entry.under;
    entry.isStaged = false;
    entry.under = undefined;
    return before;
  }

  /** The same version at another place. */
  move(keyText: string, entry: OverlayEntry): void {
    this.#put(keyText, entry);
  }

  /** Forgets whatever was staged. */
  unstageAll(): void {
    for (const [keyText, entry] of this.#versions) {
      if (entry.isStaged !== true) continue;
      const published = publishedUnder(entry as PassingEntry);
      if (published === undefined) this.#versions.delete(keyText);
      else this.#versions.set(keyText, published);
    }
  }

  #put(keyText: string, entry: OverlayEntry | undefined): void {
    const newest = this.#versions.get(keyText);
    if (newest?.isStaged === true) lowestStaged(newest as PassingEntry).under = entry;
    else if (entry === undefined) this.#versions.delete(keyText);
    else this.#versions.set(keyText, entry);
  }

  findUnique(keyText: string): { readonly id: string | undefined } | undefined {
    return this.#uniques.get(keyText);
  }

  putUnique(keyText: string, id: string | undefined, order: number): void {
    this.#uniques.set(keyText, { id, order });
  }

  addSlice(range: number, recent: RecentSlice): void {
    const list = this.#slices.get(range);
    if (list === undefined) this.#slices.set(range, [recent]);
    else list.push(recent);
  }

  /** In LSN order. */
  slices(range: number): readonly RecentSlice[] {
    return this.#slices.get(range) ?? noSlices;
  }

  /** Entries whose key lies in [from, to), in key order. The overlay is small: it is simply searched. */
  entriesBetween(from: Buffer, to: Buffer): OverlayEntry[] {
    const first = from.toString('latin1');
    const end = to.toString('latin1');
    const found: { readonly keyText: string; readonly entry: OverlayEntry }[] = [];
    // Latin-1 text compares as its bytes do.
    for (const [keyText, newest] of this.#versions) {
      if (keyText < first || keyText >= end) continue;
      const entry = newest.isStaged === true ? publishedUnder(newest as PassingEntry) : newest;
      if (entry !== undefined) found.push({ keyText, entry });
    }
    found.sort((a, b) => (a.keyText < b.keyText ? -1 : 1));
    return found.map(({ entry }) => entry);
  }

  *entries(): IterableIterator<OverlayEntry> {
    for (const newest of this.#versions.values()) {
      const entry = newest.isStaged === true ? publishedUnder(newest as PassingEntry) : newest;
      if (entry !== undefined) yield entry;
    }
  }

  /** Makes room for one more group; gives its order. */
  grow(records: number, bytes: number): number {
    this.#records += records;
    this.#bytes += bytes;
    this.#order += 1;
    return this.#order;
  }

  /**
   * Takes out the last versions of these documents if the index has them, as it has everything up to and including the group with
   * this order.
   */
  shed(order: number, keys: readonly string[]): void {
    for (const key of keys) {
      const entry = this.find(key);
      if (entry !== undefined && entry.order <= order) this.#put(key, undefined);
    }
  }

  /** The same with everything else of those groups, which have so many records and bytes: there is room for as much again. */
  shrink(order: number, uniqueKeys: Iterable<string>, records: number, bytes: number): void {
    for (const key of uniqueKeys) {
      const entry = this.#uniques.get(key);
      if (entry !== undefined && entry.order <= order) this.#uniques.delete(key);
    }
    for (const [range, list] of this.#slices) {
      const keep = list.findIndex((recent) => recent.order > order);
      if (keep === -1) this.#slices.delete(range);
      else if (keep > 0) list.splice(0, keep);
    }
    this.#records -= records;
    this.#bytes -= bytes;
  }
}

// Whatever says that it is staged came through `stage`, and so did what is under it as far as that says so.

function publishedUnder(entry: PassingEntry): OverlayEntry | undefined {
  return lowestStaged(entry).under;
}

function lowestStaged(entry: PassingEntry): PassingEntry {
  let lowest = entry;
  while (lowest.under?.isStaged === true) lowest = lowest.under as PassingEntry;
  return lowest;
}

const noSlices: readonly RecentSlice[] = [];
