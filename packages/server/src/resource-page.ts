// A page of databases, containers, offers or whatever else is listed whole from memory.
//
// CONTINUATION   p1:<number>   everything up to this number of the catalog has been listed; numbers only grow, so that what
//                              is created or deleted meanwhile moves nothing else.

import { DatabaseError, header } from '@tidemark/model';
import type { HeaderList } from './header-list.ts';
import { itemsPerPageMax } from './limits.ts';
import type { RequestHead } from './request.ts';
import { itemsMaxOf, textOfHeader } from './request.ts';

interface Numbered {
  readonly number: number;
}

export interface ResourcePage<T> {
  readonly items: readonly T[];
  /** Where it goes on, if it does. */
  readonly headers: HeaderList;
}

/** Without a number of items from the client, as many as there may be on any page. */
export function pageOf<T extends Numbered>(request: RequestHead, all: readonly T[]): ResourcePage<T> {
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
