// What a lease document says, read by the oracle in its own way: it must not share a mistake with the code it judges.

import type { KeyRange } from '@tidemark/model';
import type { StoredDocument } from '../store/document-store.ts';
import { lsnOf } from './model-container.ts';

export interface LeaseFacts {
  readonly id: string;
  readonly token: string;
  /** Of the key space; undefined in documents that name only a range. */
  readonly keys: KeyRange | undefined;
  readonly owner: string | undefined;
  readonly lsn: number | undefined;
  readonly position: string | undefined;
  readonly epoch: number | undefined;
  readonly instance: string | undefined;
  readonly nonce: string | undefined;
  readonly isTombstone: boolean;
}

/** Undefined for documents that are no leases. */
export function leaseFactsOf(document: StoredDocument | undefined): LeaseFacts | undefined {
  if (document === undefined || !document.id.includes('..')) return undefined;
  const { body } = document;
  const token = text(body['LeaseToken']) ?? text(body['PartitionId']);
  if (token === undefined) return undefined;
  const properties = (body['properties'] ?? {}) as Record<string, unknown>; // A map in every dialect.
  const position = text(body['ContinuationToken']);
  const epoch = text(properties['tidemark.epoch']);
  return {
    id: document.id,
    token,
    keys: keysOf(body['FeedRange']) ?? keysOfToken(token),
    owner: text(body['Owner']),
    position,
    lsn: position === undefined ? undefined : lsnOf(position),
    epoch: epoch === undefined ? undefined : Number(epoch),
    instance: text(properties['tidemark.instance']),
    nonce: text(properties['tidemark.nonce']),
    isTombstone: properties['tidemark.gone'] !== undefined,
  };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function keysOf(feedRange: unknown): KeyRange | undefined {
  const range = (feedRange as { Range?: { min?: unknown; max?: unknown } } | undefined)?.Range;
  return typeof range?.min === 'string' && typeof range.max === 'string'
    ? { min: range.min, max: range.max }
    : undefined;
}

function keysOfToken(token: string): KeyRange | undefined {
  const dash = token.indexOf('-');
  return dash < 0 ? undefined : { min: token.slice(0, dash), max: token.slice(dash + 1) };
}
