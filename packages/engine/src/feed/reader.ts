// One page of the feed: the scope decides what is walked, the mode what is shown of it.

import type { KeyRange } from '@tidemark/model';
import { DatabaseError, effectiveKeyHex, keyRangesIntersect } from '@tidemark/model';
import type { Version } from '../index/documents.ts';
import { decodeVersion } from '../index/documents.ts';
import { partitionBounds } from '../index/keys.ts';
import { looksPerTurn, pageBytesMax, pageItemsMax, partitionEntriesMax, scanBytesMax } from '../limits.ts';
import type { FeedPage, FeedRequest, FeedScope } from '../range-engine.ts';
import type { RangeEntry } from '../state/catalog.ts';
import type { ContainerState } from '../state/container-state.ts';
import type { DatabaseState } from '../state/database-state.ts';
import type { RangeState } from '../state/range.ts';
import { checkKeyBounds } from '../state/range.ts';
import { readVersion } from '../state/read-documents.ts';
import { isExpired } from '../write/ttl.ts';
import { keptRunsOf } from './kept-runs.ts';
import { addLatest, addRun, wrapped } from './latest.ts';
import { LineageWalk } from './lineage-walk.ts';
import { PageBuilder } from './page.ts';
import { addVersions } from './versions.ts';

/** What is read, as it is now. */
export interface FeedTarget {
  readonly container: ContainerState;
  readonly range: RangeState;
}

/**
 * `find` throws `range-gone` once the range is no more. It is asked for every attempt: compaction gives the records of a range that was split
 * to its children, and then the range that is no more has nothing left, which would pass for the end of its feed.
 */
export async function readFeedPage(
  state: DatabaseState,
  find: () => FeedTarget,
  scope: FeedScope,
  request: FeedRequest,
): Promise<FeedPage> {
  await state.takeTurns();
  for (;;) {
    const layout = await state.steadyLayout();
    const { container, range } = find();
    const page = await readOnce(state, container, range, scope, request);
    // Compaction came between: a swap takes far longer than a page, so the next attempt is as good as alone.
    if (page !== undefined && state.layout === layout) return page;
  }
}

/** Undefined when what decides about the page has changed while it was made. */
async function readOnce(
  state: DatabaseState,
  container: ContainerState,
  range: RangeState,
  scope: FeedScope,
  request: FeedRequest,
): Promise<FeedPage | undefined> {
  const itemsMax = Math.max(1, Math.min(request.itemsMax, pageItemsMax));
  const bytesMax = Math.max(1, Math.min(request.bytesMax, pageBytesMax));
  const page = new PageBuilder(request.after, itemsMax, bytesMax);
  const { isWrapped = false } = request;
  if (scope.keys !== undefined) checkKeyBounds(scope.keys);
  if (request.mode === 'all') checkHistory(container, range, scope, request.after);
  if (request.after >= range.tailLsn) return finished(page, range, range.tailLsn);
  if (scope.partitionKey !== undefined && request.mode === 'latest') {
    const few = fewVersionsAfter(state, container, range, scope.partitionKey, request.after);
    if (few !== undefined) return readFew(state, range, page, { ...few, isWrapped });
  }
  const filter = {
    nowMs: Math.max(state.environment.clock.nowMs(), range.tailTimeMs),
    partitionKey: scope.partitionKey,
    previousImages: request.previousImages ?? false,
    isWrapped,
  };
  // Whoever chooses among records needs the tables, and does not know how much there is to look at.
  const chooses = filter.partitionKey !== undefined || container.defaultTtl !== undefined || container.purges.size > 0;
  const needsTables = request.mode === 'all' || isWrapped || chooses;
  const walk = new LineageWalk(state, range, request.after, scope.keys, { needsTables, goesOn: true });
  const room = chooses ? anyRoom : page;
  for (let looks = 1; ; looks += 1) {
    // Of warm data nothing makes a walk wait; the ones it skips over may be many.
    if (looks % looksPerTurn === 0) await state.environment.clock.nextTurn();
    if (page.isHalfFull) {
      const coming = walk.peek();
      if (coming !== undefined && coming.lsn > page.lastLsn && page.endsBefore(coming.run)) break;
    }
    const isExhausted = walk.bytesRead >= scanBytesMax && page.count === 0 && page.lastLsn > request.after;
    const soon = walk.next(room);
    const next = soon instanceof Promise ? await soon : soon;
    if (next === undefined) return finished(page, range, walk.drainedTail, walk);
    if (next.kind === 'run') {
      // A delete by partition key came while a read was waited for: from now on the keys have to be looked at.
      if (container.purges.size > 0) return undefined;
      addRun(page, next.loaded);
      continue;
    }
    // After a merge the next stretch may have more of the last LSN.
    if (isExhausted && next.view.lsn(next.first) > page.lastLsn) break;
    const isComplete =
      request.mode === 'latest'
        ? addLatest(page, container, next, filter)
        : await addVersions(page, state, container, range, next, filter);
    if (!isComplete) {
      keptRunsOf(state).put(next.loaded);
      break;
    }
  }
  return finished(page, range, undefined, walk);
}

const anyRoom = { itemsLeft: Number.POSITIVE_INFINITY, bytesLeft: Number.POSITIVE_INFINITY };

/** The page as it is; `drainedTail` is the tail up to which nothing was left. */
function finished(page: PageBuilder, range: RangeState, drainedTail: number | undefined, walk?: LineageWalk): FeedPage {
  // A slow client may keep the page for a minute: what was read past, such as older versions, may be many times as much.
  if (walk !== undefined && walk.bytesRead > page.bytes * 2) {
    walk.releaseBut(new Set(page.pieces.map(({ buffer }) => buffer)));
  }
  return {
    pieces: page.pieces,
    count: page.count,
    last: Math.max(page.lastLsn, drainedTail ?? 0),
    tail: range.tailLsn,
    floor: range.entry.floorLsn,
    isDrained: drainedTail !== undefined,
    release: () => {
      page.pieces.length = 0;
      walk?.release();
    },
  };
}

function checkHistory(container: ContainerState, range: RangeState, scope: FeedScope, after: number): void {
  if (container.entry.historyMs === 0) {
    const message = `The container "${container.entry.id}" keeps no history: set changeFeedPolicy.retentionDuration.`;
    throw new DatabaseError('history-off', message);
  }
  const floor = floorOf(range.entry, scope, after);
  if (after < floor) {
    const message = 'You must read the change feed from within the retention period.';
    throw new DatabaseError('retention-passed', message, { detail: { floor } });
  }
}

/**
 * The floor that counts for a reader. A merge must not stop those who come from the range that was less far: until the
 * merged range is trimmed itself, they are held to the floors of those ancestors only whose records they still have to see.
 */
function floorOf(range: RangeEntry, scope: FeedScope, after: number): number {
  const inherited = Math.max(0, ...range.ancestors.map((ancestor) => ancestor.floorLsn));
  if (range.floorLsn > inherited) return range.floorLsn;
  const wanted = wantedKeys(range, scope);
  const ahead = range.ancestors.filter((a) => a.endLsn > after && keyRangesIntersect(a, wanted));
  return Math.max(0, ...ahead.map((ancestor) => ancestor.floorLsn));
}

function wantedKeys(range: RangeEntry, scope: FeedScope): KeyRange {
  if (scope.partitionKey === undefined) return scope.keys ?? range;
  const min = effectiveKeyHex(scope.partitionKey.epk);
  return { min, max: `${min}00` };
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
  const nowMs = Math.max(state.environment.clock.nowMs(), range.tailTimeMs);
  const live: Version[] = [];
  for (const { value } of indexed) {
    const version = decodeVersion(value);
    if (version.lsn <= after || isExpired(version, container.defaultTtl, nowMs)) continue;
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
  few: { readonly versions: readonly Version[]; readonly tail: number; readonly isWrapped: boolean },
): Promise<FeedPage> {
  for (const version of few.versions) {
    if (version.lsn > page.lastLsn && page.isFull) return finished(page, range, undefined);
    const body = await readVersion(state, version);
    page.lastLsn = version.lsn;
    // Undefined: written anew while the page was read, and its segment is gone; it comes again with its new LSN.
    if (body !== undefined) page.add(few.isWrapped ? wrapped(body, version) : body, 1);
  }
  return finished(page, range, few.tail);
}
