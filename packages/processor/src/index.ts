// The public API: the signed HTTP client. The change feed processor will stand on it.

export type { BulkOperation, BulkOutcome } from './client/bulk.ts';
export { operationBytes } from './client/bulk.ts';
export type { Connection } from './client/connection.ts';
export { parseConnectionString } from './client/connection.ts';
export type { Credential, TokenRequest } from './client/credential.ts';
export { ChangePage, DocumentPage } from './client/feed-page.ts';
export { onOneLine, withoutMembers } from './client/json-spans.ts';
export type { CreateContainerOptions, ResourceJson, RestClientOptions } from './client/rest-client.ts';
export { RestClient } from './client/rest-client.ts';
export type {
  ChangesOptions,
  ChangesStart,
  DocumentAnswer,
  DocumentInput,
  FeedScope,
  ListOptions,
  PatchOperation,
  Query,
  RangeInfo,
  ReadOptions,
  WriteOptions,
} from './client/rest-container.ts';
export { RestContainer } from './client/rest-container.ts';
export type { RestErrorFacts } from './client/rest-error.ts';
export { isRestError, RestError } from './client/rest-error.ts';
export type { CallOptions, RestRequest } from './client/transport.ts';
export { RestResponse } from './client/transport.ts';
export type { Clock, Environment } from './environment.ts';
export type {
  FeedItem,
  FeedMode,
  FeedPage,
  FeedRead,
  FeedSource,
  FeedStart,
  PhysicalRange,
  SourceIdentity,
} from './feed/feed-source.ts';
export { RestFeedSource } from './feed/rest-feed-source.ts';
export { bulkBytesMax } from './limits.ts';
export type { DocumentBody, DocumentStore, StoredDocument, StoreWatch } from './store/document-store.ts';
export { RestStore } from './store/rest-store.ts';
