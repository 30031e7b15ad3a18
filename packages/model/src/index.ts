export type {
  CreateChange,
  DeleteChange,
  LatestChange,
  OperationType,
  ReplaceChange,
  StoredDocument,
  VersionChange,
  WrappedChange,
} from './change.ts';
export { isCreate, isDelete, isReplace } from './change.ts';
export type { ConsistencyLevel } from './consistency.ts';
export { consistencyLevels, parseConsistencyLevel } from './consistency.ts';
export type { EtagParts } from './document.ts';
export {
  formatEtag,
  isSystemProperty,
  parseEtag,
  systemProperties,
  validateDocumentId,
  validateResourceName,
  validateTtl,
  writeEtag,
  writeEtagIx,
} from './document.ts';
export { effectiveKey, effectiveKeyFromHex, effectiveKeyHex, effectiveKeyPrefixRange } from './effective-key.ts';
export type { DatabaseErrorOptions, ErrorCode } from './errors.ts';
export {
  assert,
  DatabaseError,
  errorCodes,
  errorMeanings,
  InvariantError,
  isDatabaseError,
  unreachable,
} from './errors.ts';
export type { FeedEtag, FeedPart, FeedPosition, FeedSlice } from './feed-etag.ts';
export {
  feedPartsTile,
  formatFeedEtag,
  joinFeedParts,
  narrowFeedParts,
  parseFeedEtag,
  setFeedParts,
  uniformFeedParts,
} from './feed-etag.ts';
export type { HeaderName } from './headers.ts';
export { header } from './headers.ts';
export { decodeJsonKey, decodeJsonKeys, encodeJsonKey, encodeJsonKeys } from './json-key.ts';
export type { MemberSpan, ObjectFacts } from './json-scan.ts';
export { hasOverflow, memberSpans, scanObject } from './json-scan.ts';
export type { KeyRange, KeySpace } from './key-range.ts';
export {
  compareHex,
  intersectKeyRanges,
  keyRangeContains,
  keyRangesIntersect,
  keyRangesTile,
  keySpaceMax,
  keySpaceMin,
  middleOfKeyRange,
  sliceKeySpace,
} from './key-range.ts';
export {
  batchBytesMax,
  batchOperationsMax,
  documentBytesMax,
  documentDepthMax,
  documentIdBytesMax,
  partitionKeyBytesMax,
  partitionKeyBytesMaxV1,
  partitionKeyPathsMax,
  patchOperationsMax,
  resourceNameCharsMax,
  ttlSecondsMax,
  uniqueKeyPathsMax,
  uniqueKeysMax,
} from './limits.ts';
export { isLoopback } from './loopback.ts';
export type { JsonValue } from './order.ts';
export { compareCodePoints, compareJson, jsonTypeRank } from './order.ts';
export type {
  ParsedPartitionKeyPath,
  ParsePartitionKeyOptions,
  PartitionKeyComponent,
  PartitionKeyValues,
} from './partition-key.ts';
export {
  checkPartitionKeySize,
  decodePartitionKeyBytes,
  encodePartitionKeyBytes,
  extractPartitionKey,
  formatPartitionKeyHeader,
  parsePartitionKeyHeader,
  partitionKeyComponent,
  partitionKeyEquals,
  partitionKeyValues,
} from './partition-key.ts';
export type { PartitionKeyDefinition } from './partition-key-definition.ts';
export {
  defaultPartitionKeyPath,
  parsePartitionKeyPath,
  validatePartitionKeyDefinition,
} from './partition-key-definition.ts';
export type { ContainerChildKind, ResourceId, ResourceIdKind } from './resource-id.ts';
export {
  attachmentRid,
  conflictRid,
  containerChildRid,
  containerRid,
  containerRidPrefix,
  databaseRid,
  documentRid,
  documentRidChars,
  documentRidWriter,
  offerRid,
  parseResourceId,
  partitionKeyRangeRid,
  permissionRid,
  storedProcedureRid,
  triggerRid,
  userDefinedFunctionRid,
  userRid,
} from './resource-id.ts';
export type { ResourceKind, ResourcePath } from './resource-path.ts';
export { formatResourcePath, kindsInContainers, parseResourcePath } from './resource-path.ts';
export type { RegionLsn, SessionToken } from './session-token.ts';
export {
  compareSessionTokens,
  formatSessionToken,
  formatSessionTokens,
  mergeSessionTokens,
  parseSessionTokens,
  readsVectorTokens,
  sessionTokenFor,
  vectorTokensSince,
} from './session-token.ts';
export { letterEdits, nearestName } from './spelling.ts';
export type { Offer, Throughput } from './throughput.ts';
export {
  autoscaleThroughput,
  changedOffer,
  defaultThroughput,
  leastThroughput,
  manualThroughput,
  migrated,
  newOffer,
  peakOf,
  rangesForThroughput,
} from './throughput.ts';
export { utf8Length } from './utf8.ts';
export { wellKnownKey } from './well-known-key.ts';
