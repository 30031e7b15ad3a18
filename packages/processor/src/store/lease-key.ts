// How the documents of a store are addressed. Containers that hold leases are partitioned by `/id`, or by `/partitionKey` where an
// account cannot partition by id (Gremlin), or fixed: made without a partition key. Hosts of .NET refuse every other, and so do we.

import type { PartitionKeyValues } from '@tidemark/model';
import { DatabaseError, defaultPartitionKeyPath, partitionKeyBytesMax, partitionKeyBytesMaxV1 } from '@tidemark/model';
import type { DocumentBody, StoredDocument } from './document-store.ts';

export interface StoreKey {
  /** Undefined: the container is fixed, its documents are all in one partition. */
  readonly member: 'id' | 'partitionKey' | undefined;
  /** What a request calls the partition of a fixed container. */
  readonly none: PartitionKeyValues;
  /** Of a value. Wire: a container that was made without a version has the first, which takes little (wire 2). */
  readonly bytesMax: number;
  /** Of the container, for people. */
  readonly name: string;
}

/** `definition`: the partition key of the container, as the service shows it; clients of before 2018-12-31 are shown none. */
export function storeKeyOf(definition: unknown, name: string): StoreKey {
  const { paths: listed, version, systemKey }: Readonly<Record<string, unknown>> = Object(definition);
  const paths: readonly unknown[] = Array.isArray(listed) ? listed : [];
  const [path] = paths;
  const bytesMax = version === 2 ? partitionKeyBytesMax : partitionKeyBytesMaxV1;
  // Wire: the partition is `[]` where the service made the key up, `[{}]` where the JavaScript SDK did (wire 6, wire 7).
  const none = systemKey === true ? [] : [undefined];
  if (paths.length === 1 && path === '/id') return { member: 'id', none, bytesMax, name };
  if (paths.length === 1 && path === '/partitionKey') return { member: 'partitionKey', none, bytesMax, name };
  if (paths.length === 1 && path === defaultPartitionKeyPath) {
    return { member: undefined, none, bytesMax: Number.POSITIVE_INFINITY, name };
  }
  throw new DatabaseError(
    'invalid-definition',
    `${name} is partitioned by ${paths.join(', ') || 'nothing'}. A container for leases or dead letters is partitioned by /id ` +
      '(or by /partitionKey, or fixed): make another one.',
  );
}

/** The partition of the document with this key, as a request names it. */
export function partitionOf({ member, none }: StoreKey, key: string): PartitionKeyValues {
  return member === undefined ? none : [key];
}

/** The same for a client that knows the container: undefined for the partition of a fixed one. */
export function partitionValueOf({ member }: StoreKey, key: string): string | undefined {
  return member === undefined ? undefined : key;
}

/** Throws invalid-definition when ids of so many bytes are more than the container takes. */
export function checkKeyBytes({ name, bytesMax }: StoreKey, bytes: number): void {
  if (bytes <= bytesMax) return;
  throw new DatabaseError(
    'invalid-definition',
    `${name} has a partition key of version 1, whose values have ${bytesMax} bytes at most; here they have up to ${bytes}. Make ` +
      "another one with version 2: { paths: ['/id'], version: 2 }.",
  );
}

/** What is written: with the member that the container is partitioned by. */
export function keyed(body: DocumentBody, storeKey: StoreKey, key: string): DocumentBody {
  checkKeyBytes(storeKey, Buffer.byteLength(key));
  return storeKey.member === 'partitionKey' ? { ...body, partitionKey: key } : body;
}

export function storedOf(value: unknown, { member }: StoreKey): StoredDocument {
  const body: DocumentBody = Object(value);
  const { id, _etag } = body;
  if (typeof id !== 'string' || typeof _etag !== 'string') {
    throw new DatabaseError('bad-request', 'A stored document came without id or _etag.');
  }
  const key = member === undefined ? id : body[member];
  return { id, etag: _etag, key: typeof key === 'string' ? key : id, body };
}
