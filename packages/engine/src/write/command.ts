// What a caller wants done to the documents of one logical partition, before anybody has looked at their state.

import type { PartitionKeyValues } from '@tidemark/model';
import type { SystemPlace } from './system-places.ts';

/** Whether a document may be patched: of its stored JSON, whose last member ends at `membersEnd`, at a time. May throw a DatabaseError. */
export type Condition = (body: Buffer, membersEnd: number, nowMs: number) => boolean;

/** A document as a client sent it, checked and cleaned by client-bytes.ts. */
export interface ClientDocument {
  readonly id: string;
  /** The client's JSON without system members and without its last brace, so that system members can be appended. */
  readonly openBytes: Buffer;
  /** The same: so many bytes of these. Of most documents these are what was given, and nobody asks for a view of a part of them. */
  readonly bytes: Buffer;
  readonly openLength: number;
  /** Where system members stood that come back there, in this order; undefined where all of them go to the end. */
  readonly places: readonly SystemPlace[] | undefined;
  /** The same, parsed, perhaps only when it is asked for; only own properties count. */
  readonly value: Readonly<Record<string, unknown>>;
  /** The document's own `ttl`: -1 for ever, undefined for the container's default. */
  readonly ttl: number | undefined;
  /** The values at the container's partition key paths. */
  readonly partitionKey: PartitionKeyValues;
}

export interface PatchOperation {
  readonly op: 'add' | 'set' | 'replace' | 'remove' | 'incr' | 'move';
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

export type WriteCommand =
  | { readonly kind: 'create'; readonly document: ClientDocument }
  | {
      readonly kind: 'upsert';
      readonly document: ClientDocument;
      readonly ifMatch?: string | undefined;
      /** The document must not exist with this etag; `*`, the usual one: it must not exist at all. */
      readonly ifNoneMatch?: string | undefined;
    }
  | {
      readonly kind: 'replace';
      readonly id: string;
      readonly document: ClientDocument;
      readonly ifMatch?: string | undefined;
    }
  | {
      readonly kind: 'patch';
      readonly id: string;
      readonly operations: readonly PatchOperation[];
      readonly condition?: Condition;
      readonly ifMatch?: string | undefined;
    }
  | { readonly kind: 'delete'; readonly id: string; readonly ifMatch?: string | undefined }
  /** Deletes the document if its time is over (the sweep); otherwise nothing happens. */
  | { readonly kind: 'expire'; readonly id: string }
  /** Deletes the version of this very position or older ones (the job behind delete by partition key). */
  | { readonly kind: 'purge'; readonly id: string; readonly lsnMax: number }
  /** Only inside a batch. */
  | { readonly kind: 'read'; readonly id: string; readonly ifNoneMatch?: string | undefined };

/** What commits atomically under one LSN: one command, or a batch, all of one logical partition. */
export interface Unit {
  readonly partitionKey: UnitPartitionKey;
  readonly commands: readonly WriteCommand[];
  /** What is known of it before anybody asks for the commands: how many they are, and the bytes of their documents together. */
  readonly input?: { readonly commands: number; readonly bytes: number };
  /** The commands are not needed any more; their documents are, for the answer. */
  letGo?(): void;
  /** What the documents of its outcomes may have together, for whoever has to send them; beyond it the unit is rejected. */
  readonly answerBytesMax?: number;
}

export interface UnitPartitionKey {
  readonly values: PartitionKeyValues;
  /** encodePartitionKeyBytes(values). */
  readonly bytes: Buffer;
  readonly epk: Buffer;
}
