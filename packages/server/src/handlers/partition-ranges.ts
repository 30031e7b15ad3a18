// Partition key ranges: how many readers share a container.

import type { RangeInfo } from '@tidemark/engine';
import { DatabaseError, databaseRid, header, partitionKeyRangeRid } from '@tidemark/model';
import type { HandlerContext } from '../handler.ts';
import type { CosmosRequest } from '../request.ts';
import { textOfHeader } from '../request.ts';
import type { Place } from '../resources.ts';
import { findContainer } from '../resources.ts';
import type { CosmosResponse } from '../response.ts';
import { containerOwner, emptyResponse, listResponse, resourceResponse } from '../response.ts';

/**
 * Wire: a plain read lists the live ranges, and they cover the key space. Clients in other languages read the ranges like a
 * change feed and go on until a 304, from an etag on only what is new since (wire 10).
 *
 * Ids of ranges only grow, so the greatest one says how far a client has come. The container's number is in the etag as
 * well: one of the same name may have taken its place.
 */
export function listRanges(request: CosmosRequest, { database }: HandlerContext): CosmosResponse {
  const place = findContainer(database, request.path);
  const ranges = place.container.ranges;
  const newest = Math.max(...ranges.map((range) => Number(range.id)));
  const headers = [...containerOwner(place), header.etag, `"${place.info.number}.${newest}"`];
  const isIncremental = textOfHeader(request, header.changeFeed) !== undefined;
  const known = isIncremental ? newestKnown(textOfHeader(request, header.ifNoneMatch), place.info.number) : undefined;
  const wanted = known === undefined ? ranges : ranges.filter((range) => Number(range.id) > known);
  if (wanted.length === 0) return emptyResponse(304, [...headers, header.itemCount, '0']);
  const share = 1 / ranges.length;
  const values = wanted.map((range) => resourceOf(place, range, share));
  return listResponse(place.info.rid, 'PartitionKeyRanges', values, headers);
}

/** By its id or its rid. One that was split or merged is not there any more. */
export function readRange(request: CosmosRequest, { database }: HandlerContext): CosmosResponse {
  const place = findContainer(database, request.path);
  const { ranges } = place.container;
  const id = request.path.ids[2] ?? '';
  const found = ranges.find((range) => range.id === id || ridOf(place, range) === id);
  if (found === undefined) throw new DatabaseError('not-found', `Resource Not Found: there is no range "${id}".`);
  const { etag, timeMs } = place.info;
  return resourceResponse(
    request,
    200,
    { value: resourceOf(place, found, 1 / ranges.length), etag, timeMs },
    containerOwner(place),
  );
}

/** An etag that was made for something else says nothing: the list then begins anew. */
function newestKnown(etag: string | undefined, container: number): number | undefined {
  const [, number, newest] = /^"?(\d+)\.(\d+)"?$/.exec(etag ?? '') ?? [];
  return newest !== undefined && Number(number) === container ? Number(newest) : undefined;
}

/** Number 0 reads as "no such part" in the oldest client. */
function ridOf({ info }: Place, range: RangeInfo): string {
  return partitionKeyRangeRid(info.database, info.number, Number(range.id) + 1);
}

function resourceOf(place: Place, range: RangeInfo, throughputFraction: number): object {
  const { info } = place;
  const rid = ridOf(place, range);
  return {
    _rid: rid,
    id: range.id,
    _etag: `"${info.etag}"`,
    minInclusive: range.min,
    maxExclusive: range.max,
    ridPrefix: Number(range.id),
    _self: `dbs/${databaseRid(info.database)}/colls/${info.rid}/pkranges/${rid}/`,
    throughputFraction,
    status: 'online',
    parents: range.parents,
    ownedArchivalPKRangeIds: [],
    _ts: Math.floor(info.timeMs / 1000),
  };
}
