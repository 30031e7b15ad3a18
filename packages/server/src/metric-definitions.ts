// Every metric: its name, what it is, and its labels. Labels have few values, all of them known beforehand: an operation is
// one of the route table, a status one of those that the server answers with. Names of containers are no labels.

export interface MetricDefinition {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
}

/** Upper bounds, in seconds. */
export const durationBuckets: readonly number[] = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60,
];

export const lagBuckets: readonly number[] = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 10,
];

export const metricDefinitions: readonly MetricDefinition[] = [
  gauge('tidemark_info', 'Always 1; the versions are in the labels.', 'version', 'node'),
  gauge('tidemark_uptime_seconds', 'Since the server was started.'),
  gauge('tidemark_healthy', '1 when the engine can do all of its work, otherwise 0.'),

  counter('tidemark_requests_total', 'Requests that were answered.', 'operation', 'status'),
  {
    name: 'tidemark_request_duration_seconds',
    type: 'histogram',
    help: 'From the head of a request to its answer, waiting for changes included.',
    labels: ['operation'],
  },
  counter('tidemark_request_charge_total', 'Request units that answers have reported.', 'operation'),
  gauge('tidemark_requests_under_way', 'Requests that are not answered yet, waiting ones included.'),
  counter('tidemark_requests_unanswered_total', 'Requests whose client went away first.'),
  counter('tidemark_throttled_total', 'Requests that were answered with 429.'),
  counter('tidemark_defects_total', 'Errors that are faults of the server itself; the log has them.'),
  counter('tidemark_faults_injected_total', 'What the faults of the admin API have struck.'),
  gauge('tidemark_connections', 'Open connections of clients.'),
  counter('tidemark_connections_refused_total', 'Connections that were closed at once because there were too many.'),
  counter('tidemark_connections_evicted_total', 'Idle connections that were closed to make room for others.'),

  counter('tidemark_commit_groups_total', 'Groups of writes that shared a flush.'),
  counter('tidemark_commit_units_total', 'Writes, batches counted as one; by groups it is the size of a group.'),
  counter('tidemark_commit_bytes_total', 'What groups took of the log.'),
  counter('tidemark_flush_seconds_total', 'Time that flushes of the log took; by groups it is the time of one.'),

  gauge('tidemark_feed_waiters', 'Readers of the change feed that wait for a commit.'),
  gauge('tidemark_feed_streams', 'Open streams of server-sent events.'),
  {
    name: 'tidemark_feed_lag_seconds',
    type: 'histogram',
    help: 'From the commit that woke a waiting reader of the change feed to its answer, or to the event of a stream.',
    labels: [],
  },

  gauge('tidemark_databases', 'Databases.'),
  gauge('tidemark_containers', 'Containers.'),
  gauge('tidemark_ranges', 'Partition key ranges of all containers.'),

  gauge('tidemark_log_bytes', 'What the segments of the log hold.'),
  gauge('tidemark_log_segments', 'Segments of the log.'),
  gauge('tidemark_index_bytes', 'What the index takes of the disk. Missing in memory.'),
  gauge('tidemark_index_behind_groups', 'Groups that are in the log and not yet in the index.'),
  gauge('tidemark_disk_free_bytes', 'Free on the disk of the data folder. Missing in memory.'),

  gauge('tidemark_memory_bytes', 'Memory of the process, and what is known to be in it.', 'kind'),
  counter('tidemark_event_loop_active_seconds_total', 'Time that the event loop was busy.'),
  counter('tidemark_event_loop_idle_seconds_total', 'Time that the event loop had nothing to do.'),
  gauge(
    'tidemark_event_loop_delay_seconds',
    'How late timers were since the last scrape. The first scrape begins to measure.',
    'quantile',
  ),
];

function counter(name: string, help: string, ...labels: string[]): MetricDefinition {
  return { name, type: 'counter', help, labels };
}

function gauge(name: string, help: string, ...labels: string[]): MetricDefinition {
  return { name, type: 'gauge', help, labels };
}
