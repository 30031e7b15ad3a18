// Many writes of one range in one request, each with its own outcome (wire 8).

import type { PartitionKeyValues } from '@tidemark/model';
import { formatPartitionKeyHeader } from '@tidemark/model';
import type { RestResponse } from './transport.ts';

export interface BulkOperation {
  readonly type: 'Create' | 'Upsert' | 'Replace' | 'Delete';
  readonly partitionKey: PartitionKeyValues;
  /** Of `Replace` and `Delete`. */
  readonly id?: string;
  /** JSON as it is to be stored; of all but `Delete`. */
  readonly document?: Buffer;
  readonly ifMatch?: string;
}

export interface BulkOutcome {
  readonly status: number;
  readonly substatus: number | undefined;
  readonly charge: number;
  readonly retryAfterMs: number | undefined;
  readonly message: string | undefined;
}

/** What is around a document in the body of a request: less than this, when neither id nor key is long. */
export function operationBytes(operation: BulkOperation): number {
  return headOf(operation).length + (operation.document?.length ?? 0) + documentName.length + 2;
}

/** The documents are copied as they are: literals and order of members survive. */
export function bulkBody(operations: readonly BulkOperation[]): Buffer {
  const pieces: Buffer[] = [];
  for (const operation of operations) {
    pieces.push(pieces.length === 0 ? openBracket : comma, headOf(operation));
    if (operation.document !== undefined) pieces.push(documentName, operation.document);
    pieces.push(closeBrace);
  }
  return Buffer.concat([...pieces, closeBracket]);
}

export function readBulkOutcomes(response: RestResponse, count: number): BulkOutcome[] {
  const parsed = response.json();
  const results: readonly unknown[] = Array.isArray(parsed) ? parsed : [];
  return Array.from({ length: count }, (_, index) => outcomeOf(results[index]));
}

function headOf({ type, partitionKey, id, ifMatch }: BulkOperation): Buffer {
  const head = {
    operationType: type,
    // Wire: JSON inside a string (wire 8).
    partitionKey: formatPartitionKeyHeader(partitionKey),
    ...(id === undefined ? {} : { id }),
    ...(ifMatch === undefined ? {} : { ifMatch }),
  };
  return Buffer.from(JSON.stringify(head).slice(0, -1));
}

function outcomeOf(result: unknown): BulkOutcome {
  const { statusCode, subStatusCode, requestCharge, retryAfterMilliseconds, message }: Record<string, unknown> =
    Object(result);
  return {
    // A result that is missing is one that nobody knows anything about.
    status: typeof statusCode === 'number' ? statusCode : 500,
    substatus: typeof subStatusCode === 'number' ? subStatusCode : undefined,
    charge: typeof requestCharge === 'number' ? requestCharge : 0,
    retryAfterMs: typeof retryAfterMilliseconds === 'number' ? retryAfterMilliseconds : undefined,
    message: typeof message === 'string' ? message : undefined,
  };
}

const openBracket: Buffer = Buffer.from('[');
const closeBracket: Buffer = Buffer.from(']');
const comma: Buffer = Buffer.from(',');
const closeBrace: Buffer = Buffer.from('}');
const documentName: Buffer = Buffer.from(',"resourceBody":');
