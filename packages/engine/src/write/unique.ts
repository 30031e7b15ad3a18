// Unique keys: of the documents of one logical partition, no two may have the same values at the paths of a key.
//
// A value is compared by a digest of 16 bytes: SHA-256, cut short, of the order-preserving encoding of the values at the
// key's paths (model, json-key.ts), which is injective and self-delimiting. The digests of a document's keys stand one after
// the other, in the order of the policy.
//
// Wire: "Sparse unique keys are not supported. If some unique path values are missing, they're treated as null values, which
// take part in the uniqueness constraint" (Azure documentation, "Unique key constraints in Azure Cosmos DB"). A missing value
// therefore equals an explicit null, and one document of a logical partition at most may lack the paths of a key.

import { Buffer } from 'node:buffer';
import { hash } from 'node:crypto';
import { encodeJsonKeys } from '@tidemark/model';
import { parseUniqueKeyPath } from '../container-definition.ts';
import { uniqueDigestBytes } from '../log/frame.ts';
import type { UniqueKeyPaths } from './decision.ts';

/** The digests of a document in a container without unique keys. */
export const noDigests: Buffer = Buffer.alloc(0);

/** Splits the paths of one unique key. The limits of a policy are checked where the definition is read. */
export function parseUniqueKey(paths: readonly string[]): UniqueKeyPaths {
  return paths.map(parseUniqueKeyPath);
}

export function uniqueDigests(value: Readonly<Record<string, unknown>>, keys: readonly UniqueKeyPaths[]): Buffer {
  if (keys.length === 0) return noDigests;
  if (keys.length === 1) return uniqueDigest(value, keys[0]!);
  return Buffer.concat(keys.map((paths) => uniqueDigest(value, paths)));
}

export function uniqueDigestAt(digests: Buffer, key: number): Buffer {
  return digests.subarray(key * uniqueDigestBytes, (key + 1) * uniqueDigestBytes);
}

function uniqueDigest(value: Readonly<Record<string, unknown>>, paths: UniqueKeyPaths): Buffer {
  const encoded = encodeJsonKeys(paths.map((path) => valueAt(value, path) ?? null));
  return hash('sha256', encoded, 'buffer').subarray(0, uniqueDigestBytes);
}

/** Only own properties count, and arrays are not walked into. */
function valueAt(document: unknown, path: readonly string[]): unknown {
  let value = document;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, name))
      return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name]; // An object, as the line above has found.
  }
  return value;
}
