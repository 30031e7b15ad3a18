// How the documents of a store are addressed. Containers that hold leases are partitioned by `/id`, or by `/partitionKey` where an
// account cannot partition by id (Gremlin); hosts of .NET refuse every other, and so do we.

import { DatabaseError } from '@tidemark/model';
import type { DocumentBody, StoredDocument } from './document-store.ts';

export type KeyMember = 'id' | 'partitionKey';

/** `definition`: the partition key of the container, as the service shows it. */
export function keyMemberOf(definition: unknown, name: string): KeyMember {
  const { paths: listed }: { paths?: unknown } = Object(definition);
  const paths: readonly unknown[] = Array.isArray(listed) ? listed : [];
  const [path] = paths;
  if (paths.length === 1 && path === '/id') return 'id';
  if (paths.length === 1 && path === '/partitionKey') return 'partitionKey';
  throw new DatabaseError(
    'invalid-definition',
    `${name} is partitioned by ${paths.join(', ') || 'nothing'}. A container for leases or dead letters is partitioned by /id ` +
      '(or by /partitionKey): make another one.',
  );
}

/** What is written: with the member that the container is partitioned by. */
export function keyed(body: DocumentBody, member: KeyMember, key: string): DocumentBody {
  return member === 'id' ? body : { ...body, partitionKey: key };
}

export function storedOf(value: unknown, member: KeyMember): StoredDocument {
  const body: DocumentBody = Object(value);
  const { id, _etag } = body;
  if (typeof id !== 'string' || typeof _etag !== 'string') {
    throw new DatabaseError('bad-request', 'A stored document came without id or _etag.');
  }
  const key = body[member];
  return { id, etag: _etag, key: typeof key === 'string' ? key : id, body };
}
