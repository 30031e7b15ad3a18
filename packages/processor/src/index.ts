// The public API: the change feed processor, and of the signed HTTP client what programs around it need.

export type {
  BulkOperation,
  BulkOutcome,
  CallOptions,
  ChangesOptions,
  ChangesStart,
  Clock,
  Connection,
  ContainerDefinition,
  CreateContainerOptions,
  Credential,
  DocumentAnswer,
  DocumentInput,
  Environment,
  FeedScope,
  Ground,
  ListOptions,
  PatchOperation,
  Query,
  RangeInfo,
  ReadOptions,
  Renewable,
  ResourceJson,
  RestClientOptions,
  RestErrorFacts,
  RestRequest,
  TokenRequest,
  WriteOptions,
} from '@tidemark/client';
export {
  accountFromEnvironment,
  ChangePage,
  DocumentPage,
  isRestError,
  parseConnectionString,
  RestClient,
  RestContainer,
  RestError,
  RestResponse,
  systemEnvironment,
} from '@tidemark/client';
export type { ContainerAddress, SourceInput, StoreInput } from './connect.ts';
export { createProcessor } from './create-processor.ts';
export type { EventSink, HealthProblem, ProcessorEvent } from './events.ts';
export type { FailureAction, FailurePolicy, RetryPolicy } from './failure-policy.ts';
export type { ChangedDocument, SystemProperties, VersionChange } from './feed/change.ts';
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
export type { MemoryFeedOptions } from './feed/memory-feed-source.ts';
export { MemoryFeedSource } from './feed/memory-feed-source.ts';
export { RestFeedSource } from './feed/rest-feed-source.ts';
export type { StopOptions } from './host/host.ts';
export type { ChangeBatch } from './iterate.ts';
export { iterateChanges } from './iterate.ts';
export type { Lag, LagOptions, RangeLag } from './lag.ts';
export type { LogFacts, Logger } from './logger.ts';
export type { BatchContext, CloseReason, Handler, HandlerResult, Observer, RangeContext } from './observer.ts';
export { BatchError } from './observer.ts';
export type { GroupOptions, GroupStatus, HostStatus, RangeStatus } from './operate.ts';
export { openGroup, ProcessorGroup } from './operate.ts';
export type { CheckpointOption, CommonOptions, LatestOptions, ProcessorOptions, VersionsOptions } from './options.ts';
export type { EngineContainer } from './outside/engine-container.ts';
export type { SdkClient, SdkStarts } from './outside/sdk-client.ts';
export type { Processor, ProcessorState, ProcessorStatus } from './processor.ts';
export type { ProcessorErrorCode } from './processor-error.ts';
export { isProcessorError, ProcessorError } from './processor-error.ts';
export type {
  DeadLetterOffice,
  LetterFilter,
  ListLettersOptions,
  ReplayLettersOptions,
} from './pump/dead-letter-office.ts';
export type { DeadLetter, LetterReason } from './pump/dead-letters.ts';
export type { LetterSummary } from './pump/letter-summary.ts';
export type { StandardIssue, StandardResult, StandardSchema } from './pump/schema.ts';
export { ChangeFeedEventHost, ChangeFeedProcessorHost } from './seeds/change-feed-event-host.ts';
export type {
  ChangeFeedObserver,
  ChangeFeedObserverContext,
  ChangeFeedObserverFactory,
} from './seeds/change-feed-observer.ts';
export type { ChangeFeedProcessor } from './seeds/change-feed-processor-builder.ts';
export { ChangeFeedProcessorBuilder } from './seeds/change-feed-processor-builder.ts';
export type { ChangeFeedObserverCloseReason } from './seeds/close-reason.ts';
export type { DocumentCollectionInfo, FeedCollection, LeaseCollection } from './seeds/collection-info.ts';
export type {
  HealthMonitor,
  HealthMonitoringRecord,
  HealthSeverity,
  MonitoredOperation,
} from './seeds/health-monitor.ts';
export type { PartitionLoadBalancingStrategy, StrategyLease } from './seeds/load-balancing-strategy.ts';
export type {
  CheckpointPartitionProcessorFactory,
  LeaseCheckpointer,
  PartitionLease,
  PartitionProcessor,
  PartitionProcessorFactory,
} from './seeds/partition-processor.ts';
export type { RemainingPartitionWork } from './seeds/remaining-work-estimator.ts';
export { RemainingWorkEstimator } from './seeds/remaining-work-estimator.ts';
export type {
  ChangeFeedHostOptions,
  ChangeFeedOptions,
  ChangeFeedProcessorOptions,
  CheckpointFrequency,
} from './seeds/seed-options.ts';
export type { DocumentBody, DocumentStore, StoredDocument, StoreWatch } from './store/document-store.ts';
export type { MemoryStoreOptions } from './store/memory-store.ts';
export { MemoryDocumentStore } from './store/memory-store.ts';
export { RestStore } from './store/rest-store.ts';
