// A lease: who reads a part of the key space, and from where. The document is in `dotnet-lease.ts`.
//
//   FREE ──acquire──▶ OWNED(h, epoch+1) ──renew, checkpoint──▶ OWNED(h, epoch) ──release──▶ FREE
//                        │      │ └────── hand over ─────▶ OWNED(h2, epoch+1)
//                        │      └─ unseen for `expirationMs` by the looker's clock ─▶ may be acquired by anybody
//                        └─ range gone ─▶ children FREE or OWNED at the last acknowledged position, then TOMBSTONE, then removed
//
// Every arrow is one compare-and-swap of the whole document. Owner, epoch, write id and position change together or not at all.

import type { KeyRange } from '@tidemark/model';
import type { FeedMode } from '../feed/feed-source.ts';
import type { StoredDocument } from '../store/document-store.ts';

/** Who wrote a lease last, as far as hosts of this library say; kept in `properties`, which hosts of .NET preserve. */
export interface LeaseMark {
  /** +1 with each acquisition. Meaningless when `instance` is not the owner: somebody else has taken it since. */
  readonly epoch: number;
  readonly instance: string;
  /** Drawn by each process: tells two processes of one instance name apart. */
  readonly nonce: string;
  /** Of the very write that made this document: how a writer knows its own write again. */
  readonly writeId: string;
}

export interface Lease {
  readonly id: string;
  /** Id of a physical range, or `min-max`. */
  readonly token: string;
  readonly kind: 'physical' | 'keys';
  /** Missing in old documents of physical ranges: filled in at acquisition. */
  readonly keys: KeyRange | undefined;
  /** Undefined: free. */
  readonly owner: string | undefined;
  /** The raw etag with its quotes; undefined: nothing was checkpointed yet. */
  readonly position: string | undefined;
  readonly mode: FeedMode;
  readonly timestamp: string | undefined;
  readonly mark: LeaseMark | undefined;
  /** Everything in `properties` that is not the mark: others' and ours. */
  readonly properties: Readonly<Record<string, string>>;
  /** The range is gone and its children exist: nobody takes or reads this, whoever may removes it. */
  readonly isTombstone: boolean;
  readonly stored: StoredDocument;
}
