// The range that an answer to a write names, with its session token beside it (wire 13). A handler says so of what its range has decided;
// here it is said of every other answer, above all of what was refused before anybody asked a range.

import type { Database } from '@tidemark/engine';
import { header } from '@tidemark/model';
import { rangeIdOf } from './feed-scope.ts';
import type { Asked, Grant } from './grant.ts';
import { headerIn } from './header-list.ts';
import { partitionKeyOf } from './partition-key.ts';
import type { RequestHead } from './request.ts';
import type { Place } from './resources.ts';
import { findContainer } from './resources.ts';
import type { CosmosResponse } from './response.ts';
import { containerOwner, sessionHeaders } from './response.ts';

/** A write of documents that is granted. */
export interface Write {
  readonly head: RequestHead;
  /** Its partition keys are in its body: then its head names a range by its id or not at all. */
  readonly isBulk: boolean;
}

/** Undefined for what writes no documents. */
export function writeOf(head: RequestHead, asked: Asked, grant: Grant): Write | undefined {
  if (asked.isRead || (asked.kind !== 'document' && asked.operation !== 'delete-partition')) return undefined;
  const isBulk = asked.keysIn === 'body';
  // Whoever is granted one partition key does not learn how far other ranges are.
  if (isBulk && grant.kind === 'token' && grant.partitionKey !== undefined) return undefined;
  return { head, isBulk };
}

/** The answer as it is where nothing names a range. Throws what finding one throws. */
export function withRange(response: CosmosResponse, { head, isBulk }: Write, database: Database): CosmosResponse {
  if (headerIn(response.headers, header.rangeId) !== undefined) return response;
  // What was granted when the request began may have ended since, and the container be another one of its name.
  if (response.status === 401 || response.status === 403) return response;
  const place = findContainer(database, head.path);
  const id = (isBulk ? undefined : rangeOfKey(head, place, database)) ?? rangeIdOf(head, place);
  const range = place.container.ranges.find((each) => each.id === id);
  if (range === undefined) return response;
  const owner = headerIn(response.headers, header.ownerRid) === undefined ? containerOwner(place) : [];
  return { ...response, headers: [...response.headers, ...owner, ...sessionHeaders(head, range.id, range.tailLsn)] };
}

/** Wire: of a partition key and a range id the partition key counts (wire 11.3). */
function rangeOfKey(head: RequestHead, place: Place, { engine }: Database): string | undefined {
  const { container, info } = place;
  const values =
    partitionKeyOf(head, place) ?? (info.definition.partitionKey.systemKey === true ? [undefined] : undefined);
  return values === undefined ? undefined : engine.rangeOf(info.number, container.partitionKey(values).epk);
}
