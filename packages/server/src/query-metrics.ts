// What a query has cost, for clients that ask: the header of sixteen figures, and what of the indexes it used (wire 12).

import type { QueryPage } from '@tidemark/engine/internal';
import { header } from '@tidemark/model';
import type { HeaderList } from './header-list.ts';
import type { RequestHead } from './request.ts';
import { isHeaderTrue } from './request.ts';

/** `compileMs`: from text to closures, next to nothing where the query was known. */
export function metricsHeaders(request: RequestHead, page: QueryPage, compileMs: number): HeaderList {
  // Wire: a client reads it to go on within an ORDER BY: rows of one key come in the order of their rids, whatever the direction.
  const headers: string[] = [header.queryExecutionInfo, '{"reverseRidEnabled":false,"reverseIndexScan":false}'];
  if (isHeaderTrue(request, header.populateQueryMetrics)) {
    headers.push(header.queryMetrics, metricsText(page, compileMs));
  }
  if (isHeaderTrue(request, header.populateIndexMetricsV2)) headers.push(header.indexUtilization, noIndexes);
  else if (isHeaderTrue(request, header.populateIndexMetrics)) {
    headers.push(header.indexUtilization, Buffer.from(noIndexes).toString('base64'));
  }
  return headers;
}

/** Every query is a scan at present. */
const noIndexes: string = JSON.stringify({
  UtilizedSingleIndexes: [],
  PotentialSingleIndexes: [],
  UtilizedCompositeIndexes: [],
  PotentialCompositeIndexes: [],
});

/** What is not measured apart from the rest is 0: functions run within the loop over documents, and rows are text at once. */
function metricsText({ work, rows }: QueryPage, compileMs: number): string {
  const rowBytes = rows.reduce((sum, row) => sum + Buffer.byteLength(row), 0);
  const figures: readonly (readonly [string, string])[] = [
    ['totalExecutionTimeInMs', ms(work.totalMs + compileMs)],
    ['queryCompileTimeInMs', ms(compileMs)],
    ['queryLogicalPlanBuildTimeInMs', ms(0)],
    ['queryPhysicalPlanBuildTimeInMs', ms(0)],
    ['queryOptimizationTimeInMs', ms(0)],
    // Wire: with all that follows but functions: clients take the times of loading, looking up and writing from it (Java 4.81).
    ['VMExecutionTimeInMs', ms(work.runMs + work.loadMs)],
    ['indexLookupTimeInMs', ms(0)],
    ['documentLoadTimeInMs', ms(work.loadMs)],
    ['systemFunctionExecuteTimeInMs', ms(0)],
    ['userFunctionExecuteTimeInMs', ms(0)],
    ['retrievedDocumentCount', String(work.documents)],
    ['retrievedDocumentSize', String(work.bytes)],
    ['outputDocumentCount', String(rows.length)],
    ['outputDocumentSize', String(rowBytes)],
    ['writeOutputTimeInMs', ms(0)],
    // The share of what was looked at that was wanted: the service's figure for whether an index would help.
    ['indexUtilizationRatio', (work.documents === 0 ? 1 : Math.min(1, rows.length / work.documents)).toFixed(2)],
  ];
  return figures.map(([name, value]) => `${name}=${value}`).join(';');
}

function ms(value: number): string {
  return value.toFixed(2);
}
