// Everything that hosts of one group share, as one list of the lease container shows it.

import type { KeyRange } from '@tidemark/model';
import type { FeedMode, FeedStart } from '../feed/feed-source.ts';
import { readLease } from '../lease/dotnet-lease.ts';
import type { Lease } from '../lease/lease.ts';
import type { LeaseNames } from '../lease/lease-names.ts';
import { sidecarId, sidecarsOfLease } from '../lease/lease-names.ts';
import { epochOf } from '../lease/sidecars.ts';
import type { DocumentBody, StoredDocument } from '../store/document-store.ts';
import type { HostBeat } from './heartbeat.ts';
import { readBeat } from './heartbeat.ts';

export interface Group {
  /** One for each token; tombstones left out. */
  readonly leases: readonly Lease[];
  readonly tombstones: readonly Lease[];
  /** Further documents of tokens that have one already (D10). */
  readonly duplicates: readonly Lease[];
  readonly beats: readonly HostBeat[];
  readonly positions: readonly PositionNote[];
  /** The highest epoch that a tombstone of the token, or a document beside its lease, names; -1: none does. */
  readonly epochLeft: (token: string) => number;
  readonly start: StartRecord | undefined;
  readonly control: Control;
  readonly hasMarker: boolean;
}

/** Where a range was, in case its lease is deleted: written now and then by its owner. */
interface PositionNote {
  readonly token: string;
  readonly keys: KeyRange;
  readonly position: string;
  readonly stored: StoredDocument;
}

/** How the group began, written once by its first host (F38). */
export interface StartRecord {
  readonly mode: FeedMode;
  readonly start: FeedStart;
  readonly purpose: string | undefined;
  readonly source: string;
  readonly containerRid: string;
  /** Of the first start, by the server's clock. */
  readonly timeMs: number;
}

/** Whether the group reads. `turn` goes up with every change: what was seen later counts, and halted ranges try again after a resume. */
export interface Control {
  readonly isPaused: boolean;
  readonly reason: string | undefined;
  readonly turn: number;
  readonly stored: StoredDocument | undefined;
}

/** What of the rules is needed to read a group. */
export interface GroupRules {
  isTombstone(lease: Lease): boolean;
  chooseDuplicate(leases: readonly Lease[]): Lease;
}

export function readGroup(documents: readonly StoredDocument[], names: LeaseNames, rules: GroupRules): Group {
  const all = documents
    .filter(({ id }) => id.startsWith(names.leases))
    .flatMap((stored) => readLease(stored, names.leases) ?? []);
  const byToken = new Map<string, Lease[]>();
  for (const lease of all.filter((each) => !rules.isTombstone(each))) {
    const same = byToken.get(lease.token);
    if (same === undefined) byToken.set(lease.token, [lease]);
    else same.push(lease);
  }
  const leases = [...byToken.values()].map(
    (same) => (same.length === 1 ? (same[0] as Lease) : rules.chooseDuplicate(same)), // One at least in each.
  );
  const chosen = new Set(leases);
  const sidecars = (kind: 'host' | 'position'): StoredDocument[] =>
    documents.filter(({ id }) => id.startsWith(sidecarId(names, kind)));
  const tombstones = all.filter((lease) => rules.isTombstone(lease));
  return {
    leases,
    tombstones,
    duplicates: [...byToken.values()].flat().filter((lease) => !chosen.has(lease)),
    beats: sidecars('host').flatMap((stored) => readBeat(stored) ?? []),
    positions: sidecars('position').flatMap((stored) => readPositionNote(stored) ?? []),
    epochLeft: (token) => {
      const ids = new Set(sidecarsOfLease.map((kind) => sidecarId(names, kind, token)));
      const buried = tombstones.filter((lease) => lease.token === token).map(({ mark }) => mark?.epoch ?? -1);
      return Math.max(-1, ...buried, ...documents.filter(({ id }) => ids.has(id)).map(epochOf));
    },
    start: readStart(documents.find(({ id }) => id === sidecarId(names, 'start'))?.body),
    control: readControl(documents.find(({ id }) => id === sidecarId(names, 'control'))),
    hasMarker: documents.some(({ id }) => id === names.marker),
  };
}

export function readControl(stored: StoredDocument | undefined): Control {
  const body = stored?.body ?? {};
  const { reason, turn } = body;
  return {
    isPaused: body['paused'] === true,
    reason: typeof reason === 'string' ? reason : undefined,
    turn: typeof turn === 'number' ? turn : 0,
    stored,
  };
}

export function readStart(body: DocumentBody | undefined): StartRecord | undefined {
  if (body === undefined) return undefined;
  const { mode, start, purpose, source, containerRid, timeMs } = body;
  if (mode !== 'latest' && mode !== 'all-versions') return undefined;
  return {
    mode,
    start: readFeedStart(start),
    purpose: typeof purpose === 'string' ? purpose : undefined,
    source: typeof source === 'string' ? source : '',
    containerRid: typeof containerRid === 'string' ? containerRid : '',
    timeMs: typeof timeMs === 'number' ? timeMs : 0,
  };
}

function readFeedStart(value: unknown): FeedStart {
  if (value === 'beginning' || value === 'now') return value;
  if (typeof value !== 'object' || value === null) return 'now';
  const position: unknown = Reflect.get(value, 'position');
  const timeMs: unknown = Reflect.get(value, 'timeMs');
  if (typeof position === 'string') return { position };
  return typeof timeMs === 'number' ? { timeMs } : 'now';
}

function readPositionNote(stored: StoredDocument): PositionNote | undefined {
  const { token, min, max, position } = stored.body;
  if (typeof token !== 'string' || typeof min !== 'string' || typeof max !== 'string') return undefined;
  return typeof position === 'string' ? { token, keys: { min, max }, position, stored } : undefined;
}
