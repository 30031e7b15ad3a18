// Which request gets which answer. docs/reference/query-requests.md is this table in prose.
//
//   THE REQUEST NAMES                        CROSS PARTITION   THE QUERY                      ANSWER
//   a partition key, a range, keys           any               any                            rows of that part
//   nothing; the filter leaves one key       any               any                            rows
//   nothing; the container has no key        any               any                            rows
//   nothing                                  not enabled       any                            400, "required but disabled"
//   nothing                                  enabled           any                            rows of all ranges, put together here
//   nothing, with --plan-queries             enabled           has rows to be put together    400, 1004, the plan; rows where the
//                                                                                             client could not put them together

import type { ContainerInfo } from '@tidemark/engine';
import { isDatabaseError, readsVectorTokens } from '@tidemark/model';
import type { PartitionedQueryExecutionInfo } from '@tidemark/query';
import { areOneKey, clientPlan } from '@tidemark/query';
import type { AskedQuery, QueryTarget } from './query-request.ts';

export interface QueryQuestion {
  readonly query: AskedQuery;
  readonly target: QueryTarget;
  readonly definition: ContainerInfo['definition'];
  /** The client says that it may go to several partitions. Wire: modern clients always do, the oldest one when it was asked to. */
  readonly isCrossPartitionEnabled: boolean;
  /** Clients put together what they can, as they have to with the service. */
  readonly plansFirst: boolean;
  /** That the client asks for in its header; undefined where it names none. */
  readonly apiVersion: string | undefined;
}

export function answerTo({
  query,
  target,
  definition,
  isCrossPartitionEnabled,
  plansFirst,
  apiVersion,
}: QueryQuestion): 'rows' | 'disabled' | PartitionedQueryExecutionInfo {
  if (target.by !== 'nothing' || definition.partitionKey.systemKey === true) return 'rows';
  // Those that the filter leaves.
  if (areOneKey(target.scope.keys)) return 'rows';
  if (!isCrossPartitionEnabled) return 'disabled';
  return (plansFirst ? planOf(query, definition, apiVersion) : undefined) ?? 'rows';
}

/** Undefined where ranges give their rows one after the other, and where no client could put them together. */
function planOf(
  { prepared, parameters }: AskedQuery,
  { partitionKey }: ContainerInfo['definition'],
  apiVersion: string | undefined,
): PartitionedQueryExecutionInfo | undefined {
  try {
    const features = readsVectorTokens(apiVersion) ? undefined : featuresOfOldest;
    const plan = clientPlan(prepared, parameters, partitionKey, features);
    const { distinctType, top, limit, orderBy, groupByExpressions, groupByAliases, aggregates } = plan.queryInfo;
    const lists = [orderBy, groupByExpressions, groupByAliases, aggregates];
    const isMerged =
      distinctType !== 'None' || top !== null || limit !== null || lists.some(({ length }) => length > 0);
    return isMerged ? plan : undefined;
  } catch (error) {
    if (isDatabaseError(error)) return undefined;
    throw error;
  }
}

/** Wire: the oldest client asks for no plan and takes what comes with the refusal, of which it reads these (documentdb 1.15.3). */
const featuresOfOldest = 'Aggregate,MultipleOrderBy,OrderBy,Top';
