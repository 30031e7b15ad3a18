// A query as an embedder sees it: rows, one after the other or page by page.

import type { KeyRange, PartitionKeyComponent, PartitionKeyDefinition, PartitionKeyValues } from '@tidemark/model';
import { DatabaseError, intersectKeyRanges, partitionKeyValues } from '@tidemark/model';
import type { PreparedQuery, Value } from '@tidemark/query';
import { keyRangesOf, scannedRanges } from '@tidemark/query';
import type { OptionNames } from '../known-options.ts';
import { checkOptionNames } from '../known-options.ts';
import { pageBytesMax } from '../limits.ts';
import type { ContainerInfo } from '../range-engine.ts';
import type { DocumentScope } from './document-scan.ts';
import type { QueryPage, QueryPageRequest } from './query-page.ts';

/** What a query needs of its container. */
export interface Queried {
  readonly info: ContainerInfo;
  prepareQuery(text: string, parameterNames: readonly string[]): PreparedQuery;
  scopeOfKey(values: PartitionKeyValues): DocumentScope;
  readQueryPage(request: QueryPageRequest): Promise<QueryPage>;
}

type PartitionKeyInput = PartitionKeyComponent | PartitionKeyValues;

/** By name, with the `@` or without. */
export type QueryParameters = Readonly<Record<string, unknown>>;

export interface QueryOptions {
  /** Only documents of this key; of a hierarchical one also the first levels. */
  readonly partitionKey?: PartitionKeyInput;
  /** Of a page. */
  readonly itemsMax?: number;
  /** Where the page before ended; with the same text and parameters. */
  readonly continuation?: string;
  readonly signal?: AbortSignal;
}

export interface QueryRows<T> {
  readonly items: readonly T[];
  /** Where the next page begins; undefined when there is none. A page may be empty and have one. */
  readonly continuation: string | undefined;
}

export class ContainerQuery<T> implements AsyncIterable<T> {
  readonly #container: Queried;
  readonly #text: string;
  readonly #parameters: Parameters;
  readonly #options: QueryOptions;

  constructor(container: Queried, text: string, parameters: QueryParameters, options: QueryOptions) {
    checkOptionNames<QueryOptions>(options, optionNames);
    const { itemsMax } = options;
    if (itemsMax !== undefined && (!Number.isSafeInteger(itemsMax) || itemsMax < 1)) {
      throw new DatabaseError('bad-request', `The number of items on a page is at least 1, not ${itemsMax}.`);
    }
    this.#container = container;
    this.#text = text;
    this.#parameters = parametersOf(parameters);
    this.#options = options;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const { items } of this.pages()) yield* items;
  }

  async *pages(): AsyncGenerator<QueryRows<T>, void, undefined> {
    const { itemsMax = itemsByDefault, signal, partitionKey } = this.#options;
    const { names, values } = this.#parameters;
    const prepared = this.#container.prepareQuery(this.#text, names);
    const scope = queryScope(this.#container, prepared, values, partitionKey);
    let { continuation } = this.#options;
    do {
      const page = await this.#container.readQueryPage({
        ...{ prepared, text: this.#text, parameters: values, scope },
        ...{ itemsMax, bytesMax: pageBytesMax, continuation, signal },
      });
      continuation = page.continuation;
      yield { items: page.rows.map((row) => JSON.parse(row) as T), continuation }; // What is selected is for the caller to know.
    } while (continuation !== undefined);
  }

  async toArray(): Promise<T[]> {
    const rows: T[] = [];
    for await (const { items } of this.pages()) rows.push(...items);
    return rows;
  }
}

const itemsByDefault = 1_000;
const optionNames: OptionNames<QueryOptions> = {
  partitionKey: true,
  itemsMax: true,
  continuation: true,
  signal: true,
};

interface Parameters {
  readonly names: readonly string[];
  readonly values: readonly Value[];
}

export function parametersOf(parameters: QueryParameters): Parameters {
  const entries = Object.entries(parameters);
  return {
    names: entries.map(([name]) => (name.startsWith('@') ? name : `@${name}`)),
    // Whatever has no JSON is no value: as the service would get it.
    values: entries.map(([, value]) =>
      value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as Value),
    ),
  };
}

/** The documents that a query has to look at: those of a partition key, or of the keys that its filter leaves. */
function queryScope(
  container: Queried,
  prepared: PreparedQuery,
  parameters: readonly Value[],
  partitionKey?: PartitionKeyInput,
): DocumentScope {
  const { definition } = container.info;
  if (partitionKey === undefined) return { keys: filteredKeys(definition.partitionKey, prepared, parameters) };
  const values = partitionKeyValues(Array.isArray(partitionKey) ? partitionKey : [partitionKey]);
  return container.scopeOfKey(values);
}

/** Those of `within` that the filter leaves. */
export function filteredKeys(
  definition: PartitionKeyDefinition,
  prepared: PreparedQuery,
  parameters: readonly Value[],
  within?: KeyRange,
): readonly KeyRange[] {
  const keys = scannedRanges(keyRangesOf(prepared, parameters, definition));
  if (within === undefined) return keys;
  return keys.flatMap((each) => intersectKeyRanges(each, within) ?? []);
}
