// Where a collection is, in the words of the older APIs.

import type { ContainerAddress, SourceInput, StoreInput } from '../connect.ts';

export interface DocumentCollectionInfo {
  /** Endpoint of the account. */
  readonly uri: string;
  readonly masterKey: string;
  readonly databaseName: string;
  readonly collectionName: string;
}

/** Anything that a processor can read or keep leases in is taken too. */
export type FeedCollection = DocumentCollectionInfo | SourceInput;
export type LeaseCollection = DocumentCollectionInfo | StoreInput;

export function addressOf<T extends object>(collection: DocumentCollectionInfo | T): ContainerAddress | T {
  if (!('masterKey' in collection)) return collection;
  const { uri, masterKey, databaseName, collectionName } = collection;
  return { endpoint: uri, key: masterKey, database: databaseName, container: collectionName };
}
