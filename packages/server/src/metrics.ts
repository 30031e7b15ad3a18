// The metrics of one server. Everything is looked up when somebody asks; only the delay of the event loop has to be measured
// all the time, and that begins with the first scrape: a server that nobody scrapes pays nothing for it.

import { statfs } from 'node:fs/promises';
import type { IntervalHistogram } from 'node:perf_hooks';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Database } from '@tidemark/engine';
import { Exposition } from './exposition.ts';
import type { ListenerFigures } from './listener.ts';
import { RequestTally } from './request-tally.ts';
import { version } from './version.ts';
import type { WaitingRoom } from './waiting-room.ts';

export interface MetricSources {
  readonly database: Database;
  readonly room: Pick<WaitingRoom, 'streams' | 'lagSeconds'>;
  readonly connections: () => ListenerFigures;
  readonly faultHits: () => number;
}

const loopResolutionMs = 20;

export class Metrics {
  readonly requests: RequestTally = new RequestTally();
  readonly #sources: MetricSources;
  readonly #startedMs = performance.now();
  #loopDelay: IntervalHistogram | undefined;

  constructor(sources: MetricSources) {
    this.#sources = sources;
  }

  async text(): Promise<string> {
    const { database, room, connections, faultHits } = this.#sources;
    const disk = await diskOf(database);
    const exposition = new Exposition();
    exposition.add('tidemark_info', 1, version, process.versions.node);
    exposition.add('tidemark_uptime_seconds', (performance.now() - this.#startedMs) / 1000);
    exposition.add('tidemark_healthy', database.health.status === 'ok' ? 1 : 0);
    this.requests.expose(exposition);
    exposition.add('tidemark_faults_injected_total', faultHits());
    const { connections: open, refused, evicted } = connections();
    exposition.add('tidemark_connections', open);
    exposition.add('tidemark_connections_refused_total', refused);
    exposition.add('tidemark_connections_evicted_total', evicted);
    exposition.add('tidemark_feed_streams', room.streams);
    exposition.addHistogram('tidemark_feed_lag_seconds', room.lagSeconds);
    exposeEngine(exposition, database);
    if (disk.indexBytes !== undefined) exposition.add('tidemark_index_bytes', disk.indexBytes);
    if (disk.freeBytes !== undefined) exposition.add('tidemark_disk_free_bytes', disk.freeBytes);
    exposeMemory(exposition, database);
    this.#exposeLoop(exposition);
    return exposition.text;
  }

  close(): void {
    this.#loopDelay?.disable();
  }

  #exposeLoop(exposition: Exposition): void {
    const { active, idle } = performance.eventLoopUtilization();
    exposition.add('tidemark_event_loop_active_seconds_total', active / 1000);
    exposition.add('tidemark_event_loop_idle_seconds_total', idle / 1000);
    const delay = this.#loopDelay;
    if (delay === undefined) {
      this.#loopDelay = monitorEventLoopDelay({ resolution: loopResolutionMs });
      this.#loopDelay.enable();
      return;
    }
    // A histogram of nothing has a mean of NaN, and percentiles of 0 that nobody measured.
    if (delay.count === 0) return;
    const late = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - loopResolutionMs / 1000);
    exposition.add('tidemark_event_loop_delay_seconds', late(delay.percentile(50)), '0.5');
    exposition.add('tidemark_event_loop_delay_seconds', late(delay.percentile(99)), '0.99');
    exposition.add('tidemark_event_loop_delay_seconds', late(delay.max), '1');
    delay.reset();
  }
}

function exposeEngine(exposition: Exposition, database: Database): void {
  const { figures } = database;
  exposition.add('tidemark_commit_groups_total', figures.groups);
  exposition.add('tidemark_commit_units_total', figures.units);
  exposition.add('tidemark_commit_bytes_total', figures.groupBytes);
  exposition.add('tidemark_flush_seconds_total', figures.flushMs / 1000);
  exposition.add('tidemark_feed_waiters', figures.waiters);
  const databases = database.databases();
  const containers = databases.flatMap(({ id }) => database.containers(id));
  const ranges = containers.reduce((sum, { number }) => sum + database.engine.ranges(number).length, 0);
  exposition.add('tidemark_databases', databases.length);
  exposition.add('tidemark_containers', containers.length);
  exposition.add('tidemark_ranges', ranges);
  exposition.add('tidemark_log_bytes', figures.segmentBytes);
  exposition.add('tidemark_log_segments', figures.segments);
  exposition.add('tidemark_index_behind_groups', figures.sequence - figures.indexedSequence);
}

function exposeMemory(exposition: Exposition, { figures }: Database): void {
  const { rss, heapUsed, external, arrayBuffers } = process.memoryUsage();
  const { overlayBytes, bitmapBytes } = figures;
  const kinds = { rss, heap: heapUsed, external, buffers: arrayBuffers, overlay: overlayBytes, bitmaps: bitmapBytes };
  for (const [kind, bytes] of Object.entries(kinds)) exposition.add('tidemark_memory_bytes', bytes, kind);
}

async function diskOf(
  database: Database,
): Promise<{ readonly indexBytes: number | undefined; readonly freeBytes: number | undefined }> {
  const { folder } = database;
  if (folder === undefined) return { indexBytes: undefined, freeBytes: undefined };
  // Not every file system tells; a metric that is missing says so.
  const [index, space] = await Promise.allSettled([database.indexBytes(), statfs(folder)]);
  return {
    indexBytes: index.status === 'fulfilled' ? index.value : undefined,
    freeBytes: space.status === 'fulfilled' ? space.value.bavail * space.value.bsize : undefined,
  };
}
