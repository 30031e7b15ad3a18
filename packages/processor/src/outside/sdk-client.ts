// What the adapters need of `@azure/cosmos` 4.x, by shape: this package does not depend on it.

import { createRequire } from 'node:module';
import { codeOfStatus, failureOfConnection } from '@tidemark/client';
import type { ErrorCode } from '@tidemark/model';
import { DatabaseError, header } from '@tidemark/model';

export interface SdkClient {
  database(id: string): { container(id: string): SdkContainer };
  getWriteEndpoint(): Promise<string>;
}

export interface SdkContainer {
  readonly items: {
    create(body: object, options?: SdkCall): Promise<{ readonly resource?: unknown }>;
    query(
      query: { readonly query: string; readonly parameters: { name: string; value: string }[] },
      options?: SdkCall,
    ): {
      fetchAll(): Promise<{ readonly resources: unknown[] }>;
    };
    getChangeFeedIterator(options?: {
      // biome-ignore lint/suspicious/noExplicitAny: an abstract class of the package, whose instances only it can make.
      readonly changeFeedStartFrom?: any;
      // biome-ignore lint/suspicious/noExplicitAny: a string enum of the package, which plain strings are not assignable to.
      readonly changeFeedMode?: any;
      readonly maxItemCount?: number;
      readonly sessionToken?: string;
    }): { readNext(): Promise<SdkPage> };
  };
  /** Without a partition key: that of a document that has none, by the definition of the container. */
  item(id: string, partitionKey: string | undefined): SdkItem;
  read(options?: SdkCall): Promise<{ readonly resource?: unknown }>;
  readPartitionKeyRanges(): { fetchAll(): Promise<{ readonly resources: unknown[] }> };
  getFeedRanges(): Promise<readonly object[]>;
}

export interface SdkItem {
  read(options?: SdkCall): Promise<{ readonly resource?: unknown; readonly statusCode: number }>;
  replace(body: object, options?: SdkCall): Promise<{ readonly resource?: unknown }>;
  delete(options?: SdkCall): Promise<unknown>;
}

export interface SdkCall {
  readonly abortSignal?: AbortSignal;
  readonly accessCondition?: { readonly type: 'IfMatch'; readonly condition: string };
}

export interface SdkPage {
  readonly result: unknown;
  readonly statusCode: number;
  readonly subStatusCode?: number | undefined;
  readonly requestCharge: number;
  readonly sessionToken: string;
  readonly continuationToken: string;
  readonly headers: { readonly [name: string]: unknown };
}

/** The class of the package that says where a feed starts: its objects are told by their class. */
export interface SdkStarts {
  Beginning(range?: unknown): unknown;
  Now(range?: unknown): unknown;
  Time(time: Date, range?: unknown): unknown;
  Continuation(token: string): unknown;
}

export function isSdkClient(x: unknown): x is SdkClient {
  const { database, getWriteEndpoint }: Record<string, unknown> = Object(x);
  return typeof database === 'function' && typeof getWriteEndpoint === 'function';
}

/**
 * The class comes from the very copy of the package that made the client: a process may have loaded two, one with `import` and one
 * with `require`, and each knows only its own objects.
 */
export async function startsOf(client: SdkClient): Promise<SdkStarts> {
  const name: string = '@azure/cosmos';
  const copies = [() => import(name), async () => createRequire(import.meta.url)(name)];
  for (const load of copies) {
    try {
      const { CosmosClient, ChangeFeedStartFrom }: { CosmosClient?: unknown; ChangeFeedStartFrom?: SdkStarts } =
        await load();
      if (client.constructor === CosmosClient && ChangeFeedStartFrom !== undefined) return ChangeFeedStartFrom;
    } catch {
      // Not to be found from here: the next way, then the message below.
    }
  }
  throw new DatabaseError(
    'not-supported',
    'The package of this CosmosClient cannot be found: pass its ChangeFeedStartFrom too, as ' +
      '{ client, ChangeFeedStartFrom, database, container }. It has to be @azure/cosmos 4.',
  );
}

/** The endpoint that the client was made with; hosts of .NET name leases after it. The SDK shows it nowhere in public. */
export async function endpointOf(client: SdkClient): Promise<string> {
  return givenEndpointOf(client) ?? client.getWriteEndpoint();
}

export function givenEndpointOf(client: SdkClient): string | undefined {
  const { clientContext }: { clientContext?: { cosmosClientOptions?: { endpoint?: unknown } } } = Object(client);
  const endpoint = clientContext?.cosmosClientOptions?.endpoint;
  return typeof endpoint === 'string' && URL.canParse(endpoint) ? endpoint : undefined;
}

/** An error of the SDK as one of the seams. `kind`: whether the call may have changed something. */
export function sdkError(error: unknown, kind: 'read' | 'write', isContinued: boolean = false): unknown {
  const { code, substatus, headers, message, retryAfterInMs, name }: Record<string, unknown> = Object(error);
  const text = typeof message === 'string' && message !== '' ? message : 'The SDK failed and gave no reason.';
  const as = (better: ErrorCode): DatabaseError =>
    new DatabaseError(better, text, {
      cause: error,
      retryAfterMs: typeof retryAfterInMs === 'number' ? retryAfterInMs : undefined,
    });
  if (typeof code === 'number') {
    const { [header.substatus]: inHeaders }: Record<string, unknown> = Object(headers);
    const sub = Number(substatus ?? inHeaders ?? Number.NaN);
    return as(codeOf(code, Number.isNaN(sub) ? undefined : sub, kind, text, isContinued));
  }
  if (typeof code === 'string' && failureOfConnection(code) === 'not-done') return as('unavailable');
  const isLate = name === 'TimeoutError' || code === 'TimeoutError' || code === 'ETIMEDOUT';
  if (kind === 'write') return typeof code === 'string' || isLate ? as('outcome-unknown') : error;
  if (isLate) return as('request-timeout');
  if (typeof code === 'string') return as('unavailable');
  // What the client itself finds out it throws with a sentence and nothing else.
  return /continuation token is not for the current container/i.test(text) ? as('container-mismatch') : error;
}

function codeOf(
  status: number,
  substatus: number | undefined,
  kind: 'read' | 'write',
  text: string,
  isContinued: boolean,
): ErrorCode {
  const code = codeOfStatus(status, substatus, kind === 'write', text);
  if (kind === 'write')
    return status >= 500 && code !== 'disk-full' && code !== 'not-supported' ? 'outcome-unknown' : code;
  if (code === 'session-not-available' || (code === 'internal' && status >= 500)) return 'unavailable';
  return code === 'bad-request' && isContinued ? 'invalid-continuation' : code;
}
