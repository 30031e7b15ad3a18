// The first host of a group creates its leases, under a lock; every later one finds them (F9, F38). Every step can be repeated, so a crash
// at any point is finished by whoever comes next, and the lock needs no time to live: one that does not change for a while is taken over.
//
//   lock → ranges → leases that exist → create what is missing, each with its start position → start record → marker → unlock

import { requestMsMax } from '@tidemark/client';
import { DatabaseError, isDatabaseError } from '@tidemark/model';
import { bounded, eachBounded, retryPauseMs } from '../bounded.ts';
import type { Ground } from '../environment.ts';
import type { FeedSource, FeedStart, PhysicalRange, SourceIdentity } from '../feed/feed-source.ts';
import type { AcquireParts } from '../lease/acquire.ts';
import { createLease } from '../lease/acquire.ts';
import type { Holder } from '../lease/holder.ts';
import type { LeaseNames } from '../lease/lease-names.ts';
import { leaseId, leaseNames, sidecarId, tokenOfKeys } from '../lease/lease-names.ts';
import { bootstrapMsMax, leasesAtOnceMax, lockPollMs } from '../limits.ts';
import { isProcessorError, messageOf, ProcessorError } from '../processor-error.ts';
import type { ProcessorSettings } from '../settings.ts';
import type { DocumentBody, DocumentStore, StoredDocument } from '../store/document-store.ts';
import type { MissingLease } from './audit.ts';
import { missingLeases, resolveKeys, slicesOfHole } from './audit.ts';
import type { Group, StartRecord } from './group.ts';
import { readGroup, readStart } from './group.ts';
import type { Health } from './health.ts';
import { noteFirst } from './position-notes.ts';
import type { HostRules } from './rules.ts';
import type { ServerClock } from './server-clock.ts';

export interface BootstrapParts extends Ground {
  readonly source: FeedSource;
  readonly store: DocumentStore;
  readonly settings: ProcessorSettings;
  readonly holder: Holder;
  readonly rules: HostRules;
  readonly health: Health;
  readonly serverClock: ServerClock;
  readonly signal: AbortSignal;
}

export interface Bootstrapped {
  readonly identity: SourceIdentity;
  readonly names: LeaseNames;
  readonly ranges: readonly PhysicalRange[];
  readonly start: StartRecord;
}

/** `show` lets others see this host, before it waits for anybody. Rejects when the group cannot be joined, or when its leases could not be found or made within `bootstrapMsMax`. */
export async function bootstrap(
  parts: BootstrapParts,
  show: (names: LeaseNames) => Promise<void>,
): Promise<Bootstrapped> {
  const { clock } = parts;
  const giveUpAtMs = clock.monotonicMs() + bootstrapMsMax;
  for (let failures = 0; ; failures += 1) {
    try {
      return await tryBootstrap(parts, show);
    } catch (error) {
      const isOver = clock.monotonicMs() >= giveUpAtMs || parts.signal.aborted;
      if (isOver || !isPassing(error)) throw error;
      parts.health.raise(
        'lease-store-failing',
        undefined,
        `The leases cannot be found or created yet: ${messageOf(error)}`,
        error,
      );
      const askedMs = isDatabaseError(error) ? error.retryAfterMs : undefined;
      await clock.sleep(retryPauseMs(parts, failures, askedMs), parts.signal);
    }
  }
}

async function tryBootstrap(parts: BootstrapParts, show: (names: LeaseNames) => Promise<void>): Promise<Bootstrapped> {
  const { source, settings, health } = parts;
  const identity = await feedCall(parts, (signal) => source.identity(signal));
  const names = leaseNames(settings.name, identity);
  const group = await readWholeGroup(parts, names);
  refuseMismatch(parts, group);
  if (!group.hasMarker && group.leases.length === 0) await noticeReplaced(parts, identity);
  await show(names);
  const start = group.hasMarker ? await recordStart(parts, names, identity) : await create(parts, names, identity);
  if (!isSameStart(start.start, settings.start)) {
    const message = `The group began with start ${JSON.stringify(start.start)}; ${JSON.stringify(settings.start)} is not used.`;
    health.raise('start-differs', undefined, message);
  }
  const ranges = await feedCall(parts, (signal) => source.ranges(signal));
  health.clear('lease-store-failing');
  return { identity, names, ranges, start };
}

/** Mode, purpose and container of a group are fixed when it begins (S31, S47). */
function refuseMismatch(parts: BootstrapParts, group: Group): void {
  const { settings, rules } = parts;
  const isModeKnown = group.start !== undefined && group.start.mode !== settings.mode;
  if (isModeKnown || !rules.isModeOf(group.leases, settings.mode)) {
    const message = `The leases of group "${settings.name}" were made for the other feed mode than "${settings.mode}". Use another name.`;
    throw new ProcessorError('mode-mismatch', message);
  }
  const theirs = group.start?.purpose;
  if (theirs !== undefined && settings.purpose !== undefined && theirs !== settings.purpose) {
    const owners = new Set(group.leases.flatMap(({ owner }) => owner ?? []));
    const who = owners.size === 0 ? 'nobody at the moment' : [...owners].slice(0, 5).join(', ');
    const message = `The group "${settings.name}" belongs to a processor for "${theirs}" (run by ${who}), not for "${settings.purpose}". Use another name.`;
    throw new ProcessorError('group-mismatch', message);
  }
}

/** The container of this name may be another one than before: its predecessor's positions mean nothing in it (S22). */
async function noticeReplaced(parts: BootstrapParts, identity: SourceIdentity): Promise<void> {
  const { settings, store } = parts;
  const relatives = await store.list(`${settings.name}${identity.account}_`, parts.signal);
  const former = relatives
    .filter(({ id }) => id.endsWith('.x.start.'))
    .flatMap(({ body }) => readStart(body) ?? [])
    .find(({ source, containerRid }) => source === identity.name && containerRid !== identity.containerRid);
  if (former === undefined) return;
  const message = `The container ${identity.name} was deleted and made anew since the group "${settings.name}" began.`;
  if (settings.onPositionRefused === 'fail') {
    const advice = 'Use another name, remove the old leases, or choose where such a group goes on (onPositionRefused).';
    throw new ProcessorError('source-replaced', `${message} ${advice}`);
  }
  parts.health.raise('source-replaced', undefined, `${message} It begins again, ${settings.onPositionRefused}.`);
}

async function create(parts: BootstrapParts, names: LeaseNames, identity: SourceIdentity): Promise<StartRecord> {
  const lock = await takeLock(parts, names);
  if (lock === undefined) return recordStart(parts, names, identity);
  try {
    // The list that did not show it may have been of the past.
    const marker = await parts.store.read(names.marker, { signal: parts.signal });
    if (marker !== undefined) return await recordStart(parts, names, identity);
    // Ranges before leases: a range that is split in between shows as a lease that is told so later, not as a hole.
    const ranges = await feedCall(parts, (signal) => parts.source.ranges(signal));
    const group = await readWholeGroup(parts, names);
    refuseMismatch(parts, group);
    const start = await recordStart(parts, names, identity);
    const known = resolveKeys(group.leases, ranges);
    const missing = missingLeases(parts.rules.audit(known).holes, ranges);
    await eachBounded(missing, leasesAtOnceMax, (lease) => createMissing(parts, names, lease, start, group));
    await ignoreConflict(parts.store.create({ id: names.marker }, parts.signal));
    return start;
  } finally {
    await parts.store.remove(lock, parts.signal).catch(() => {});
  }
}

/** A lease for a part of the key space that has none, where it goes on or begins. */
export async function createMissing(
  parts: BootstrapParts,
  names: LeaseNames,
  missing: MissingLease,
  start: StartRecord,
  group: Pick<Group, 'positions' | 'epochLeft' | 'tombstones' | 'hasMarker'>,
): Promise<void> {
  const known = [...group.positions, ...group.tombstones.flatMap(noteOf)];
  const slices = slicesOfHole(missing.keys, known);
  for (const { keys, note } of slices) {
    const lease: MissingLease = slices.length === 1 ? missing : { token: tokenOfKeys(keys), kind: 'keys', keys };
    await make(lease, note?.position ?? (await makeFast(lease)));
  }

  async function make(lease: MissingLease, position: string | undefined): Promise<void> {
    const unmade = {
      id: leaseId(names, lease.token),
      ...lease,
      owner: undefined,
      position,
      mode: start.mode,
      epochMin: group.epochLeft(lease.token) + 1,
      timestamp: parts.serverClock.stamp(),
    };
    const making = acquireParts(parts, names);
    await createLease(making, unmade, noteFirst(making, names, unmade));
  }

  /** Once the group has begun, `now` is the moment of its beginning and not the present: whoever acquires the lease looks it up. */
  async function makeFast(lease: MissingLease): Promise<string | undefined> {
    if (group.hasMarker && start.mode === 'latest' && start.start === 'now') return undefined;
    return firstPosition(parts, lease, start.start);
  }
}

/**
 * `now` is made fast at once: what is written after `start()` has resolved is delivered, also when this host is gone by then (S44, S45).
 * Other starts stay what they are until the first checkpoint.
 */
export async function firstPosition(
  parts: Pick<BootstrapParts, 'source' | 'settings' | 'clock' | 'signal'>,
  lease: MissingLease,
  start: FeedStart,
): Promise<string | undefined> {
  if (start === 'beginning') return undefined;
  if (start !== 'now') return 'position' in start ? start.position : undefined;
  const range = lease.kind === 'physical' ? lease.token : undefined;
  const page = await feedCall(parts, (signal) =>
    parts.source.read({ range, keys: lease.keys, mode: parts.settings.mode, from: 'now', itemsMax: 1, signal }),
  );
  return page.position;
}

export function acquireParts(parts: BootstrapParts, names: LeaseNames): AcquireParts {
  const { store, holder, rules, clock, random, signal, serverClock } = parts;
  return { store, holder, rules, clock, random, signal, leasesPrefix: names.leases, stamp: () => serverClock.stamp() };
}

/** The lock, or undefined when another host has finished meanwhile. */
async function takeLock(parts: BootstrapParts, names: LeaseNames): Promise<StoredDocument | undefined> {
  const { store, clock, holder } = parts;
  const body = { id: names.lock, owner: holder.nonce };
  let seen: { readonly etag: string; readonly sinceMs: number } | undefined;
  for (;;) {
    try {
      return await store.create(body, parts.signal);
    } catch (error) {
      if (!isDatabaseError(error) || error.code !== 'conflict') throw error;
    }
    const marker = await store.read(names.marker, { signal: parts.signal });
    if (marker !== undefined) return undefined;
    const lock = await store.read(names.lock, { signal: parts.signal });
    if (lock?.body['owner'] === holder.nonce) return lock;
    const nowMs = clock.monotonicMs();
    // Where it is not seen, it was removed just now, or the read is older than the refusal.
    if (lock !== undefined && seen?.etag !== lock.etag) seen = { etag: lock.etag, sinceMs: nowMs };
    const isOld = seen !== undefined && nowMs - seen.sinceMs >= parts.rules.lockMs(parts.settings.lease);
    if (lock !== undefined && isOld) {
      const taken = await ignoreConflict(store.replace(lock, body, parts.signal));
      if (taken !== undefined) return taken;
    }
    await clock.sleep(lockPollMs, parts.signal);
    parts.signal.throwIfAborted();
  }
}

/** The start of the group: this host's if it is the first to say one. */
async function recordStart(parts: BootstrapParts, names: LeaseNames, identity: SourceIdentity): Promise<StartRecord> {
  const { store, settings, serverClock } = parts;
  const id = sidecarId(names, 'start');
  let record: StartRecord = {
    mode: settings.mode,
    start: settings.start,
    purpose: settings.purpose,
    source: identity.name,
    containerRid: identity.containerRid,
    timeMs: serverClock.nowMs(),
  };
  const found = await store.read(id, { signal: parts.signal });
  if (found !== undefined) return readStart(found.body) ?? record;
  if (settings.start === 'now') record = { ...record, timeMs: await serverTimeMs(parts) };
  const body: DocumentBody & { readonly id: string } = { ...record, purpose: settings.purpose ?? null, id };
  const created = await ignoreConflict(store.create(body, parts.signal));
  if (created !== undefined) return record;
  const first = await store.read(id, { signal: parts.signal });
  return readStart(first?.body) ?? record;
}

/** By the clock of the server, whatever this machine's says: a start in the future would lose changes. */
async function serverTimeMs(parts: BootstrapParts): Promise<number> {
  const [range] = await feedCall(parts, (signal) => parts.source.ranges(signal));
  const lease: MissingLease | undefined = range && { token: range.id, kind: 'physical', keys: range };
  if (lease !== undefined) await firstPosition(parts, lease, 'now');
  return parts.serverClock.nowMs();
}

async function readWholeGroup(parts: BootstrapParts, names: LeaseNames): Promise<Group> {
  const documents = await parts.store.list(names.all, parts.signal);
  return readGroup(documents, names, parts.rules);
}

function noteOf(tombstone: Group['tombstones'][number]): Group['positions'] {
  const { keys, position, token, stored } = tombstone;
  return keys === undefined || position === undefined ? [] : [{ token, keys, position, stored }];
}

/** Undefined when somebody else did it first. */
async function ignoreConflict<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (!isDatabaseError(error)) throw error;
    if (['conflict', 'precondition-failed', 'not-found'].includes(error.code)) return undefined;
    throw error;
  }
}

export function feedCall<T>(
  parts: Pick<BootstrapParts, 'clock' | 'signal'>,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return bounded(parts.clock, requestMsMax, parts.signal, call);
}

/** Whether trying again may help: the rest is told at once. */
export function isPassing(error: unknown): boolean {
  if (isProcessorError(error)) return false;
  if (!(error instanceof DatabaseError) && !isDatabaseError(error)) return true;
  return error.isRetriable || error.code === 'outcome-unknown' || error.code === 'range-gone';
}

function isSameStart(a: FeedStart, b: FeedStart): boolean {
  if (typeof a === 'string' || typeof b === 'string') return a === b;
  if ('position' in a) return 'position' in b && a.position === b.position;
  return 'timeMs' in b && a.timeMs === b.timeMs;
}
