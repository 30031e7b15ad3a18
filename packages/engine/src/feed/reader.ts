// One page of the feed: the scope decides what is walked, the mode what is shown of it.

import { DatabaseError } from '@tidemark/model';
import type { Version } from '../index/documents.ts';
import { decodeVersion } from '../index/documents.ts';
import { partitionBounds } from '../index/keys.ts';
import { pageBytesMax, pageItemsMax, partitionEntriesMax, scanBytesMax } from '../limits.ts';
import type { FeedPage, FeedRequest, FeedScope } from '../range-engine.ts';
import type { ContainerState } from '../state/container-state.ts';
import type { DatabaseState } from '../state/database-state.ts';
import type { RangeState } from '../state/range.ts';
import { readVersion } from '../state/read-documents.ts';
import { isExpired } from '../write/ttl.ts';
import { addLatest } from './latest.ts';
import { LineageWalk } from './lineage-walk.ts';
import { PageBuilder } from './page.ts';
import { addVersions } from './versions.ts';

export async function readFeedPage(
  state: DatabaseState,
  container: ContainerState,
  range: RangeState,
  scope: FeedScope,
  request: FeedRequest,
): Promise<FeedPage> {
  const itemsMax = Math.max(1, Math.min(request.itemsMax, pageItemsMax));
  const bytesMax = Math.max(1, Math.min(request.bytesMax, pageBytesMax));
  const page = new PageBuilder(request.after, itemsMax, bytesMax);
  if (request.mode === 'all') checkHistory(container, range, request.after);
  if (request.after >= range.tailLsn) return finished(page, range, range.tailLsn);
  if (scope.partitionKey !== undefined && request.mode === 'latest') {
    const few = fewVersionsAfter(state, container, range, scope.partitionKey, request.after);
    if (few !== undefined) return readFew(state, range, page, few);
  }
  const filter = {
    nowMs: Math.max(state.environment.clock.nowMs(), range.tailTimeMs),
    partitionKey: scope.partitionKey,
    previousImages: request.previousImages ?? false,
  };
  const walk = new LineageWalk(state, range, request.after, scope.keys);
  for (;;) {
    if (walk.bytesRead >= scanBytesMax && page.count === 0 && page.lastLsn > request.after) break;
    const stretch = await walk.next();
    if (stretch === undefined) return finished(page, range, walk.drainedTail);
    const isComplete =
      request.mode === 'latest'
        ? addLatest(page, container, stretch, filter)
        : await addVersions(page, state, container, range, stretch, filter);
    if (!isComplete) break;
  }
  return finished(page, range, undefined);
}

/** The page as it is; `drainedTail` is the tail up to which nothing was left. */
function finished(page: PageBuilder, range: RangeState, drainedTail: number | undefined): FeedPage {
  return {
    pieces: page.pieces,
    count: page.count,
    last: Math.max(page.lastLsn, drainedTail ?? 0),
    tail: range.tailLsn,
    floor: range.entry.floorLsn,
    isDrained: drainedTail !== undefined,
  };
}

function checkHistory(container: ContainerState, range: RangeState, after: number): void {
  if (container.entry.historyMs === 0) {
    const message = `The container "${container.entry.id}" keeps no history: set changeFeedPolicy.retentionDuration.`;
    throw new DatabaseError('history-off', message);
  }
  if (after < range.entry.floorLsn) {
    const message = 'You must read the change feed from within the retention period.';
    throw new DatabaseError('retention-passed', message, { detail: { floor: range.entry.floorLsn } });
  }
}

/** All live versions of a partition key after an LSN, in LSN order; undefined when there are too many to list. */
function fewVersionsAfter(
  state: DatabaseState,
  container: ContainerState,
  range: RangeState,
  partitionKey: { readonly bytes: Buffer; readonly epk: Buffer },
  after: number,
): { readonly versions: Version[]; readonly tail: number } | undefined {
  const bounds = partitionBounds(container.number, partitionKey.epk, partitionKey.bytes);
  const indexed = state.index.range({ ...bounds, limit: partitionEntriesMax + 1 });
  if (indexed.length > partitionEntriesMax) return undefined;
  const versions = new Map<string, Version | undefined>();
  for (const { key, value } of indexed) versions.set(key.toString('latin1'), decodeVersion(value));
  for (const entry of state.overlay.entriesBetween(bounds.from, bounds.to)) {
    versions.set(entry.key.toString('latin1'), entry.version);
  }
  const nowMs = Math.max(state.environment.clock.nowMs(), range.tailTimeMs);
  const live: Version[] = [];
  for (const version of versions.values()) {
    if (version === undefined || version.lsn <= after || isExpired(version, container.defaultTtl, nowMs)) continue;
    if (container.isPurged(partitionKey.bytes, version.lsn)) continue;
    live.push(version);
  }
  live.sort((a, b) => a.lsn - b.lsn || a.ix - b.ix);
  return { versions: live, tail: range.tailLsn };
}

async function readFew(
  state: DatabaseState,
  range: RangeState,
  page: PageBuilder,
  few: { readonly versions: readonly Version[]; readonly tail: number },
): Promise<FeedPage> {
  for (const version of few.versions) {
    if (version.lsn > page.lastLsn && page.isFull) return finished(page, range, undefined);
    const body = await readVersion(state, version);
    page.lastLsn = version.lsn;
    // Undefined: written anew while the page was read, and its segment is gone; it comes again with its new LSN.
    if (body !== undefined) page.add(body, 1);
  }
  return finished(page, range, few.tail);
}
