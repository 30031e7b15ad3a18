// How the documents of a store are addressed. Containers that hold leases are partitioned by `/id`, or by `/partitionKey` where an
// account cannot partition by id (Gremlin); hosts of .NET refuse every other, and so do we.

import { DatabaseError, partitionKeyBytesMax, partitionKeyBytesMaxV1 } from '@tidemark/model';
import type { DocumentBody, StoredDocument } from './document-store.ts';

export interface StoreKey {
  readonly member: 'id' | 'partitionKey';
  /** Of a value. Wire: a container that was made without a version has the first, which takes little (wire 2). */
  readonly bytesMax: number;
  /** Of the container, for people. */
  readonly name: string;
}

/** `definition`: the partition key of the container, as the service shows it. */
export function storeKeyOf(definition: unknown, name: string): StoreKey {
  const { paths: listed, version }: { paths?: unknown; version?: unknown } = Object(definition);
  const paths: readonly unknown[] = Array.isArray(listed) ? listed : [];
  const [path] = paths;
  const bytesMax = version === 2 ? partitionKeyBytesMax : partitionKeyBytesMaxV1;
  if (paths.length === 1 && path === '/id') return { member: 'id', bytesMax, name };
  if (paths.length === 1 && path === '/partitionKey') return { member: 'partitionKey', bytesMax, name };
  throw new DatabaseError(
    'invalid-definition',
    `${name} is partitioned by ${paths.join(', ') || 'nothing'}. A container for leases or dead letters is partitioned by /id ` +
      '(or by /partitionKey): make another one.',
  );
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
  return storeKey.member === 'id' ? body : { ...body, partitionKey: key };
}

export function storedOf(value: unknown, { member }: StoreKey): StoredDocument {
  const body: DocumentBody = Object(value);
  const { id, _etag } = body;
  if (typeof id !== 'string' || typeof _etag !== 'string') {
    throw new DatabaseError('bad-request', 'A stored document came without id or _etag.');
  }
  const key = body[member];
  return { id, etag: _etag, key: typeof key === 'string' ? key : id, body };
}
