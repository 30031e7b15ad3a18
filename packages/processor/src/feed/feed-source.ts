// The seam to the container whose changes are read. Behind it: HTTP (`rest-feed-source.ts`), a CosmosClient of the user
// (`sdk-feed-source.ts`), an engine in this process (`engine-feed-source.ts`), memory, and the simulation's world.

import type { KeyRange, PartitionKeyDefinition } from '@tidemark/model';
import type { ContainerPlace } from '../environment.ts';

/** `latest`: the last version of each document. `all-versions`: every version, deletes included, as long as history is kept. */
export type FeedMode = 'latest' | 'all-versions';

export type FeedStart = 'beginning' | 'now' | { readonly position: string } | { readonly timeMs: number };

export interface SourceIdentity {
  /** Host of the account's endpoint, without its port: lease ids begin with it (processor.md 1.2). */
  readonly account: string;
  readonly databaseRid: string;
  readonly containerRid: string;
  /** For people: `shop/orders`. */
  readonly name: string;
  /** `/tenant`, `/user/id`: where documents carry their partition key. */
  readonly partitionKeyPaths: readonly string[];
  /** Where the endpoint tells it: which range has a key. Missing means version 2. */
  readonly partitionKey?: PartitionKeyDefinition | undefined;
}

/** A physical range of the container as of now. */
export interface PhysicalRange extends KeyRange {
  readonly id: string;
  readonly parents: readonly string[];
}

export interface FeedRead {
  /** The physical range; where it is missing, the source finds the one that has `keys` (leases by key range have no id). */
  readonly range?: string | undefined;
  /** The part of the key space that is read; missing means all of `range`. */
  readonly keys?: KeyRange | undefined;
  readonly mode: FeedMode;
  readonly from: FeedStart;
  /** A hint: what was committed together comes together. */
  readonly itemsMax?: number | undefined;
  /** An empty feed is answered only after this time, where the endpoint can wait; elsewhere at once. */
  readonly waitMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One change as it came: parsed, or the bytes that nobody could parse. */
export type FeedItem =
  | { readonly value: Readonly<Record<string, unknown>> }
  | { readonly raw: Uint8Array; readonly reason: string };

export interface FeedPage {
  /** Where to go on: the etag as it came, quotes included. Also after a page without changes. */
  readonly position: string;
  readonly items: readonly FeedItem[];
  /** Nothing was left at that moment (304). A page that is empty without it has looked at much and found nothing yet. */
  readonly isDrained: boolean;
  /** The endpoint waited, or would have: the next read need not be delayed. */
  readonly isWaitApplied: boolean;
  readonly charge: number;
  /** Of the page as it came; reading ahead is bounded by it. Missing: it is estimated. */
  readonly sizeBytes?: number | undefined;
  /** The newest LSN of the range, from the session token; undefined where the endpoint does not tell. */
  readonly tailLsn: number | undefined;
  readonly sessionToken: string | undefined;
  /** The endpoint's clock, from its `Date` header; undefined in one process. */
  readonly serverTimeMs: number | undefined;
}

/**
 * Every method throws a DatabaseError: `range-gone` when the range was split or merged (also when `keys` do not lie in one range any
 * more), `retention-passed`, `invalid-continuation`, `container-not-found`, `too-many-requests`, `unavailable`, `request-timeout`,
 * `unauthorized`, `forbidden`; or the reason of the signal. It does not retry by itself what takes longer than a moment: how long a
 * host bears a failing feed is decided above.
 */
export interface FeedSource {
  /** Where it is reached over the network. */
  readonly at?: ContainerPlace | undefined;
  identity(signal?: AbortSignal): Promise<SourceIdentity>;
  /** They cover the key space without gap. Never from a cache: a host asks because it was told that ranges changed. */
  ranges(signal?: AbortSignal): Promise<readonly PhysicalRange[]>;
  read(read: FeedRead): Promise<FeedPage>;
}
