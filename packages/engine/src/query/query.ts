// A query as an embedder sees it: rows, one after the other or page by page.

import type { KeyRange, PartitionKeyComponent, PartitionKeyDefinition, PartitionKeyValues } from '@tidemark/model';
import { DatabaseError, intersectKeyRanges, partitionKeyValues } from '@tidemark/model';
import type { PreparedQuery, Value } from '@tidemark/query';
import { checkParameter, keyRangesOf, scannedRanges } from '@tidemark/query';
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
    checkOptions(options);
    this.#container = container;
    this.#text = checkedText(text);
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
        blockingItemsMax: this.#options.itemsMax === undefined ? blockingItems : undefined,
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
/** Of a query that sees all documents for each page. */
const blockingItems = 10_000;
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

/** For callers without types, and for those who have it in the form of the SDKs. */
export function checkedText(text: string): string {
  if (typeof text === 'string') return text;
  const isSpec = typeof text === 'object' && text !== null && 'query' in text;
  const given = isSpec ? 'an object with the member query' : nameOf(text);
  throw wrong(`A query is a text, with its parameters beside it: query('SELECT … @x', { '@x': 1 }). This is ${given}.`);
}

/** Throws bad-request for what is no parameter, or has no JSON. */
export function parametersOf(parameters: QueryParameters): Parameters {
  if (typeof parameters !== 'object' || parameters === null || Array.isArray(parameters)) {
    throw wrong(`Parameters of a query are an object, { '@x': 1 }. This is ${nameOf(parameters)}.`);
  }
  const values = new Map<string, Value>();
  for (const [given, value] of Object.entries(parameters)) {
    const name = given.startsWith('@') ? given : `@${given}`;
    if (!/^@[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      throw wrong(`A parameter of a query has a name of letters, digits and _, such as '@x', not '${given}'.`);
    }
    if (values.has(name)) throw wrong(`The parameter ${name} was given twice.`);
    values.set(name, parameterValue(name, value));
  }
  return { names: [...values.keys()], values: [...values.values()] };
}

/** As the service would get it: by way of JSON. */
function parameterValue(name: string, value: unknown): Value {
  if (value === undefined) return undefined;
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    if (cause instanceof RangeError) throw hasNoJson(name, 'It is too deep or too large', cause);
    throw hasNoJson(name, cause instanceof Error ? (cause.message.split('\n')[0] as string) : String(cause), cause);
  }
  if (text === undefined) throw hasNoJson(name, `This is ${nameOf(value)}`);
  const read = JSON.parse(text) as Value; // It is JSON.
  checkParameter(name, read);
  return read;
}

function hasNoJson(name: string, reason: string, cause?: unknown): DatabaseError {
  const message = `The value of ${name} has no JSON; give it as numbers, strings, booleans, null, arrays and objects. ${reason}.`;
  return wrong(message, cause);
}

function checkOptions(options: QueryOptions): void {
  if (typeof options !== 'object' || options === null) {
    throw wrong(`Options of a query are an object, { itemsMax: 100 }. This is ${nameOf(options)}.`);
  }
  checkOptionNames<QueryOptions>(options, optionNames);
  const { itemsMax, signal } = options;
  if (itemsMax !== undefined && (!Number.isSafeInteger(itemsMax) || itemsMax < 1)) {
    throw wrong(`The number of items on a page is at least 1, not ${String(itemsMax)}.`);
  }
  // A controller in the place of its signal would never end anything.
  if (signal !== undefined && typeof signal?.aborted !== 'boolean') {
    throw wrong(`The signal of a query is an AbortSignal, as controller.signal. This is ${nameOf(signal)}.`);
  }
}

function nameOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return 'an array';
  return { object: 'an object', bigint: 'a BigInt' }[String(typeof value)] ?? `a ${typeof value}`;
}

function wrong(message: string, cause?: unknown): DatabaseError {
  return new DatabaseError('bad-request', message, cause === undefined ? {} : { cause });
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
