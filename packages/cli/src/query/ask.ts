// One request of a query, to any account: a page of its rows, or the plan that a client would follow.

import type { CallOptions, RestClient, RestResponse } from '@tidemark/client';
import { DocumentPage } from '@tidemark/client';
import type { HeaderName, PartitionKeyValues } from '@tidemark/model';
import { formatPartitionKeyHeader, formatResourcePath, header } from '@tidemark/model';

export interface Parameter {
  /** With its @. */
  readonly name: string;
  /** JSON text, sent as it is: a number of any length stays what it is. */
  readonly json: string;
}

export interface Question {
  readonly text: string;
  readonly parameters: readonly Parameter[];
}

/** Whose documents are asked for. */
export interface Target {
  readonly client: RestClient;
  readonly database: string;
  readonly container: string;
  /** Undefined is all of them; of a hierarchical key fewer values than paths are a prefix. */
  readonly partitionKey: PartitionKeyValues | undefined;
}

export interface PageOptions extends CallOptions {
  readonly itemsMax: number | undefined;
  readonly continuation: string | undefined;
}

export interface RowPage {
  /** As they were sent. */
  readonly rows: readonly Buffer[];
  /** Undefined at the end. */
  readonly continuation: string | undefined;
  readonly charge: number;
  /** By the service's names: `retrievedDocumentCount`. Empty where the account tells none. */
  readonly metrics: ReadonlyMap<string, string>;
}

export async function askPage(target: Target, question: Question, options: PageOptions): Promise<RowPage> {
  const { itemsMax, continuation, ...call } = options;
  const response = await send(target, question, call, {
    [header.isQuery]: 'True',
    [header.populateQueryMetrics]: 'True',
    // Wire: -1 leaves the size of a page to the server (wire 12).
    [header.itemsMax]: String(itemsMax ?? -1),
    ...(continuation === undefined ? {} : { [header.continuation]: continuation }),
    ...(target.partitionKey === undefined
      ? {}
      : { [header.partitionKey]: formatPartitionKeyHeader(target.partitionKey) }),
  });
  const page = new DocumentPage(response);
  return {
    rows: page.itemBytes(),
    continuation: page.continuation,
    charge: page.charge,
    metrics: readMetrics(response.header(header.queryMetrics)),
  };
}

/** As the account answered: `queryInfo`, or what there is instead of it, and `queryRanges`. */
export async function askPlan(
  target: Target,
  question: Question,
  options: CallOptions,
): Promise<Readonly<Record<string, unknown>>> {
  const response = await send(target, question, options, {
    [header.isQueryPlan]: 'True',
    [header.queryFeatures]: features,
    [header.queryVersion]: '1.4',
  });
  return Object(response.json());
}

/** Wire: all that there are, since this only shows what would have to be done (query 5.1). */
const features =
  'Aggregate,CompositeAggregate,CountIf,DCount,Distinct,GroupBy,HybridSearch,HybridSearchSkipOrderByRewrite,ListAndSetAggregate,' +
  'MultipleAggregates,MultipleOrderBy,NonStreamingOrderBy,NonValueAggregate,OffsetAndLimit,OrderBy,Top,WeightedRankFusion';

function send(
  { client, database, container }: Target,
  { text, parameters }: Question,
  options: CallOptions,
  headers: Readonly<Partial<Record<HeaderName, string>>>,
): Promise<RestResponse> {
  const values = parameters.map(({ name, json }) => `{"name":${JSON.stringify(name)},"value":${json}}`);
  return client.send({
    verb: 'POST',
    path: formatResourcePath({ kind: 'document', ids: [database, container], isFeed: true, operation: undefined }),
    headers: { [header.contentType]: 'application/query+json', [header.enableCrossPartition]: 'True', ...headers },
    body: `{"query":${JSON.stringify(text)},"parameters":[${values.join(',')}]}`,
    isIdempotent: true,
    ...options,
  });
}

/** `totalExecutionTimeInMs=1.20;retrievedDocumentCount=7`. */
function readMetrics(text: string = ''): Map<string, string> {
  const figures = new Map<string, string>();
  for (const part of text.split(';')) {
    const [name = '', value] = part.split('=');
    if (value !== undefined) figures.set(name.trim(), value.trim());
  }
  return figures;
}
