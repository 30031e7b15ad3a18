// The signed HTTP client of Cosmos DB: accounts, containers, documents and feeds over the network, and which failures it repeats.

export { accountFromEnvironment } from './account.ts';
export { systemEnvironment } from './ambient.ts';
export type { BulkOperation, BulkOutcome } from './bulk.ts';
export { operationBytes } from './bulk.ts';
export type { Connection } from './connection.ts';
export { parseConnectionString } from './connection.ts';
export type { Credential, Renewable, TokenRequest } from './credential.ts';
export type { Clock, Environment, Ground } from './environment.ts';
export { notNeeded } from './environment.ts';
export { ChangePage, DocumentPage } from './feed-page.ts';
export { onOneLine, withoutMembers } from './json-spans.ts';
export { bulkBytesMax, requestMsMax, retryPauseMsMax, retryPauseMsMin, waitGraceMs } from './limits.ts';
export { nearContainer } from './near-container.ts';
export type {
  ContainerDefinition,
  CreateContainerOptions,
  ResourceJson,
  RestClientOptions,
} from './rest-client.ts';
export { RestClient } from './rest-client.ts';
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
} from './rest-container.ts';
export { RestContainer } from './rest-container.ts';
export type { RestErrorFacts } from './rest-error.ts';
export { codeOfStatus, isRestError, RestError } from './rest-error.ts';
export { brokenMessage, failureOfConnection, isTrustError } from './retry.ts';
export { readMasterKey } from './signature.ts';
export type { CallOptions, RestRequest } from './transport.ts';
export { RestResponse } from './transport.ts';
