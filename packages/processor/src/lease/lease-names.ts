// Ids of the documents of one group (processor.md 1.2).
//
//   prefix   <name><account host>_<database rid>_<container rid>
//   lease    <prefix>..<token>          every processor lists these
//   marker   <prefix>.info              the group has its leases
//   lock     <prefix>.lock              somebody creates them
//   sidecar  <prefix>.x.<kind>.<name>   ours alone; never under `..`, where others would take it for a lease
//
// All of them begin with `<prefix>.`, so one list shows a host the whole group.

import type { SourceIdentity } from '../feed/feed-source.ts';

export type SidecarKind = 'host' | 'start' | 'control' | 'position' | 'done' | 'retry';

export interface LeaseNames {
  readonly prefix: string;
  /** What to list. */
  readonly all: string;
  readonly leases: string;
  readonly marker: string;
  readonly lock: string;
}

/** Those that belong to one lease each, in the order in which they are removed: whatever is left, its epoch is in the note. */
export const sidecarsOfLease: readonly SidecarKind[] = ['done', 'retry', 'position'];

export function leaseNames(group: string, identity: SourceIdentity): LeaseNames {
  return namesOfPrefix(`${group}${identity.account}_${identity.databaseRid}_${identity.containerRid}`);
}

function namesOfPrefix(prefix: string): LeaseNames {
  return {
    prefix,
    all: `${prefix}.`,
    leases: `${prefix}..`,
    marker: `${prefix}.info`,
    lock: `${prefix}.lock`,
  };
}

export function leaseId(names: LeaseNames, token: string): string {
  return `${names.leases}${token}`;
}

/** `name` is an instance or a lease token; what cannot stand in an id is spelled as in a path. Halves of characters count as unknown. */
export function sidecarId(names: LeaseNames, kind: SidecarKind, name = ''): string {
  return `${names.prefix}.x.${kind}.${encodeURIComponent(Buffer.from(name).toString())}`;
}

export function tokenOfKeys(keys: { readonly min: string; readonly max: string }): string {
  return `${keys.min}-${keys.max}`;
}
