// The public API: the signed HTTP client. The change feed processor will stand on it.

export type { BulkOperation, BulkOutcome } from './bulk.ts';
export { operationBytes } from './bulk.ts';
export type { Connection } from './connection.ts';
export { parseConnectionString } from './connection.ts';
export type { Credential, TokenRequest } from './credential.ts';
export type { Clock, Environment } from './environment.ts';
export { ChangePage, DocumentPage } from './feed-page.ts';
export { onOneLine, withoutMembers } from './json-spans.ts';
export { bulkBytesMax } from './limits.ts';
export type { CreateContainerOptions, ResourceJson, RestClientOptions } from './rest-client.ts';
export { RestClient } from './rest-client.ts';
export type {
  ChangesOptions,
  DocumentAnswer,
  DocumentBody,
  FeedMode,
  FeedScope,
  FeedStart,
  ListOptions,
  PatchOperation,
  RangeInfo,
  WriteOptions,
} from './rest-container.ts';
export { RestContainer } from './rest-container.ts';
export type { RestErrorFacts } from './rest-error.ts';
export { isRestError, RestError } from './rest-error.ts';
export type { CallOptions, RestRequest } from './transport.ts';
export { RestResponse } from './transport.ts';
