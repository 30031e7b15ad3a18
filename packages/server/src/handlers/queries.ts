// Queries of documents, as far as they are recognised (wire 12), and the plans of them.
//
// A query that is answered with 200 is final for every client, so everything is served here, range after range, and no
// client ever has to put results together itself. Plans are for those who ask for one first.

import { DatabaseError, header, keySpaceMax } from '@tidemark/model';
import { chargeMin } from '../charge.ts';
import type { PageRules } from '../document-pages.ts';
import { readDocumentPage } from '../document-pages.ts';
import type { HandlerContext } from '../handler.ts';
import { recogniseQuery } from '../recognised-query.ts';
import type { CosmosRequest } from '../request.ts';
import { isHeaderTrue, jsonOf, textOfHeader } from '../request.ts';
import type { Place } from '../resources.ts';
import { findContainer } from '../resources.ts';
import type { CosmosResponse } from '../response.ts';
import { containerOwner, documentPageResponse } from '../response.ts';

export async function queryDocuments(request: CosmosRequest, context: HandlerContext): Promise<CosmosResponse> {
  const place = findContainer(context.database, request.path);
  const rules = rulesOf(request);
  checkCrossPartition(request, place);
  return documentPageResponse(request, place, await readDocumentPage(request, place, context.consistency, rules));
}

/** Wire: the clients that run plans read `queryInfo` without looking whether it is there. */
export function planQuery(request: CosmosRequest, { database }: HandlerContext): CosmosResponse {
  const place = findContainer(database, request.path);
  rulesOf(request);
  return { status: 200, charge: chargeMin, headers: containerOwner(place), body: plan };
}

function rulesOf(request: CosmosRequest): PageRules {
  const query = recogniseQuery(jsonOf(request));
  if (query.kind === 'all') return { isFullPageOpen: true };
  if (query.kind === 'id-prefix') return { isFullPageOpen: true, idPrefix: query.prefix };
  throw new DatabaseError('not-supported', 'SQL queries by a member other than id are not supported yet.');
}

/** Wire: modern clients always allow it; the oldest one says so only when it was asked to (wire 12). */
function checkCrossPartition(request: CosmosRequest, { info }: Place): void {
  const isScoped =
    textOfHeader(request, header.partitionKey) !== undefined ||
    textOfHeader(request, header.rangeId) !== undefined ||
    textOfHeader(request, header.startEpk) !== undefined;
  if (isScoped || info.definition.partitionKey.systemKey === true) return;
  if (isHeaderTrue(request, header.enableCrossPartition)) return;
  throw new DatabaseError(
    'bad-request',
    `Cross partition query is required but disabled. Please set ${header.enableCrossPartition} to true, ` +
      `specify ${header.partitionKey}, or revise your query to avoid this exception.`,
  );
}

/** The same for every query that is recognised: nothing has to be put in order, grouped or rewritten. */
const plan: Buffer = Buffer.from(
  JSON.stringify({
    partitionedQueryExecutionInfoVersion: 2,
    queryInfo: {
      distinctType: 'None',
      top: null,
      offset: null,
      limit: null,
      orderBy: [],
      orderByExpressions: [],
      groupByExpressions: [],
      groupByAliases: [],
      aggregates: [],
      groupByAliasToAggregateType: {},
      rewrittenQuery: '',
      hasSelectValue: false,
      dCountInfo: null,
      hasNonStreamingOrderBy: false,
    },
    queryRanges: [{ min: '', max: keySpaceMax, isMinInclusive: true, isMaxInclusive: false }],
  }),
);
