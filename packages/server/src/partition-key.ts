// The partition key that a request names in its header.

import type { ParsePartitionKeyOptions, PartitionKeyValues } from '@tidemark/model';
import { DatabaseError, header, parsePartitionKeyHeader } from '@tidemark/model';
import type { RequestHead } from './request.ts';
import { textOfHeader } from './request.ts';
import type { Place } from './resources.ts';

/** Undefined when there is no such header. */
export function partitionKeyOf(
  request: RequestHead,
  { info }: Place,
  options: ParsePartitionKeyOptions = {},
): PartitionKeyValues | undefined {
  const text = textOfHeader(request, header.partitionKey);
  return text === undefined ? undefined : parsePartitionKeyHeader(text, info.definition.partitionKey, options);
}

/** Wire: every operation on one document names its partition key, unless the container has none of its own (wire 7). */
export function requiredPartitionKey(request: RequestHead, place: Place): PartitionKeyValues {
  const values = partitionKeyOf(request, place);
  if (values !== undefined) return values;
  if (place.info.definition.partitionKey.systemKey === true) return [undefined];
  throw new DatabaseError('partition-key-missing', 'PartitionKey value must be supplied for this operation.');
}
