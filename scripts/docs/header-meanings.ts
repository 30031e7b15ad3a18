// What each header does here. A header that is new in the list of the model does not compile until it has its row.
// tidy: table

import { header } from '@tidemark/model';

type HeaderKey = keyof typeof header;

interface HeaderMeaning {
  /** Who sends it: the client, the server, or either. */
  readonly by: 'client' | 'server' | 'both';
  readonly what: string;
}

const client = (what: string): HeaderMeaning => ({ by: 'client', what });
const server = (what: string): HeaderMeaning => ({ by: 'server', what });
const both = (what: string): HeaderMeaning => ({ by: 'both', what });

const groups: readonly { readonly title: string; readonly first: HeaderKey }[] = [
  { title: 'Identity and version', first: 'authorization' },
  { title: 'What a request is about', first: 'partitionKey' },
  { title: 'Pages', first: 'itemsMax' },
  { title: 'What an answer says', first: 'etag' },
];

const meanings: { readonly [K in HeaderKey]: HeaderMeaning } = {
  authorization: client(
    'a signature with a key, or a resource token; on `/_tidemark/` also `Bearer` and a key: [authorization](authorization.md)',
  ),
  date: client('the time that is signed; 15 minutes off at most'),
  httpDate: client('the same, where there is no `x-ms-date`'),
  version: client(
    'the API version; it chooses the form of session tokens, of containers without a key, and of start times',
  ),
  activityId: server('the name of this answer in the log'),

  partitionKey: client(
    'the partition key as a JSON array: `["a"]`, `[null]`, `[{}]` for undefined, `["a","b"]` for a hierarchical one',
  ),
  rangeId: both('the one range that is read, by its id or as `RID,ID`; on an answer the range that served it'),
  startEpk: client('where a part of the key space begins, an effective partition key in hex'),
  endEpk: client('where it ends'),
  readKeyType: client('`EffectivePartitionKeyRange` is the only kind of those two; another is 400'),
  feedStart: client(
    'where a feed begins when there is no `If-None-Match`: `beginning`, `now` or a time, in both modes: [change-feed](change-feed.md)',
  ),
  changeFeed: client(
    '`Incremental Feed` or `Full-Fidelity Feed` makes a list of documents or ranges a feed; without regard to case',
  ),
  feedFormat: client(
    '`2021-09-15`: latest versions come in envelopes too, `{current, metadata}`; all versions always do; another value is 400',
  ),
  ifMatch: client('write only if the document still has this etag, otherwise 412'),
  ifNoneMatch: client(
    'of a feed: where to go on, `*` is now; of a document that is read: 304 if it still has this etag; of an upsert: `*`, only if it is not there, otherwise 412',
  ),
  ifModifiedSince: client('of a feed: changes after the second of this time; `If-None-Match` counts more'),
  prefer: client('`return=minimal`: no body after a write; `wait=N` (ours): wait up to N seconds for a change'),
  contentType: both(
    '`application/query+json` is a query; on answers `application/json`, of an event stream `text/event-stream`',
  ),
  lastEventId: client('of an event stream: go on after this event; browsers send it when they connect again'),
  isUpsert: client('create or replace'),
  isQuery: client('the body is a query'),
  enableCrossPartition: client(
    'a query over more than one partition key is allowed; without it and without a key it is 400',
  ),
  isQueryPlan: client('asks for the plan of a query instead of its results'),
  queryFeatures: client('what the client can put together itself, names with commas; a plan that needs more is 400'),
  queryVersion: client('of a plan; not looked at'),
  populateQueryMetrics: client('`true`: the answer of a query says what it has cost'),
  populateIndexMetrics: client('`true`: the answer of a query says which indexes it used, in base64'),
  populateIndexMetricsV2: client('the same, as JSON'),
  isBatch: client('the body is a list of operations'),
  isBatchAtomic: client('all or nothing; `false` is a bulk, each operation for itself'),
  continueOnError: client('`true`: a bulk goes on after an operation that failed; without it the rest is not tried'),
  preTriggers: client('501: triggers are not supported'),
  postTriggers: client('501: triggers are not supported'),
  intendedContainer: client(
    'the rid of the container that is meant; another one of the same name is 400 with substatus 1024',
  ),
  tokenSeconds: client(
    'how long the resource token of a permission is good for: 10 to 18,000 seconds, an hour by default',
  ),
  consistencyLevel: client(
    "the account's level (`--consistency`) or a weaker one, otherwise 400; one below `Session` does not wait for the session token",
  ),
  readStrategy: client(
    '`Eventual`, `Session`, `LatestCommitted` or `GlobalStrong` in the place of a level, as clients of Java send it; `GlobalStrong` needs an account of level `Strong`',
  ),
  priority: client('`Low` or `High`, otherwise 400; changes nothing'),
  throughputBucket: client('1 to 5, otherwise 400; changes nothing'),
  populateQuota: client('`true`: reading a container tells its quota and use'),
  correlatedActivityId: both('comes back as it came'),
  throughput: client('of a new database or container: RU/s, 400 to 1,000,000'),
  autoscale: client('of a new database or container: `{"maxThroughput":4000}`'),
  offerType: client('501: performance levels (`S1`, `S2`, `S3`) are not supported'),
  migrateToAutoscale: client('a manual offer becomes autoscale'),
  migrateToManual: client('an autoscale offer becomes manual'),

  itemsMax: client('items on a page; -1 for as many as fit'),
  continuation: both('where the next page of a list or query begins; a feed never has one'),
  itemCount: server('items on this page, also on the 304 of a feed'),

  etag: server('of a document or other resource: its version; of a feed: where to go on'),
  lastModified: server('when the resource was changed'),
  charge: server('what it cost, in request units: [charges](charges.md)'),
  substatus: server('which of several reasons an error has; missing where there is one only: [errors](errors.md)'),
  retryAfterMs: server('when to come back after a 429 or 503, in milliseconds'),
  preferenceApplied: server('`wait=N`: the server can wait, and would have for so long at most (ours)'),
  sessionToken: both(
    '`range:-1#LSN`, or `range:LSN` for clients of before 2018-06-18; a read waits for nothing and is 404 with substatus 1002 if it has not come that far',
  ),
  lsn: server('of a write: its LSN; of a read: the last of its range'),
  ownerRid: server('the rid of what the resource is in; of documents the container'),
  ownerPath: server('its path by name'),
  schemaVersion: server('always `1.19`; clients look for it'),
  mediaStorageMax: server('on the account, for clients that read it; there is no media'),
  mediaStorageUsed: server('the same'),
  offerReplacePending: server('`true` while splits that a raised offer asks for are going on'),
  throughputLeast: server('how far an offer may be lowered'),
  resourceQuota: server('what a container may hold'),
  resourceUsage: server('about what it holds'),
  queryMetrics: server('sixteen figures of a query: [query-requests](query-requests.md)'),
  queryExecutionInfo: server('in which direction rows of one sort key come; always forwards'),
  indexUtilization: server('which indexes a query used; there are none yet'),
  indexProgress: server('always 100: there is no index to transform'),
  fault: server('the injected fault that this answer is: [faults](admin.md#faults)'),
};

export interface HeaderRow extends HeaderMeaning {
  readonly name: string;
  readonly isOurs: boolean;
}

/** In the order of the list, under its headings. */
export function headerGroups(): { readonly title: string; readonly rows: readonly HeaderRow[] }[] {
  // The keys of `header` are those of its type.
  const keys = Object.keys(header) as HeaderKey[];
  const starts = groups.map(({ first }) => keys.indexOf(first));
  return groups.map(({ title }, i) => ({
    title,
    rows: keys.slice(starts[i], starts[i + 1]).map((key) => ({
      name: header[key],
      isOurs: header[key].startsWith('x-tidemark-'),
      ...meanings[key],
    })),
  }));
}
