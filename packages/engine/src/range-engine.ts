// The seam between the document database and what stores it. The embedded engine satisfies it here, PostgreSQL can later;
// one contract suite holds both to it. What Cosmos means by a write is not in an engine but in `decide`, which it is given.
//
// Promises that every engine keeps:
//   - a range gives its commits LSNs without gaps, +1 each, in the order in which readers come to see them;
//   - nothing is visible before it is durable, and nothing is acknowledged before it is visible;
//   - a page of the feed never cuts a unit, and what a page has shown is never withdrawn.

import type { ErrorCode, KeyRange } from '@tidemark/model';
import type { ContainerDefinition } from './container-definition.ts';
import type { MatchOptions, NamedResources } from './named-resource.ts';
import type { Unit } from './write/command.ts';
import type { DecideContext, DecideView, Decision } from './write/decision.ts';

/** Facts that the layers above may use. */
export interface EngineProfile {
  /** Other processes write to the same data. */
  readonly shared: boolean;
  readonly push: 'inproc' | 'notify' | 'poll';
  readonly merge: boolean;
  readonly maxUnitBytes: number;
  readonly syncReads: boolean;
}

export type Decide = (view: DecideView, unit: Unit, context: DecideContext) => Decision;

export interface DatabaseInfo {
  readonly number: number;
  readonly id: string;
  readonly rid: string;
  readonly etag: string;
  readonly timeMs: number;
}

export interface ContainerInfo {
  readonly number: number;
  readonly database: number;
  readonly id: string;
  readonly rid: string;
  readonly etag: string;
  readonly timeMs: number;
  readonly definition: ContainerDefinition;
  readonly historyMs: number;
  /** Set while it is being split until it has so many. */
  readonly rangesWanted?: number;
}

/** The value of an offer that comes in the same commit, and goes with what it is for. */
export interface OfferOptions {
  readonly offer?: unknown;
}

export interface RangeInfo extends KeyRange {
  readonly id: string;
  readonly parents: readonly string[];
  readonly tailLsn: number;
  readonly floorLsn: number;
  /** About what its latest versions occupy. */
  readonly sizeBytes: number;
  /** How many it has; after a split or merge only the sum over a container is exact. Those whose time is over count until they are swept. */
  readonly documents: number;
}

/** A stored version: `bytes` is the document with all system members, `_lsn` last. */
export interface StoredDocument {
  readonly lsn: number;
  readonly ix: number;
  readonly etag: string;
  readonly timeMs: number;
  /** Of `bytes`, which are made when somebody asks for them. */
  readonly sizeBytes: number;
  readonly bytes: Buffer;
}

export type UnitOutcome =
  | { readonly kind: 'created' | 'replaced' | 'read'; readonly document: StoredDocument }
  | { readonly kind: 'deleted' | 'unchanged' }
  | { readonly kind: 'not-modified'; readonly etag: string }
  | { readonly kind: 'rejected'; readonly code: ErrorCode; readonly message: string };

export interface UnitResult {
  readonly isCommitted: boolean;
  readonly range: string;
  /** The LSN of the unit; of one that was rejected or changed nothing, the tail of its range. */
  readonly lsn: number;
  readonly outcomes: readonly UnitOutcome[];
}

export interface DocumentKey {
  readonly partitionKey: Buffer;
  readonly epk: Buffer;
  readonly id: string;
}

/** What a feed reads: a range, or the part of it that an interval or a partition key selects. */
export interface FeedScope {
  readonly container: number;
  readonly range: string;
  readonly keys?: KeyRange;
  readonly partitionKey?: { readonly bytes: Buffer; readonly epk: Buffer };
}

/** What a reader waits for: a range or the whole container, all of it, an interval of its keys, or one key. */
export interface WatchScope {
  readonly range?: string;
  readonly keys?: KeyRange;
  readonly epk?: Uint8Array;
}

export interface FeedRequest {
  readonly mode: 'latest' | 'all';
  /** Changes after this LSN. */
  readonly after: number;
  readonly itemsMax: number;
  readonly bytesMax: number;
  /** Latest versions: each as `{current, metadata: {lsn, crts}}`, its document without `_lsn`. */
  readonly isWrapped?: boolean;
  /** All versions: whether every version carries the one before it, where that is kept, whatever the container's policy says. */
  readonly previousImages?: boolean;
}

export interface FeedPage {
  /** JSON values, joined by commas, in as few pieces as possible; ready to be put between brackets. */
  readonly pieces: readonly Buffer[];
  readonly count: number;
  /** How far this page has looked: the `after` of the next one. Never less than the request's. */
  readonly last: number;
  /** The tail of the range when the page was made. */
  readonly tail: number;
  readonly floor: number;
  /** Nothing was left to look at when the page ended. */
  readonly isDrained: boolean;
  /**
   * Gives the pieces back, once their bytes have been copied or are not needed: the next page is read into the same memory,
   * which is far faster than into new. After it they hold anything. Who does not call it leaves them to the collector.
   */
  readonly release?: () => void;
}

/** The documents of a container as they were at one moment. Whoever opens it closes it, soon: it costs memory for what is written meanwhile. */
export interface Snapshot {
  /** What was written meanwhile is more than can be kept. A scan of it fails. */
  readonly isLost: boolean;
  close(): void;
}

/** A batch of the documents of a range, in the order of their creation. */
export interface ScanRequest {
  /** A `continuation` or an `end` of the batch before; undefined for the first one. */
  readonly from: number | undefined;
  readonly itemsMax: number;
  /** The batch ends with the document that reaches it. */
  readonly bytesMax: number;
  /** Only documents of these effective keys: intervals in their order, of which none touches another. */
  readonly keys?: readonly KeyRange[];
  /** Only documents of this partition key. */
  readonly partitionKey?: { readonly bytes: Buffer; readonly epk: Buffer };
  /** Only documents with these ids. */
  readonly ids?: readonly string[];
  /** The documents as they were at its moment; without one as they are now. */
  readonly snapshot?: Snapshot;
  /** A batch before has said that there are too many of them to be listed by their keys. */
  readonly areMany?: boolean;
}

export interface ScannedDocument extends StoredDocument {
  /** Its place in the order of creation, over all ranges of the container. */
  readonly ridNumber: number;
}

export interface ScanBatch {
  /** Their bytes belong to whoever asked; nothing changes them. */
  readonly documents: readonly ScannedDocument[];
  /** The tail of the range whose versions these are; of a snapshot that of its moment. */
  readonly tail: number;
  /** Everything before this has been seen: a batch that begins here has what was created later, too. */
  readonly end: number;
  /** Where the next batch begins; undefined when there is none. A batch may be empty and have one. */
  readonly continuation: number | undefined;
  /** The documents of the keys asked for are too many to be listed by their keys: the range was walked, and so it will be. */
  readonly areMany: boolean;
}

export interface RangeEngine {
  readonly profile: EngineProfile;

  databases(): DatabaseInfo[];
  findDatabase(id: string): DatabaseInfo | undefined;
  createDatabase(id: string, options?: OfferOptions): Promise<DatabaseInfo>;
  deleteDatabase(id: string, options?: MatchOptions): Promise<void>;

  containers(database: string): ContainerInfo[];
  /** By name; undefined when there is no such container. Throws when there is no such database. */
  findContainer(database: string, id: string): ContainerInfo | undefined;
  /** By number. Throws when the container is no more. */
  container(number: number): ContainerInfo;
  createContainer(
    database: string,
    definition: ContainerDefinition,
    options: { readonly ranges: number; readonly historyMs: number } & OfferOptions,
  ): Promise<ContainerInfo>;
  replaceContainer(
    container: number,
    definition: ContainerDefinition,
    options: { readonly historyMs: number } & MatchOptions,
  ): Promise<ContainerInfo>;
  deleteContainer(container: number, options?: MatchOptions): Promise<void>;
  /** How long every version is kept from now on; 0 keeps only the latest. The container is otherwise as it was. */
  setHistory(container: number, historyMs: number): Promise<void>;

  /** Offers, users, permissions, keys, scripts: whatever else has a name. */
  readonly resources: NamedResources;

  /** The live ranges, in the order of the key space. */
  ranges(container: number): RangeInfo[];
  /** A live range by its id. Throws range-gone when it has been split or merged, range-unknown when it never was. */
  range(container: number, id: string): RangeInfo;
  /** The id of the range that holds this effective partition key. */
  rangeOf(container: number, epk: Uint8Array): string;
  /** Two children go on where the range ends; `at` is the first key of the second one. */
  split(container: number, range: string, at?: string): Promise<readonly RangeInfo[]>;
  /** Splits, in the background and also after a restart, until there are so many: the largest range first. */
  grow(container: number, ranges: number): Promise<void>;
  /** Two neighbours become one. */
  merge(container: number, left: string, right: string): Promise<RangeInfo>;
  onRoutingChange(callback: (container: number) => void): void;

  /** In this range, or in whichever holds the partition key by the time that it is decided. */
  commit(container: number, range: string | undefined, unit: Unit, decide: Decide): Promise<UnitResult>;

  /** At once when the bytes are in memory and `syncReads` is true: a promise would cost as much as the read. */
  get(container: number, key: DocumentKey): StoredDocument | undefined | Promise<StoredDocument | undefined>;
  getMany(container: number, keys: readonly DocumentKey[]): Promise<(StoredDocument | undefined)[]>;
  getByRid(container: number, ridNumber: number): Promise<StoredDocument | undefined>;
  /** Every document of the container that is visible now, and no later change, for scans. */
  snapshot(container: number): Snapshot;
  /** Documents of a range in the order of their creation. Without a snapshot what is written between two batches is seen, or not. */
  scan(container: number, range: string, request: ScanRequest): Promise<ScanBatch>;
  /** Deletes every document of a partition key; they are gone for everybody when this resolves. */
  deletePartition(container: number, partitionKey: { readonly bytes: Buffer; readonly epk: Buffer }): Promise<void>;

  feed(scope: FeedScope, request: FeedRequest): Promise<FeedPage>;
  /** The last LSN whose changes are all at or before this time: a feed after it begins with what came later. */
  lsnAt(container: number, range: string, timeMs: number): number;
  /**
   * Calls back at every commit that may concern the scope, and when its range or container is no more. It may call too
   * often, never too seldom: whoever was not called has missed nothing. Returns how to stop.
   */
  watch(container: number, scope: WatchScope, callback: () => void): () => void;

  /** Raises the floor of every range to what the container's history still has to keep. */
  trim(container: number): Promise<void>;
  /** Deletes documents whose time is over, a bounded number of them. Resolves with how many. */
  sweep(container: number): Promise<number>;
}
