// Lease documents as the processors of .NET write them (processor.md 1.2), version 3 and version 2.
//
// Such a host reads a document into its model and writes the model back: members at the top that the model does not know
// are gone with the next write, whoever wrote them. `properties` is part of the model and survives.

import type { KeyRange } from '@tidemark/model';
import type { StoredDocument } from '@tidemark/processor';

export type DotnetDialect = 'v3' | 'v2';
export type DotnetMode = 'Incremental Feed' | 'Full-Fidelity Feed';

export interface DotnetLease {
  readonly id: string;
  /** Id of a physical range (version 0) or `min-max` (version 1). */
  readonly token: string;
  readonly version: 0 | 1;
  /** The document was read with `PartitionId`, so it is written again. */
  readonly hasPartitionId: boolean;
  readonly partitionKey: string | undefined;
  readonly keys: KeyRange | undefined;
  readonly owner: string | null;
  readonly continuation: string | null;
  readonly properties: Readonly<Record<string, string>>;
  /** Milliseconds; `_ts` where there is no `timestamp`. */
  readonly timestampMs: number;
  readonly mode: DotnetMode | undefined;
  readonly stored: StoredDocument;
}

export type DotnetLeaseFields = Omit<DotnetLease, 'stored'>;

export function readLease(stored: StoredDocument): DotnetLease {
  const { body } = stored;
  const token = textOf(body['LeaseToken']) ?? textOf(body['PartitionId']);
  // D10: a document under the prefix of leases that is none makes the tick of the balancer throw.
  if (token === undefined) throw new TypeError(`The document ${stored.id} has no lease token.`);
  const { Range }: { Range?: unknown } = Object(body['FeedRange']);
  const { min, max }: { min?: unknown; max?: unknown } = Object(Range);
  const timestamp = textOf(body['timestamp']);
  const mode = body['Mode'];
  return {
    id: stored.id,
    token,
    version: body['version'] === 1 ? 1 : 0,
    hasPartitionId: textOf(body['PartitionId']) !== undefined,
    partitionKey: textOf(body['partitionKey']),
    keys: typeof min === 'string' && typeof max === 'string' ? { min, max } : undefined,
    owner: textOf(body['Owner']) ?? null,
    continuation: textOf(body['ContinuationToken']) ?? null,
    properties: Object(body['properties']),
    timestampMs: timestamp === undefined ? Number(body['_ts'] ?? 0) * 1_000 : Date.parse(timestamp),
    mode: mode === 'Incremental Feed' || mode === 'Full-Fidelity Feed' ? mode : undefined,
    stored,
  };
}

export function bodyOf(lease: DotnetLeaseFields, dialect: DotnetDialect): Record<string, unknown> & { id: string } {
  const { id, token, partitionKey, owner, continuation, properties, keys, mode } = lease;
  const timestamp = formatTimestamp(lease.timestampMs);
  const key = partitionKey === undefined ? {} : { partitionKey };
  if (dialect === 'v2') {
    return { id, ...key, PartitionId: token, Owner: owner, ContinuationToken: continuation, properties, timestamp };
  }
  return {
    id,
    ...key,
    version: lease.version,
    LeaseToken: token,
    ...(lease.hasPartitionId ? { PartitionId: token } : {}),
    ...(keys === undefined ? {} : { FeedRange: { Range: { min: keys.min, max: keys.max } } }),
    Owner: owner,
    ContinuationToken: continuation,
    properties,
    timestamp,
    ...(mode === undefined ? {} : { Mode: mode }),
  };
}

/** .NET counts in tenths of a microsecond. */
function formatTimestamp(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '0000Z');
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
