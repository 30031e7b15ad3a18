// From what a client sent about one document to the command that the engine decides on, and from the outcome to a status.

import type { UnitOutcome } from '@tidemark/engine';
import { Document } from '@tidemark/engine';
import type { ClientDocument, UnitPartitionKey } from '@tidemark/engine/internal';
import { DatabaseError, partitionKeyEquals } from '@tidemark/model';
import { chargeMin, createCharge, deleteCharge, readCharge, refusalCharge, replaceCharge } from './charge.ts';
import type { Place } from './resources.ts';
import { statusOf } from './status.ts';

/** The document, which has to lie in the partition that the request names. */
export function clientDocument(place: Place, bytes: Uint8Array, key: UnitPartitionKey): ClientDocument {
  const document = place.container.readClient(bytes);
  if (partitionKeyEquals(document.partitionKey, key.values)) return document;
  throw new DatabaseError(
    'partition-key-mismatch',
    'PartitionKey extracted from document doesn’t match the one specified in the header.',
  );
}

/** What an outcome comes to, alone or inside a batch. */
export interface OutcomeFacts {
  readonly status: number;
  readonly substatus: number | undefined;
  readonly charge: number;
  /** Without quotes. */
  readonly etag: string | undefined;
  readonly timeMs: number | undefined;
  readonly document: Document | undefined;
}

export function factsOf(outcome: UnitOutcome): OutcomeFacts {
  switch (outcome.kind) {
    case 'created':
    case 'replaced':
    case 'read': {
      const document = new Document(outcome.document);
      const { etag, timeMs, sizeBytes } = document;
      const status = outcome.kind === 'created' ? 201 : 200;
      return { status, substatus: undefined, charge: chargeOf(outcome.kind, sizeBytes), etag, timeMs, document };
    }
    case 'deleted':
    case 'unchanged':
      return { ...nothing, status: 204, charge: deleteCharge };
    case 'not-modified':
      return { ...nothing, status: 304, etag: outcome.etag };
    case 'rejected': {
      const { status, substatus } = statusOf[outcome.code];
      return { ...nothing, status, substatus, charge: refusalCharge(outcome.code) };
    }
  }
}

const nothing = {
  substatus: undefined,
  charge: chargeMin,
  etag: undefined,
  timeMs: undefined,
  document: undefined,
} as const;

function chargeOf(kind: 'created' | 'replaced' | 'read', sizeBytes: number): number {
  if (kind === 'read') return readCharge(sizeBytes);
  return kind === 'created' ? createCharge(sizeBytes) : replaceCharge(sizeBytes);
}
