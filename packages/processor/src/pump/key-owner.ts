// Which range has a key: the one that reads its changes is the one that handles its dead letters.

import type { KeyRange, PartitionKeyDefinition, PartitionKeyValues } from '@tidemark/model';
import { effectiveKey, effectiveKeyHex, keyRangeContains } from '@tidemark/model';
import type { SourceIdentity } from '../feed/feed-source.ts';

/** `keysMin`: for letters without a key, a point of the key space. */
export function ownsKey(
  keys: KeyRange,
  identity: SourceIdentity,
  laneKey: string,
  keysMin: string | undefined,
): boolean {
  const values = valuesOf(laneKey);
  const definition = definitionOf(identity);
  if (values === undefined || values.length !== definition.paths.length || values.length === 0) {
    return keyRangeContains(keys, keysMin ?? '');
  }
  return keyRangeContains(keys, effectiveKeyHex(effectiveKey(definition, values)));
}

function definitionOf({ partitionKey, partitionKeyPaths }: SourceIdentity): PartitionKeyDefinition {
  if (partitionKey !== undefined) return partitionKey;
  const kind = partitionKeyPaths.length > 1 ? 'MultiHash' : 'Hash';
  return { paths: partitionKeyPaths, kind, version: 2 };
}

/** A lane key is the JSON of the values, with `{}` for an absent one. */
function valuesOf(laneKey: string): PartitionKeyValues | undefined {
  try {
    const values: unknown = JSON.parse(laneKey);
    // Letters can be edited by hand: JSON has numbers that no key can be.
    if (
      !Array.isArray(values) ||
      values.includes(Number.POSITIVE_INFINITY) ||
      values.includes(Number.NEGATIVE_INFINITY)
    )
      return undefined;
    return values.map((value) => (typeof value === 'object' && value !== null ? undefined : value));
  } catch {
    return undefined;
  }
}
