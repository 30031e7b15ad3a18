// The envelope of all-versions mode (wire 11.7) as the union that handlers get:
//
//   { "current": {…} | {}, "previous"?: {…}, "metadata": { "operationType": "create" | "replace" | "delete", "lsn", "crts",
//     "previousImageLSN"?, "timeToLiveExpired"?, "id"?, "partitionKey"?: { "a/b": value } } }
//
// `id` and `partitionKey` come with deletes only, and not from every endpoint.

import { parsePartitionKeyPath } from '@tidemark/model';
import type { VersionChange } from '../feed/change.ts';

type Members = Readonly<Record<string, unknown>>;

/** Undefined when it is none of the kinds of change there are. */
export function decodeVersion(
  envelope: Members,
  partitionKeyPaths: readonly string[],
): VersionChange<unknown> | undefined {
  const metadata = membersOf(envelope['metadata']);
  const current = membersOf(envelope['current']);
  const previous = membersOf(envelope['previous']);
  const { lsn, crts, previousImageLSN, operationType } = metadata ?? {};
  if (typeof lsn !== 'number') return undefined;
  const timeMs = typeof crts === 'number' ? crts * 1000 : 0;
  const previousLsn = typeof previousImageLSN === 'number' && previousImageLSN > 0 ? previousImageLSN : undefined;
  switch (operationType) {
    case 'create':
    case 'replace': {
      const id = current?.['id'];
      if (typeof id !== 'string') return undefined;
      // The endpoint guarantees the system properties of a current version.
      const document = current as VersionChange<unknown>['current'] & object;
      const facts = { id, lsn, timeMs, previousLsn, current: document };
      return operationType === 'create'
        ? { type: 'create', ...facts, previous: undefined }
        : { type: 'replace', ...facts, previous };
    }
    case 'delete': {
      const id = metadata?.['id'] ?? previous?.['id'] ?? current?.['id'];
      if (typeof id !== 'string') return undefined;
      const type = metadata?.['timeToLiveExpired'] === true ? 'expired' : 'delete';
      const partitionKey = keyOfDeleted(membersOf(metadata?.['partitionKey']), partitionKeyPaths);
      return { type, id, lsn, timeMs, previousLsn, current: undefined, previous, partitionKey };
    }
    default:
      return undefined;
  }
}

/** Names are paths without their leading slash; a nested one may come as nested objects too. */
function keyOfDeleted(key: Members | undefined, paths: readonly string[]): readonly unknown[] | undefined {
  if (key === undefined) return undefined;
  return paths.map((path) => {
    const name = path.slice(1);
    if (Object.hasOwn(key, name)) return key[name];
    let value: unknown = key;
    for (const step of parsePartitionKeyPath(path)) value = membersOf(value)?.[step];
    return value;
  });
}

function membersOf(value: unknown): Members | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : undefined;
}
