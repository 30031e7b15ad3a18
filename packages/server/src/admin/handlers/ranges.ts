// The ranges of a container: looked at, split and merged.

import type { Container, RangeInfo } from '@tidemark/engine';
import { compareHex, DatabaseError, effectiveKeyHex, isDatabaseError, parsePartitionKeyHeader } from '@tidemark/model';
import type { CosmosResponse } from '../../response.ts';
import type { AdminContext } from '../admin-handler.ts';
import { adminResponse } from '../admin-handler.ts';
import type { AdminRequest } from '../admin-request.ts';
import { membersOf, textMember } from '../admin-request.ts';

const rangesNamedMax = 20;

export function listRanges(request: AdminRequest, context: AdminContext): CosmosResponse {
  const { ranges } = containerOf(request, context);
  return adminResponse(200, { ranges: ranges.map(shown), count: ranges.length });
}

export async function splitRange(request: AdminRequest, context: AdminContext): Promise<CosmosResponse> {
  const container = containerOf(request, context);
  const members = membersOf(request, ['range', 'at', 'partitionKey']);
  const only = container.ranges.length === 1 ? container.ranges[0]?.id : undefined;
  const range = textMember('range', members.range) ?? only;
  if (range === undefined) {
    throw new DatabaseError('bad-request', `Say which 'range' is to be split; ${rangesThere(container)}`);
  }
  const children = await withLiveRanges(container, () => container.split(range, splitKey(container, members)));
  return adminResponse(200, { range, children: children.map(shown) });
}

export async function mergeRanges(request: AdminRequest, context: AdminContext): Promise<CosmosResponse> {
  const container = containerOf(request, context);
  const { ranges } = membersOf(request, ['ranges']);
  if (!Array.isArray(ranges) || ranges.length !== 2 || ranges.some((id) => typeof id !== 'string')) {
    throw new DatabaseError('bad-request', `'ranges' must be the ids of two neighbours: ["1", "2"].`);
  }
  const ids = ranges as string[]; // As just checked.
  const minOf = (id: string): string => container.ranges.find((each) => each.id === id)?.min ?? '';
  const [left = '', right = ''] = [...ids].sort((a, b) => compareHex(minOf(a), minOf(b)));
  const merged = await withLiveRanges(container, () => container.merge(left, right));
  return adminResponse(200, { ranges: [left, right], range: shown(merged) });
}

function containerOf({ parameters }: AdminRequest, { database }: AdminContext): Container {
  const { db = '', container = '' } = parameters;
  return database.container(db, container);
}

/** Who names a range that is gone is told which there are. */
async function withLiveRanges<T>(container: Container, change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    if (!isDatabaseError(error) || (error.code !== 'range-gone' && error.code !== 'range-unknown')) throw error;
    const message = `${error.message.replace(/\.$/, '')}; ${rangesThere(container)}`;
    throw new DatabaseError(error.code, message, { detail: error.detail, cause: error });
  }
}

function rangesThere({ ranges }: Container): string {
  const ids = ranges.slice(0, rangesNamedMax).map(({ id }) => id);
  const rest = ranges.length - ids.length;
  return `there ${ranges.length === 1 ? 'is' : 'are'} ${ids.join(', ')}${rest === 0 ? '' : ` and ${rest} more`}.`;
}

/** The first key of the second child: an effective key, or the partition key that it is made from. */
function splitKey(
  container: Container,
  members: { readonly at?: unknown; readonly partitionKey?: unknown },
): string | undefined {
  const at = textMember('at', members.at);
  if (members.partitionKey === undefined) return at?.toUpperCase();
  if (at !== undefined) throw new DatabaseError('bad-request', `Give 'at' or 'partitionKey', not both.`);
  const value = members.partitionKey;
  const text = JSON.stringify(Array.isArray(value) ? value : [value]);
  const values = parsePartitionKeyHeader(text, container.info.definition.partitionKey);
  return effectiveKeyHex(container.partitionKey(values).epk);
}

/** How many documents a range has is known to nobody without counting them. */
function shown({ id, min, max, parents, tailLsn, floorLsn, sizeBytes }: RangeInfo): object {
  return { id, minInclusive: min, maxExclusive: max, parents, tailLsn, floorLsn, sizeBytes };
}
