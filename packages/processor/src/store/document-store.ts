// The seam to a container that holds state: leases, what lies beside them, dead letters. Documents by id, changed by
// compare-and-swap only. Behind it: HTTP, a CosmosClient of the user, an engine in this process, memory, the simulation's world.

import type { ContainerPlace } from '../environment.ts';

export type DocumentBody = Readonly<Record<string, unknown>>;

export interface StoredDocument {
  readonly id: string;
  /** As the endpoint gave it. */
  readonly etag: string;
  /** The value of the container's partition key in this document: usually its id, but documents of others may have any. */
  readonly key: string;
  /** All members, system properties included. */
  readonly body: DocumentBody;
}

export interface StoreWatch {
  /** Where the next watch goes on. */
  readonly position: string;
  readonly hasChanged: boolean;
  /** What has changed, as far as the endpoint tells; documents that were removed are not among them. Undefined: look for yourself. */
  readonly changed?: readonly DocumentBody[] | undefined;
  /** The endpoint waited, or would have. False: watching is not worth it here, poll. */
  readonly isWaitApplied: boolean;
}

/**
 * Every method throws a DatabaseError: `conflict` (create), `precondition-failed` and `not-found` (replace, remove),
 * `outcome-unknown` when a write may or may not have been done, `too-many-requests` and `unavailable` when it was not,
 * `request-timeout` for reads, `unauthorized`, `forbidden`, `document-too-large`; or the reason of the signal. Writes are never repeated below this seam unless nothing was
 * done: whoever swaps decides what an open outcome means.
 */
export interface DocumentStore {
  /** For people: `shop/leases`. */
  readonly name: string;
  /** Where it is reached over the network. */
  readonly at?: ContainerPlace | undefined;
  /**
   * Before a processor starts: throws what keeps the container from being of use, `not-found` when it is not there and
   * `invalid-definition` when it is partitioned otherwise or its keys are too short for ids of so many bytes.
   */
  prepare?(idBytesMax: number, signal?: AbortSignal): Promise<void>;
  /** Another container of the same account, by its name `shop/dead`. */
  beside?(name: string): DocumentStore | undefined;
  /** Documents whose ids begin with `idPrefix`, all pages. They may be older than what was written a moment ago. */
  list(idPrefix: string, signal?: AbortSignal): Promise<readonly StoredDocument[]>;
  /** The same, a page at a time, for lists that may be long. Where it is missing there is only the whole. */
  pages?(idPrefix: string, signal?: AbortSignal): AsyncIterable<readonly StoredDocument[]>;
  /** `key` where it is not the id. */
  read(
    id: string,
    options?: { readonly key?: string | undefined; readonly signal?: AbortSignal | undefined },
  ): Promise<StoredDocument | undefined>;
  /** Refused with `conflict` when the id is taken. In containers partitioned by `/partitionKey` that member is set to the id. */
  create(body: DocumentBody & { readonly id: string }, signal?: AbortSignal): Promise<StoredDocument>;
  /** Only if it still is as `document` says. */
  replace(document: StoredDocument, body: DocumentBody, signal?: AbortSignal): Promise<StoredDocument>;
  /** Only if it still is as `document` says. */
  remove(document: StoredDocument, signal?: AbortSignal): Promise<void>;
  /** Resolves when anything in the container has changed since `position` (undefined: since now), or after `waitMs`. */
  watch?(position: string | undefined, waitMs: number, signal?: AbortSignal): Promise<StoreWatch>;
}
