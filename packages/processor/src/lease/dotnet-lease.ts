// The lease document, in the dialect of the .NET processor v3 (processor.md 1.2), which hosts of .NET and ours share.
//
//   id                 <prefix>..<token>
//   version            0: a physical range, 1: a range of keys; missing in documents of v2
//   LeaseToken         id of the physical range, or `<min>-<max>`. v2 and older say PartitionId
//   FeedRange          {"Range":{"min","max"}}; missing in v2 and in early v3 documents
//   Owner              null: free
//   ContinuationToken  raw etag with its quotes; null: nothing was checkpointed yet
//   properties         texts by name; .NET keeps what it does not know here, and only here
//   timestamp          written for hosts of .NET, which expire leases by it; never trusted here
//   Mode               "Incremental Feed" | "Full-Fidelity Feed"; missing means the former
//
// Ours in `properties`: tidemark.epoch, .instance, .nonce, .write (the mark), .beat (of a hand over), .gone (a tombstone: tokens of the
// children, by comma). Read: v1, v2, v3 with either version. Written: v3. Members that nobody here knows are kept.

import type { KeyRange } from '@tidemark/model';
import type { FeedMode } from '../feed/feed-source.ts';
import type { DocumentBody, StoredDocument } from '../store/document-store.ts';
import type { Lease, LeaseMark } from './lease.ts';

/** What a write makes of a lease. What is not named stays as it was. */
export interface LeaseChange {
  readonly owner?: string | undefined;
  readonly position?: string | undefined;
  readonly keys?: KeyRange | undefined;
  readonly mark: LeaseMark;
  /** Of a hand over: the newest heartbeat of the new owner that the old one has seen. */
  readonly beat?: number | undefined;
  /** Tokens of the children: the lease becomes a tombstone. */
  readonly children?: readonly string[] | undefined;
  readonly timestamp: string;
}

export interface NewLease {
  readonly id: string;
  readonly token: string;
  readonly kind: Lease['kind'];
  readonly keys: KeyRange;
  readonly owner: string | undefined;
  readonly position: string | undefined;
  readonly mode: FeedMode;
  readonly mark: LeaseMark | undefined;
  readonly timestamp: string;
}

/** Undefined when the document cannot be a lease: it names no range. */
export function readLease(stored: StoredDocument, leasesPrefix: string): Lease | undefined {
  const { body } = stored;
  const fromId = stored.id.startsWith(leasesPrefix) ? stored.id.slice(leasesPrefix.length) : undefined;
  const token = text(body['LeaseToken']) ?? text(body['PartitionId']) ?? fromId;
  if (token === undefined || token === '') return undefined;
  const kind = body['version'] === 1 ? 'keys' : 'physical';
  const all = texts(body['properties']);
  return {
    id: stored.id,
    token,
    kind,
    keys: readKeys(body['FeedRange']) ?? (kind === 'keys' ? keysOfToken(token) : undefined),
    owner: text(body['Owner']) || undefined,
    position: text(body['ContinuationToken']) || undefined,
    mode: body['Mode'] === modeNames['all-versions'] ? 'all-versions' : 'latest',
    timestamp: text(body['timestamp']),
    mark: readMark(all),
    properties: Object.fromEntries(Object.entries(all).filter(([name]) => !markNames.has(name))),
    isTombstone: all[goneName] !== undefined,
    stored,
  };
}

/** The new beat of a hand over, if the last write was one. */
export function handedOverBeat(lease: Lease): number | undefined {
  const beat = Number(lease.properties[beatName] ?? Number.NaN);
  return Number.isSafeInteger(beat) ? beat : undefined;
}

/** Of a tombstone: false when it was only a copy of another document. */
export function hasChildren(tombstone: Lease): boolean {
  return (tombstone.properties[goneName] ?? '') !== '';
}

export function newLeaseBody(lease: NewLease): DocumentBody & { readonly id: string } {
  return {
    id: lease.id,
    version: lease.kind === 'keys' ? 1 : 0,
    LeaseToken: lease.token,
    FeedRange: { Range: { min: lease.keys.min, max: lease.keys.max } },
    Owner: lease.owner ?? null,
    ContinuationToken: lease.position ?? null,
    properties: lease.mark === undefined ? {} : markProperties(lease.mark),
    timestamp: lease.timestamp,
    Mode: modeNames[lease.mode],
  };
}

export function changedLeaseBody(lease: Lease, change: LeaseChange): DocumentBody {
  const keys = 'keys' in change ? change.keys : lease.keys;
  const owner = 'owner' in change ? change.owner : lease.owner;
  const position = 'position' in change ? change.position : lease.position;
  return {
    ...without(lease.stored.body, systemNames),
    id: lease.id,
    version: lease.kind === 'keys' ? 1 : 0,
    LeaseToken: lease.token,
    ...(readKeys(lease.stored.body['FeedRange']) === undefined && keys !== undefined
      ? { FeedRange: { Range: { min: keys.min, max: keys.max } } }
      : {}),
    Owner: owner ?? null,
    ContinuationToken: position ?? null,
    properties: {
      ...without(lease.properties, new Set([beatName])),
      ...markProperties(change.mark),
      ...(change.beat === undefined ? {} : { [beatName]: String(change.beat) }),
      ...(change.children === undefined ? {} : { [goneName]: change.children.join(',') }),
    },
    timestamp: change.timestamp,
    Mode: modeNames[lease.mode],
  };
}

const modeNames: Readonly<Record<FeedMode, string>> = {
  latest: 'Incremental Feed',
  'all-versions': 'Full-Fidelity Feed',
};

const epochName = 'tidemark.epoch';
const instanceName = 'tidemark.instance';
const nonceName = 'tidemark.nonce';
const writeName = 'tidemark.write';
const beatName = 'tidemark.beat';
const goneName = 'tidemark.gone';
const markNames: ReadonlySet<string> = new Set([epochName, instanceName, nonceName, writeName]);

/** The endpoint sets these itself. */
const systemNames: ReadonlySet<string> = new Set(['_rid', '_self', '_etag', '_ts', '_lsn', '_attachments']);

function readMark(properties: Readonly<Record<string, string>>): LeaseMark | undefined {
  const epoch = Number(properties[epochName] ?? Number.NaN);
  const instance = properties[instanceName];
  const nonce = properties[nonceName];
  const writeId = properties[writeName];
  if (!Number.isSafeInteger(epoch) || instance === undefined || nonce === undefined || writeId === undefined) {
    return undefined;
  }
  return { epoch, instance, nonce, writeId };
}

function markProperties(mark: LeaseMark): Record<string, string> {
  return {
    [epochName]: String(mark.epoch),
    [instanceName]: mark.instance,
    [nonceName]: mark.nonce,
    [writeName]: mark.writeId,
  };
}

function readKeys(feedRange: unknown): KeyRange | undefined {
  const range = member(feedRange, 'Range');
  const min = text(member(range, 'min'));
  const max = text(member(range, 'max'));
  return min === undefined || max === undefined ? undefined : { min, max };
}

function keysOfToken(token: string): KeyRange | undefined {
  const at = token.indexOf('-');
  return at < 0 ? undefined : { min: token.slice(0, at), max: token.slice(at + 1) };
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function texts(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

function without(body: DocumentBody, names: ReadonlySet<string>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.has(name)));
}
