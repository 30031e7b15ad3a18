// Queries of documents, and plans of them (wire 12).
//
// A query that is answered with 200 is final for every client, so it is run here over all ranges, whatever it sorts, groups or counts.
// Clients that ask range by range, because they have asked for the plan first, get the rows of that range.

import { DatabaseError, header } from '@tidemark/model';
import { checkComposition, checkOrderBy, clientPlan } from '@tidemark/query';
import { chargeMin, queryCharge } from '../charge.ts';
import type { HandlerContext } from '../handler.ts';
import { itemsPerPageMax, pageBytesMax } from '../limits.ts';
import { PageBody } from '../page-body.ts';
import { answerTo } from '../query-answer.ts';
import { metricsHeaders } from '../query-metrics.ts';
import type { AskedQuery, QueryTarget } from '../query-request.ts';
import { readQuery, rowsMaxOf, targetOf } from '../query-request.ts';
import type { CosmosRequest } from '../request.ts';
import { isHeaderTrue, textOfHeader } from '../request.ts';
import type { Place } from '../resources.ts';
import { findContainer } from '../resources.ts';
import type { CosmosResponse } from '../response.ts';
import { containerOwner, planNeeded, sessionHeaders } from '../response.ts';
import { checkSession } from '../session.ts';
import { untilGone } from '../until-gone.ts';

export async function queryDocuments(request: CosmosRequest, context: HandlerContext): Promise<CosmosResponse> {
  const place = findContainer(context.database, request.path);
  const beganMs = performance.now();
  const query = readQuery(request, (text, names) => place.container.prepareQuery(text, names));
  const compileMs = performance.now() - beganMs;
  checkSession(request, place, context.consistency);
  const target = targetOf(request, place, query);
  if (target.by === 'nothing') checkComposition(query.prepared);
  const { definition } = place.info;
  const isCrossPartitionEnabled = isHeaderTrue(request, header.enableCrossPartition);
  const { plansFirst } = context;
  const { apiVersion } = request;
  const answer = answerTo({ query, target, definition, isCrossPartitionEnabled, plansFirst, apiVersion });
  if (answer === 'disabled') throw crossPartitionDisabled();
  if (answer !== 'rows') return planNeeded(JSON.stringify(answer), containerOwner(place));
  return rowsResponse(request, context, place, { query, target, compileMs });
}

/** Wire: the clients that run plans read `queryInfo` without looking whether it is there. */
export function planQuery(request: CosmosRequest, { database }: HandlerContext): CosmosResponse {
  const place = findContainer(database, request.path);
  const { prepared, parameters } = readQuery(request, (text, names) => place.container.prepareQuery(text, names));
  const { partitionKey, indexingPolicy } = place.info.definition;
  checkOrderBy(prepared, indexingPolicy);
  const plan = clientPlan(
    prepared,
    parameters,
    partitionKey,
    textOfHeader(request, header.queryFeatures),
    place.container.ranges.length === 1,
  );
  const body = Buffer.from(JSON.stringify(plan));
  return { status: 200, charge: chargeMin, headers: containerOwner(place), body };
}

interface Run {
  readonly query: AskedQuery;
  readonly target: QueryTarget;
  readonly compileMs: number;
}

async function rowsResponse(
  request: CosmosRequest,
  { outgoing }: HandlerContext,
  place: Place,
  { query, target, compileMs }: Run,
): Promise<CosmosResponse> {
  const page = await untilGone(outgoing, (signal) =>
    place.container.readQueryPage({
      ...query,
      scope: target.scope,
      itemsMax: rowsMaxOf(request),
      blockingItemsMax: textOfHeader(request, header.itemsMax) === undefined ? itemsPerPageMax : undefined,
      bytesMax: pageBytesMax,
      continuation: textOfHeader(request, header.continuation),
      signal,
    }),
  );
  const { rows, range, tail, continuation } = page;
  const pieces = rows.length === 0 ? [] : [Buffer.from(rows.join(','))];
  const { body, heldBytes, onSent } = new PageBody(place.info.rid, pieces, rows.length);
  const headers = [
    ...containerOwner(place),
    ...sessionHeaders(request, range.id, tail),
    header.itemCount,
    String(rows.length),
    ...metricsHeaders(request, page, compileMs),
  ];
  if (continuation !== undefined) headers.push(header.continuation, continuation);
  const charge = queryCharge({ documents: page.work.documents, items: rows.length, sizeBytes: body.length });
  return { status: 200, charge, headers, body, heldBytes, onSent };
}

function crossPartitionDisabled(): DatabaseError {
  return new DatabaseError(
    'bad-request',
    `Cross partition query is required but disabled. Please set ${header.enableCrossPartition} to true, ` +
      `specify ${header.partitionKey}, or revise your query to avoid this exception.`,
  );
}
