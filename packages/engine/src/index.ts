// The public API: an embeddable document database with its change feed.

export type { ErrorCode } from '@tidemark/model';
export { DatabaseError, isDatabaseError } from '@tidemark/model';
export type { ExplainedBlock, ExplainedQuery } from '@tidemark/query';
export type { BatchOutcome, BatchResult } from './batch-result.ts';
export type { CheckReport } from './check.ts';
export type {
  DeleteOptions,
  FeedOf,
  PartitionKeyInput,
  PatchOptions,
  WriteOptions,
  WriteResult,
} from './container.ts';
export { Container } from './container.ts';
export type {
  ChangeFeedPolicy,
  ConflictResolutionPolicy,
  ContainerDefinition,
  UniqueKeyPolicy,
} from './container-definition.ts';
export type { ContainerOptions, OpenOptions } from './database.ts';
export { Database, isBackupFolder, openDatabase, restoreDatabase } from './database.ts';
export { Document } from './document.ts';
export type { EngineFigures, EngineHealth } from './embedded/health.ts';
export type { Clock, Environment } from './environment.ts';
export type { ChangeFeedOptions, ChangePage, FeedStart } from './feed/change-feed.ts';
export { ChangeFeed } from './feed/change-feed.ts';
export type { GeospatialConfig, IndexingPolicy } from './indexing-policy.ts';
export type { LongWorkOptions } from './long-work.ts';
export type { MatchOptions, NamedInfo, NamedKind, NamedResources, NewNamed } from './named-resource.ts';
export { accountNumber } from './named-resource.ts';
export type { QueryOptions, QueryParameters, QueryRows } from './query/query.ts';
export { ContainerQuery } from './query/query.ts';
export type { ContainerInfo, DatabaseInfo, OfferOptions, RangeInfo, UnitOutcome } from './range-engine.ts';
export type { BatchOperation, DocumentInput } from './write/batch-operation.ts';
export type { PatchOperation } from './write/command.ts';
