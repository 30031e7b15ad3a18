// A container in memory as a feed: for tests of handlers, and for programs that have no database. It behaves like the real ones:
// LSNs per range, the latest version of each document or all of them, transactions in one piece, splits and merges.

import { systemEnvironment } from '@tidemark/client';
import type { KeyRange, PartitionKeyDefinition, PartitionKeyValues } from '@tidemark/model';
import {
  compareHex,
  containerRid,
  DatabaseError,
  databaseRid,
  documentRid,
  effectiveKey,
  effectiveKeyHex,
  extractPartitionKey,
  formatPartitionKeyHeader,
  keyRangeContains,
  middleOfKeyRange,
  parsePartitionKeyPath,
  sliceKeySpace,
} from '@tidemark/model';
import type { Clock } from '../environment.ts';
import { notNeeded } from '../environment.ts';
import type {
  FeedItem,
  FeedPage,
  FeedRead,
  FeedSource,
  FeedStart,
  PhysicalRange,
  SourceIdentity,
} from './feed-source.ts';

export interface MemoryFeedOptions {
  /** The one of this machine by default. */
  readonly clock?: Clock;
  readonly ranges?: number;
  /** `/pk` by default. */
  readonly partitionKey?: string;
  readonly name?: string;
}

type Fields = Readonly<Record<string, unknown>>;

interface Version {
  readonly lsn: number;
  readonly epk: string;
  /** Of the document: partition key and id. */
  readonly address: string;
  readonly timeMs: number;
  readonly latest: Fields | undefined;
  readonly envelope: Fields;
}

interface Range extends PhysicalRange {
  lsn: number;
  versions: Version[];
}

const itemsByDefault = 100;

export class MemoryFeedSource implements FeedSource {
  readonly #clock: Clock;
  readonly #name: string;
  readonly #path: string;
  readonly #definition: PartitionKeyDefinition;
  #ranges: Range[];
  #rangeIds = 0;
  #documentNumbers = 0;
  readonly #current = new Map<string, { readonly fields: Fields; readonly lsn: number }>();
  readonly #waiting = new Set<() => void>();

  constructor({ clock, ranges = 1, partitionKey = '/pk', name = 'memory/changes' }: MemoryFeedOptions = {}) {
    this.#clock = clock ?? systemEnvironment().clock;
    this.#name = name;
    this.#path = partitionKey;
    this.#definition = { paths: [partitionKey], kind: 'Hash', version: 2 };
    this.#ranges = sliceKeySpace(this.#definition, ranges).map((keys) => this.#newRange(keys, [], 0, []));
  }

  /** Writes documents of one partition key in one transaction: they are one commit, and come together. */
  put(...documents: readonly (Fields & { readonly id: string })[]): void {
    const [first] = documents;
    if (first === undefined) return;
    const key = this.#keyOf(first);
    const range = this.#rangeOf(key.epk);
    range.lsn += 1;
    for (const document of documents) {
      if (this.#keyOf(document).text !== key.text) {
        throw new DatabaseError('partition-key-mismatch', 'The documents of one transaction have one partition key.');
      }
      this.#write(range, key, document);
    }
    this.#wake();
  }

  remove(partitionKey: PartitionKeyValues[number], id: string): void {
    const key = this.#keyOfValues([partitionKey]);
    const address = `${key.text} ${id}`;
    const before = this.#current.get(address);
    if (before === undefined) throw new DatabaseError('not-found', `There is no document ${id}.`);
    const range = this.#rangeOf(key.epk);
    range.lsn += 1;
    const timeMs = this.#clock.nowMs();
    const metadata = {
      ...this.#metadata(range.lsn, timeMs, 'delete', before.lsn),
      timeToLiveExpired: false,
      id,
      partitionKey: { [this.#path.slice(1)]: partitionKey },
    };
    const envelope = { current: {}, previous: before.fields, metadata };
    range.versions.push({ lsn: range.lsn, epk: key.epk, address, timeMs, latest: undefined, envelope });
    this.#current.delete(address);
    this.#wake();
  }

  split(id: string): void {
    const parent = this.#range(id);
    const middle = middleOfKeyRange(parent, this.#definition);
    const children = [
      { min: parent.min, max: middle },
      { min: middle, max: parent.max },
    ].map((keys) => this.#newRange(keys, [...parent.parents, id], parent.lsn, parent.versions));
    this.#replaceRanges([parent], children);
  }

  merge(left: string, right: string): void {
    const parents = [this.#range(left), this.#range(right)].sort((a, b) => compareHex(a.min, b.min));
    const [first, second] = parents as [Range, Range];
    if (first.max !== second.min) throw new DatabaseError('bad-request', 'Only neighbours can be merged.');
    const versions = [...first.versions, ...second.versions].sort((a, b) => a.lsn - b.lsn);
    const names = [...first.parents, ...second.parents, left, right];
    const lsn = Math.max(first.lsn, second.lsn);
    this.#replaceRanges(parents, [this.#newRange({ min: first.min, max: second.max }, names, lsn, versions)]);
  }

  async identity(signal?: AbortSignal): Promise<SourceIdentity> {
    signal?.throwIfAborted();
    return {
      account: 'memory',
      databaseRid: databaseRid(1),
      containerRid: containerRid(1, 1),
      name: this.#name,
      partitionKeyPaths: [this.#path],
    };
  }

  async ranges(signal?: AbortSignal): Promise<readonly PhysicalRange[]> {
    signal?.throwIfAborted();
    return this.#ranges.map(({ id, min, max, parents }) => ({ id, min, max, parents }));
  }

  async read(read: FeedRead): Promise<FeedPage> {
    const { from, waitMs, signal } = read;
    signal?.throwIfAborted();
    const range = this.#scopeOf(read);
    const after = startOf(from, range);
    let page = this.#page(read, range, after);
    if (waitMs === undefined || !page.isDrained) return page;
    const over = new AbortController();
    const time = this.#clock.sleep(waitMs, over.signal);
    let isOver = false;
    void time.then(() => {
      isOver = true;
    });
    try {
      while (page.isDrained && !isOver) {
        await this.#news(time, signal);
        page = this.#page(read, this.#scopeOf(read), after);
      }
      return page;
    } finally {
      over.abort(notNeeded);
    }
  }

  #page({ mode, keys, itemsMax = itemsByDefault }: FeedRead, range: Range, after: number): FeedPage {
    const items: FeedItem[] = [];
    let last = after;
    for (const version of range.versions) {
      if (version.lsn <= after || (keys !== undefined && !keyRangeContains(keys, version.epk))) continue;
      const value = mode === 'latest' ? this.#latestOf(version) : version.envelope;
      if (value === undefined) continue;
      // Never inside a commit.
      if (items.length >= itemsMax && version.lsn !== last) break;
      items.push({ value: structuredClone(value) });
      last = version.lsn;
    }
    const isDrained = items.length === 0;
    return {
      position: `"${isDrained ? Math.max(after, range.lsn) : last}"`,
      items,
      isDrained,
      isWaitApplied: true,
      charge: 0,
      tailLsn: range.lsn,
      sessionToken: undefined,
      serverTimeMs: undefined,
    };
  }

  /** Only the version that is the last one of its document. */
  #latestOf(version: Version): Fields | undefined {
    const current = this.#current.get(version.address);
    return current?.lsn === version.lsn ? version.latest : undefined;
  }

  #write(range: Range, key: Key, document: Fields & { readonly id: string }): void {
    const address = `${key.text} ${document.id}`;
    const before = this.#current.get(address);
    const timeMs = this.#clock.nowMs();
    this.#documentNumbers += 1;
    const rid = before?.fields['_rid'] ?? documentRid(1, 1, this.#documentNumbers);
    const fields = {
      ...structuredClone(document),
      _rid: rid,
      _self: `dbs/${databaseRid(1)}/colls/${containerRid(1, 1)}/docs/${String(rid)}/`,
      _etag: `"${range.id}-${range.lsn}-${this.#documentNumbers}"`,
      _ts: Math.floor(timeMs / 1000),
    };
    const { lsn } = range;
    const metadata = this.#metadata(lsn, timeMs, before === undefined ? 'create' : 'replace', before?.lsn);
    const latest = { ...fields, _lsn: lsn };
    range.versions.push({ lsn, epk: key.epk, address, timeMs, latest, envelope: { current: fields, metadata } });
    this.#current.set(address, { fields, lsn });
  }

  #metadata(lsn: number, timeMs: number, operationType: string, previous: number | undefined): Fields {
    const crts = Math.floor(timeMs / 1000);
    return { lsn, crts, operationType, ...(previous === undefined ? {} : { previousImageLSN: previous }) };
  }

  #scopeOf({ range, keys }: FeedRead): Range {
    if (range !== undefined) return this.#range(range);
    const holder = this.#ranges.find(({ min, max }) => keys !== undefined && min <= keys.min && keys.max <= max);
    if (holder !== undefined) return holder;
    throw new DatabaseError('range-gone', 'The keys do not lie in one range any more.');
  }

  #range(id: string): Range {
    const found = this.#ranges.find((range) => range.id === id);
    if (found !== undefined) return found;
    throw new DatabaseError('range-gone', `There is no range ${id} any more.`);
  }

  #rangeOf(epk: string): Range {
    const found = this.#ranges.find((range) => keyRangeContains(range, epk));
    if (found !== undefined) return found;
    throw new DatabaseError('internal', 'The ranges have a hole.');
  }

  #newRange(keys: KeyRange, parents: readonly string[], lsn: number, versions: readonly Version[]): Range {
    const id = String(this.#rangeIds);
    this.#rangeIds += 1;
    return { ...keys, id, parents, lsn, versions: versions.filter(({ epk }) => keyRangeContains(keys, epk)) };
  }

  #replaceRanges(old: readonly Range[], by: readonly Range[]): void {
    const rest = this.#ranges.filter((range) => !old.includes(range));
    this.#ranges = [...rest, ...by].sort((a, b) => compareHex(a.min, b.min));
    this.#wake();
  }

  #keyOf(document: Fields): Key {
    return this.#keyOfValues(extractPartitionKey(document, [parsePartitionKeyPath(this.#path)]));
  }

  #keyOfValues(values: PartitionKeyValues): Key {
    const epk = effectiveKeyHex(effectiveKey(this.#definition, values, Buffer.alloc));
    return { text: formatPartitionKeyHeader(values), epk };
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve();
  }

  async #news(time: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
    let wake = (): void => {};
    const news = new Promise<void>((resolve) => {
      wake = resolve;
    });
    this.#waiting.add(wake);
    signal?.addEventListener('abort', wake, { once: true });
    await Promise.race([news, time]);
    this.#waiting.delete(wake);
    signal?.removeEventListener('abort', wake);
    signal?.throwIfAborted();
  }
}

interface Key {
  readonly text: string;
  readonly epk: string;
}

function startOf(from: FeedStart, range: Range): number {
  if (from === 'beginning') return 0;
  if (from === 'now') return range.lsn;
  if ('timeMs' in from) {
    const second = Math.floor(from.timeMs / 1000);
    const first = range.versions.find(({ timeMs }) => Math.floor(timeMs / 1000) > second);
    return first === undefined ? range.lsn : first.lsn - 1;
  }
  const lsn = /^"?(\d+)"?$/.exec(from.position)?.[1];
  if (lsn !== undefined) return Number(lsn);
  throw new DatabaseError('invalid-continuation', `'${from.position}' is not a position of this feed.`);
}
