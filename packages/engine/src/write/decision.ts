// What `decide` answers: the writes of a unit, or why there are none.

import type { ErrorCode } from '@tidemark/model';
import type { ClientDocument } from './command.ts';

/** The version of a document that a unit finds. `body` is the stored JSON with all system members. */
export interface CurrentDocument {
  readonly kind: 'stored';
  readonly lsn: number;
  readonly ix: number;
  readonly etag: string;
  readonly ridNumber: number;
  readonly timeMs: number;
  readonly ttl: number | undefined;
  /** Sixteen bytes for each unique key of the container, one after the other. */
  readonly uniqueDigests: Buffer;
  /** Undefined when the bytes are not at hand; decide then answers `needs-body` and runs again with them. */
  readonly body: Buffer | undefined;
  /** Whether they are, without making them. */
  readonly hasBody: boolean;
  /** Its partition key has been deleted: for everybody but the job behind that, the document is not there any more. */
  readonly isPurged?: boolean;
}

/** The state that a unit may look at. Everything in it belongs to the unit's logical partition. */
export interface DecideView {
  /** The latest version, expired ones included; undefined when there is none. */
  current(id: string): CurrentDocument | undefined;
  /** The id of the document that holds this value of the unique key number `key`. */
  uniqueHolder(key: number, digest: Buffer): string | undefined;
}

export interface DecideContext {
  /** max(clock, last time of the range's lineage): what is expired is decided by it. */
  readonly nowMs: number;
  /** The container's `defaultTtl`; undefined switches expiry off altogether. */
  readonly defaultTtl: number | undefined;
  /** Parsed paths of the unique keys, see unique.ts. */
  readonly uniqueKeys: readonly UniqueKeyPaths[];
  /** Parsed partition key paths: a patch may not touch them. */
  readonly partitionKeyPaths: readonly (readonly string[])[];
}

/** The paths of one unique key, each split into property names. */
export type UniqueKeyPaths = readonly (readonly string[])[];

export interface Mutation {
  readonly operation: 'create' | 'replace' | 'delete';
  readonly id: string;
  /** A delete that happened because the document's time was over. */
  readonly isExpiry: boolean;
  /** What is to be stored; undefined for a delete. */
  readonly document: ClientDocument | undefined;
  /**
   * The version it replaces or deletes: one from before the unit, or the unit's own mutation number `mutation`. A create has
   * none, also where the unit has deleted a document of that id before.
   */
  readonly previous: Pick<CurrentDocument, 'kind' | 'lsn' | 'ix'> | Pick<OwnVersion, 'kind' | 'mutation'> | undefined;
  /**
   * Kept from the version it replaces or deletes; undefined where a new one is to be given (create), and where that version
   * was created in this very unit: then it is the one given to the mutation that `previous` names.
   */
  readonly ridNumber: number | undefined;
  readonly ttl: number | undefined;
  /** What the document holds from now on; empty for a delete. What it lets go is in the version that `previous` names. */
  readonly uniqueDigests: Buffer;
}

/** A version that the unit itself has made, with its mutation number `mutation`. */
export interface OwnVersion {
  readonly kind: 'unit';
  readonly mutation: number;
  readonly made: Mutation;
}

/** What became of one command, in the order of the commands. */
export type Outcome =
  | { readonly kind: 'created' | 'replaced'; readonly mutation: number }
  | { readonly kind: 'deleted' }
  | { readonly kind: 'read'; readonly mutation: number }
  | { readonly kind: 'read'; readonly stored: CurrentDocument }
  | { readonly kind: 'not-modified'; readonly etag: string }
  /** Nothing was to be done (an expire or purge that came too late). */
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'rejected'; readonly code: ErrorCode; readonly message: string };

export type Decision =
  | { readonly kind: 'commit'; readonly mutations: readonly Mutation[]; readonly outcomes: readonly Outcome[] }
  /** One command failed: it carries its reason, every other one `failed-dependency`. Takes no LSN. */
  | { readonly kind: 'reject'; readonly outcomes: readonly Outcome[] }
  /** The bodies of these documents are needed (patch, reads in a batch). */
  | { readonly kind: 'needs-body'; readonly ids: readonly string[] };
