// How far a group is behind (F23), from its leases alone: it works for every group, also of hosts of .NET, running or not.
//
// LSNs are not counted: one of them may be a thousand documents or none. What is counted is what would be delivered, by reading it from the
// position in the lease; the age is that of the oldest change that is not done. What cannot be known is undefined, with the reason,
// and never a number that looks like one (processor.md 1.11).

import type { KeyRange } from '@tidemark/model';
import { intersectKeyRanges, isDatabaseError } from '@tidemark/model';
import type { Clock } from './environment.ts';
import type { FeedItem, FeedMode, FeedSource, FeedStart, PhysicalRange, SourceIdentity } from './feed/feed-source.ts';
import { readGroup } from './host/group.ts';
import { hostRules } from './host/rules.ts';
import type { Lease } from './lease/lease.ts';
import type { LeaseNames } from './lease/lease-names.ts';
import { lagItemsMax, lagPageItems, lagReadsAtOnce } from './limits.ts';
import type { DocumentStore } from './store/document-store.ts';

export interface LagOptions {
  /** Changes that are counted in one range before it is left at `isAtLeast`. */
  readonly itemsMax?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface RangeLag {
  readonly leaseToken: string;
  readonly owner: string | undefined;
  readonly position: string | undefined;
  /** When the lease was written last, as its owner says. */
  readonly writtenAt: string | undefined;
  /** Changes that are not done; undefined: unknown. */
  readonly items: number | undefined;
  /** There are more than `items`; nobody counted them. */
  readonly isAtLeast: boolean;
  /** Age of the oldest of them; 0 when there is none; undefined: unknown. */
  readonly seconds: number | undefined;
  /** Why something is unknown. */
  readonly reason: string | undefined;
}

export interface Lag {
  readonly group: string;
  readonly source: string;
  readonly mode: FeedMode;
  readonly ranges: readonly RangeLag[];
  /** Of all ranges; undefined when that of any range is. */
  readonly items: number | undefined;
  readonly isAtLeast: boolean;
  /** Of the range that is furthest behind. */
  readonly seconds: number | undefined;
}

export interface LagParts {
  readonly source: FeedSource;
  readonly leases: DocumentStore;
  /** The group: `processorName` of .NET, the lease prefix of Azure Functions. */
  readonly name: string;
  readonly identity: SourceIdentity;
  readonly names: LeaseNames;
  readonly clock: Clock;
}

export async function measureLag(parts: LagParts, options: LagOptions = {}): Promise<Lag> {
  const { source, leases, name, identity, names } = parts;
  const { signal } = options;
  const { leases: live, start } = readGroup(await leases.list(names.all, signal), names, hostRules);
  const physical = await source.ranges(signal);
  const ranges: RangeLag[] = [];
  for (let i = 0; i < live.length; i += lagReadsAtOnce) {
    const some = live.slice(i, i + lagReadsAtOnce);
    ranges.push(...(await Promise.all(some.map((lease) => rangeLag(parts, lease, start?.start, physical, options)))));
  }
  ranges.sort((a, b) => a.leaseToken.localeCompare(b.leaseToken, 'en', { numeric: true }));
  return {
    group: name,
    source: identity.name,
    mode: live[0]?.mode ?? start?.mode ?? 'latest',
    ranges,
    items: sumOf(ranges.map(({ items }) => items)),
    isAtLeast: ranges.some(({ isAtLeast }) => isAtLeast),
    seconds: maxOf(ranges.map(({ seconds }) => seconds)),
  };
}

async function rangeLag(
  parts: LagParts,
  lease: Lease,
  start: FeedStart | undefined,
  physical: readonly PhysicalRange[],
  options: LagOptions,
): Promise<RangeLag> {
  const { token, owner, position, timestamp } = lease;
  const facts = { leaseToken: token, owner, position, writtenAt: timestamp };
  const from = startOf(lease, start);
  if (typeof from === 'string' && from !== 'beginning') return { ...facts, ...unknown(from) };
  try {
    const slices = slicesOf(lease, physical);
    if (slices.length === 0)
      return { ...facts, ...unknown('Its range is gone, and the lease does not say which keys it had.') };
    const counts: Count[] = [];
    for (const slice of slices) counts.push(await count(parts, lease.mode, slice, from, options));
    const isAtLeast = counts.some((each) => each.isAtLeast);
    const items = counts.reduce((sum, each) => sum + each.items, 0);
    return {
      ...facts,
      items,
      isAtLeast,
      seconds: secondsOf(counts),
      reason: counts.find(({ reason }) => reason !== undefined)?.reason,
    };
  } catch (error) {
    options.signal?.throwIfAborted();
    return { ...facts, ...unknown(isDatabaseError(error) ? `${error.code}: ${error.message}` : String(error)) };
  }
}

/** Where to count from, or why nobody knows. */
function startOf(lease: Lease, start: FeedStart | undefined): Exclude<FeedStart, 'now'> | string {
  if (lease.position !== undefined) return { position: lease.position };
  if (start === undefined)
    return 'Nothing was checkpointed yet, and where the group begins is known to its hosts alone.';
  return start === 'now' ? 'Nothing was checkpointed yet; the group begins from now.' : start;
}

interface Slice {
  readonly range: string;
  readonly keys: KeyRange | undefined;
}

/** The lease's part of the container in today's ranges: it may have been split or merged while nobody read it. */
function slicesOf({ kind, token, keys }: Lease, physical: readonly PhysicalRange[]): Slice[] {
  const same = kind === 'physical' ? physical.find(({ id }) => id === token) : undefined;
  if (same !== undefined) return [{ range: same.id, keys: undefined }];
  if (keys === undefined) {
    return physical.filter(({ parents }) => parents.includes(token)).map(({ id }) => ({ range: id, keys: undefined }));
  }
  return physical.flatMap((range) => {
    const common = intersectKeyRanges(range, keys);
    return common === undefined ? [] : [{ range: range.id, keys: common }];
  });
}

interface Count {
  readonly items: number;
  readonly isAtLeast: boolean;
  readonly oldestMs: number | undefined;
  readonly nowMs: number;
  readonly reason: string | undefined;
}

async function count(
  { source, clock }: LagParts,
  mode: FeedMode,
  slice: Slice,
  start: Exclude<FeedStart, 'now'>,
  { itemsMax = lagItemsMax, signal }: LagOptions,
): Promise<Count> {
  let items = 0;
  let oldestMs: number | undefined;
  let from: FeedStart = start;
  for (;;) {
    const page = await source.read({ ...slice, mode, from, itemsMax: lagPageItems, signal });
    const [first] = page.items;
    if (items === 0 && first !== undefined) oldestMs = timeOf(first, mode);
    items += page.items.length;
    const nowMs = page.serverTimeMs ?? clock.nowMs();
    const isOver = page.isDrained || items >= itemsMax;
    if (!isOver) {
      from = { position: page.position };
      continue;
    }
    const isUndated = items > 0 && oldestMs === undefined;
    const reason = isUndated ? 'The oldest change does not say when it was made.' : undefined;
    return { items, isAtLeast: !page.isDrained, oldestMs, nowMs, reason };
  }
}

function timeOf(item: FeedItem, mode: FeedMode): number | undefined {
  if (!('value' in item)) return undefined;
  const { metadata }: { metadata?: unknown } = item.value;
  const { crts }: { crts?: unknown } = Object(metadata);
  const seconds = mode === 'latest' ? item.value['_ts'] : crts;
  return typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : undefined;
}

function secondsOf(counts: readonly Count[]): number | undefined {
  const ages = counts.map(({ items, oldestMs, nowMs }) => {
    if (items === 0) return 0;
    return oldestMs === undefined ? undefined : Math.max(0, (nowMs - oldestMs) / 1000);
  });
  return maxOf(ages);
}

function unknown(reason: string): Pick<RangeLag, 'items' | 'isAtLeast' | 'seconds' | 'reason'> {
  return { items: undefined, isAtLeast: false, seconds: undefined, reason };
}

/** Nothing at all is no sum: a group without leases is not up to date, it is unknown. */
function sumOf(values: readonly (number | undefined)[]): number | undefined {
  if (values.length === 0) return undefined;
  return values.reduce((sum, value) => (sum === undefined || value === undefined ? undefined : sum + value), 0);
}

/** As with sums. */
function maxOf(values: readonly (number | undefined)[]): number | undefined {
  if (values.length === 0) return undefined;
  return values.reduce(
    (max, value) => (max === undefined || value === undefined ? undefined : Math.max(max, value)),
    0,
  );
}
