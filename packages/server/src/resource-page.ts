// A page of databases, containers, offers or whatever else is listed whole from memory; or of a query over them, for it is the same
// path with another verb.
//
// CONTINUATION   p1:<number>   everything up to this number of the catalog has been listed; numbers only grow, so that what
//                              is created or deleted meanwhile moves nothing else.

import { DatabaseError, header } from '@tidemark/model';
import type { HandlerContext } from './handler.ts';
import type { HeaderList } from './header-list.ts';
import { itemsPerPageMax } from './limits.ts';
import type { CosmosRequest, RequestHead } from './request.ts';
import { itemsMaxOf, textOfHeader } from './request.ts';
import type { Numbered, Valued } from './resource-query.ts';
import { queryResources } from './resource-query.ts';
import type { CosmosResponse } from './response.ts';
import { listResponse, rowsResponse } from './response.ts';

/** How clients read the list. */
export interface ResourceList {
  readonly ownerRid: string;
  readonly arrayName: string;
  readonly headers: HeaderList;
}

export async function resourcesResponse<T extends Numbered>(
  request: CosmosRequest,
  context: HandlerContext,
  list: ResourceList,
  all: readonly T[],
  shown: Valued<T>,
): Promise<CosmosResponse> {
  const { ownerRid, arrayName, headers } = list;
  if (request.verb === 'POST') {
    const page = await queryResources(request, context, all, shown);
    return rowsResponse(ownerRid, arrayName, page.rows, [...headers, ...continuationHeader(page.continuation)]);
  }
  const page = pageOf(request, all);
  const values: object[] = [];
  for (const item of page.items) values.push(await shown(item));
  return listResponse(ownerRid, arrayName, values, [...headers, ...page.headers]);
}

function continuationHeader(continuation: string | undefined): HeaderList {
  return continuation === undefined ? [] : [header.continuation, continuation];
}

interface ResourcePage<T> {
  readonly items: readonly T[];
  /** Where it goes on, if it does. */
  readonly headers: HeaderList;
}

/** Without a number of items from the client, as many as there may be on any page. */
function pageOf<T extends Numbered>(request: RequestHead, all: readonly T[]): ResourcePage<T> {
  const after = numberOf(textOfHeader(request, header.continuation));
  const itemsMax = textOfHeader(request, header.itemsMax) === undefined ? itemsPerPageMax : itemsMaxOf(request);
  const rest = all.filter(({ number }) => number > after).sort((a, b) => a.number - b.number);
  const items = rest.slice(0, itemsMax);
  const last = items.at(-1);
  const isEnd = last === undefined || items.length === rest.length;
  return { items, headers: isEnd ? [] : [header.continuation, `${mark}${last.number}`] };
}

const mark = 'p1:';

function numberOf(continuation: string | undefined): number {
  if (continuation === undefined) return 0;
  if (/^p1:\d{1,15}$/.test(continuation)) return Number(continuation.slice(mark.length));
  throw new DatabaseError('invalid-continuation', 'Invalid Continuation Token: it was not made here, or for this.');
}
