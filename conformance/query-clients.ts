// The ways in which a query is sent to a server: plain requests, and each client with its own pipeline. Each gives all rows of a
// query, page by page, or the code of what is wrong with it.

import type { CosmosClient, FeedOptions, FeedResponse, QueryIterator } from '@azure/cosmos';
import type { Value } from '@tidemark/query';
import type { RawResponse, World } from './harness.ts';
import type { DocumentDbClient } from './old-client.ts';

/** What a client sends. */
export interface SentQuery {
  readonly query: string;
  readonly parameters: { readonly name: string; readonly value: never }[];
}

/** In the container of this id, in the database `db`. */
export type AskAll = (container: string, sent: SentQuery, itemsMax: number) => Promise<readonly Value[] | string>;

/** A client that begins anew at each page has not come to an end then. */
const pagesMax = 200;

export const queryHeaders: Readonly<Record<string, string>> = {
  'content-type': 'application/query+json',
  'x-ms-documentdb-isquery': 'true',
  'x-ms-documentdb-query-enablecrosspartition': 'true',
};

export function byRequests(world: World): AskAll {
  return async (container, sent, itemsMax) => {
    const pages = await pagesOf(world, container, sent, { 'x-ms-max-item-count': String(itemsMax) });
    if (typeof pages === 'string') return pages;
    const tooLong = pages.find(({ length }) => length > itemsMax);
    return tooLong === undefined ? pages.flat() : `a page of ${tooLong.length}`;
  };
}

async function pagesOf(
  world: World,
  container: string,
  body: SentQuery,
  headers: Record<string, string>,
): Promise<Value[][] | string> {
  const pages: Value[][] = [];
  let more: Record<string, string> = {};
  while (pages.length < pagesMax) {
    const path = `/dbs/db/colls/${container}/docs`;
    const page = await world.fetch('POST', path, { headers: { ...queryHeaders, ...headers, ...more }, body });
    if (page.status !== 200) return codeOf(page.json.message);
    pages.push(page.json.Documents);
    const continuation = page.headers.get('x-ms-continuation');
    if (continuation === null) return pages;
    more = { 'x-ms-continuation': checkedContinuation(continuation, page) };
  }
  return 'the pages have no end';
}

/** Wire: clients parse it, and ask for less than 1 KB (wire 12). */
function checkedContinuation(text: string, page: RawResponse): string {
  JSON.parse(text);
  if (text.length >= 1024) throw new Error(`a continuation of ${text.length} characters: ${page.text.slice(0, 100)}`);
  return text;
}

/**
 * With one iterator for all pages; `isResumed`: with a new one behind each page that says where it ended, unless that is where it began,
 * as this client says of the last page of the last range when that is empty.
 */
export function byCosmos(client: CosmosClient, options: FeedOptions = {}, isResumed = false): AskAll {
  return async (container, sent, maxItemCount) => {
    const { items } = client.database('db').container(container);
    const rows: Value[] = [];
    try {
      let pages: QueryIterator<Value> = items.query<Value>(sent, { ...options, maxItemCount });
      let from: string | undefined;
      for (let count = 0; pages.hasMoreResults(); count += 1) {
        if (count === pagesMax) return 'the pages have no end';
        const { resources, continuationToken }: FeedResponse<Value> = await pages.fetchNext();
        rows.push(...(resources ?? []));
        if (isResumed && pages.hasMoreResults() && continuationToken !== undefined && continuationToken !== from) {
          from = continuationToken;
          pages = items.query<Value>(sent, { ...options, maxItemCount, continuationToken });
        }
      }
      return rows;
    } catch (error) {
      return codeOf((error as Error).message);
    }
  };
}

export function byDocumentDb(client: DocumentDbClient): AskAll {
  return async (container, sent, maxItemCount) => {
    const options = { enableCrossPartitionQuery: true, maxItemCount };
    const { error, result } = await client.all('queryDocuments', `dbs/db/colls/${container}`, sent, options);
    return error === undefined ? result : codeOf(error.body ?? String(error.code));
  };
}

/** Of the first thing that is wrong, as the service calls it; what it says where it has no code. */
function codeOf(message: string): string {
  return /\\*"code\\*":\\*"?(SC\d+|\d+)/.exec(message)?.[1] ?? message;
}
