// Every header name that the protocol adds to HTTP, and those of HTTP that have a meaning of their own here. Names are in
// lower case, as node:http reports them; clients compare without case.

export const header = {
  // Identity and version.
  authorization: 'authorization',
  date: 'x-ms-date',
  httpDate: 'date',
  version: 'x-ms-version',
  activityId: 'x-ms-activity-id',

  // What a request is about.
  partitionKey: 'x-ms-documentdb-partitionkey',
  rangeId: 'x-ms-documentdb-partitionkeyrangeid',
  startEpk: 'x-ms-start-epk',
  endEpk: 'x-ms-end-epk',
  readKeyType: 'x-ms-read-key-type',
  feedStart: 'x-tidemark-start',
  changeFeed: 'a-im',
  feedFormat: 'x-ms-cosmos-changefeed-wire-format-version',
  ifMatch: 'if-match',
  ifNoneMatch: 'if-none-match',
  ifModifiedSince: 'if-modified-since',
  prefer: 'prefer',
  contentType: 'content-type',
  lastEventId: 'last-event-id',
  isUpsert: 'x-ms-documentdb-is-upsert',
  isQuery: 'x-ms-documentdb-isquery',
  enableCrossPartition: 'x-ms-documentdb-query-enablecrosspartition',
  isQueryPlan: 'x-ms-cosmos-is-query-plan-request',
  isBatch: 'x-ms-cosmos-is-batch-request',
  isBatchAtomic: 'x-ms-cosmos-batch-atomic',
  continueOnError: 'x-ms-cosmos-batch-continue-on-error',
  preTriggers: 'x-ms-documentdb-pre-trigger-include',
  postTriggers: 'x-ms-documentdb-post-trigger-include',
  intendedContainer: 'x-ms-cosmos-intended-collection-rid',
  tokenSeconds: 'x-ms-documentdb-expiry-seconds',
  consistencyLevel: 'x-ms-consistency-level',
  readStrategy: 'x-ms-cosmos-read-consistency-strategy',
  priority: 'x-ms-cosmos-priority-level',
  throughputBucket: 'x-ms-cosmos-throughput-bucket',
  populateQuota: 'x-ms-documentdb-populatequotainfo',
  correlatedActivityId: 'x-ms-cosmos-correlated-activityid',
  throughput: 'x-ms-offer-throughput',
  autoscale: 'x-ms-cosmos-offer-autopilot-settings',
  offerType: 'x-ms-offer-type',
  migrateToAutoscale: 'x-ms-cosmos-migrate-offer-to-autopilot',
  migrateToManual: 'x-ms-cosmos-migrate-offer-to-manual-throughput',

  // Paging, in both directions.
  itemsMax: 'x-ms-max-item-count',
  continuation: 'x-ms-continuation',
  itemCount: 'x-ms-item-count',

  // What an answer says.
  etag: 'etag',
  lastModified: 'last-modified',
  charge: 'x-ms-request-charge',
  substatus: 'x-ms-substatus',
  retryAfterMs: 'x-ms-retry-after-ms',
  preferenceApplied: 'preference-applied',
  sessionToken: 'x-ms-session-token',
  lsn: 'lsn',
  ownerRid: 'x-ms-content-path',
  ownerPath: 'x-ms-alt-content-path',
  schemaVersion: 'x-ms-schemaversion',
  mediaStorageMax: 'x-ms-max-media-storage-usage-mb',
  mediaStorageUsed: 'x-ms-media-storage-usage-mb',
  offerReplacePending: 'x-ms-offer-replace-pending',
  throughputLeast: 'x-ms-cosmos-min-throughput',
  resourceQuota: 'x-ms-resource-quota',
  resourceUsage: 'x-ms-resource-usage',
  indexProgress: 'x-ms-documentdb-collection-index-transformation-progress',
  /** Ours: which injected fault this answer is. */
  fault: 'x-tidemark-fault',
} as const;

export type HeaderName = (typeof header)[keyof typeof header];
