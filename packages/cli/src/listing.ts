// What there is in an account, a database or a container, as a table for people and as lines of JSON for programs.

import type { CallOptions, ResourceJson, RestClient } from '@tidemark/client';
import { isRestError } from '@tidemark/client';
import type { PartitionKeyDefinition } from '@tidemark/model';
import { formatResourcePath, header, validatePartitionKeyDefinition } from '@tidemark/model';
import { keyPathsOf, keyTextOf } from './change-line.ts';
import { listedAtOnce } from './limits.ts';
import { headOf, layOut, rowOf } from './table/cell-table.ts';
import type { Cell } from './table/row-cells.ts';
import { count, counted, shown, size } from './terminal.ts';
import { UsageError } from './usage-error.ts';

export interface Listing {
  /** One object each. */
  readonly items: readonly object[];
  /** For people: what there is, in a sentence. */
  readonly sum: string;
  /** Of documents there may be more than were asked for. */
  readonly hasMore: boolean;
  /** `widthMax` is that of the terminal. */
  text(widthMax: number): string;
}

export interface ListingOptions extends CallOptions {
  /** Of documents, whose number has no end. */
  readonly itemsMax: number;
}

/** Of the account without a name; of `shop` its containers, of `shop/orders` the first documents. */
export function listing(client: RestClient, name: string | undefined, options: ListingOptions): Promise<Listing> {
  const { itemsMax, ...call } = options;
  if (name === undefined) return databasesIn(client, call);
  const [database = '', container, ...rest] = name.replace(/\/$/, '').split('/');
  if (database === '' || container === '' || rest.length > 0) {
    throw new UsageError(`What is listed is DATABASE or DATABASE/CONTAINER, not '${name}'.`);
  }
  return container === undefined
    ? containersIn(client, database, call)
    : documentsIn(client, database, container, itemsMax, call);
}

async function databasesIn(client: RestClient, call: CallOptions): Promise<Listing> {
  const [databases, offers] = await Promise.all([client.databases({ retryMsMax: 0, ...call }), offersIn(client, call)]);
  const items = databases.map(({ id, _rid }) => ({ id: String(id), throughput: offers.get(String(_rid)) }));
  return listingOf(items, counted(items.length, 'databases'), ({ id, throughput }) => ({
    database: word(id),
    throughput: word(throughputText(throughput)),
  }));
}

async function containersIn(client: RestClient, database: string, call: CallOptions): Promise<Listing> {
  const containers = await client.containers(database, { retryMsMax: 0, ...call });
  const offers = await offersIn(client, call);
  const waiting = [...containers.entries()];
  const items: ContainerItem[] = [];
  // Each is asked for its ranges: a few at a time.
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [at, definition] = next;
      const ranges = await client.container(database, String(definition['id'])).ranges(call);
      items[at] = itemOf(definition, offers, ranges.length);
    }
  };
  await Promise.all(Array.from({ length: listedAtOnce }, work));
  return listingOf(items, counted(items.length, 'containers'), (item) => ({
    container: word(item.id),
    'partition key': word(item.partitionKey.join(', ')),
    throughput: word(throughputText(item.throughput)),
    ranges: number(item.ranges),
    'time to live': word(ttlText(item.ttlSeconds)),
  }));
}

interface ContainerItem {
  readonly id: string;
  readonly partitionKey: readonly string[];
  readonly throughput: Throughput | undefined;
  readonly ranges: number;
  readonly ttlSeconds: number | undefined;
}

function itemOf(definition: ResourceJson, offers: ReadonlyMap<string, Throughput>, ranges: number): ContainerItem {
  const { id, _rid, defaultTtl } = definition;
  return {
    id: String(id),
    partitionKey: keyPathsOf(definition),
    throughput: offers.get(String(_rid)),
    ranges,
    ttlSeconds: typeof defaultTtl === 'number' ? defaultTtl : undefined,
  };
}

async function documentsIn(
  client: RestClient,
  database: string,
  container: string,
  itemsMax: number,
  call: CallOptions,
): Promise<Listing> {
  const inside = client.container(database, container);
  const { partitionKey } = await inside.read({ retryMsMax: 0, ...call });
  const definition = validatePartitionKeyDefinition(partitionKey);
  const items: DocumentItem[] = [];
  let continuation: string | undefined;
  do {
    const page = await inside.documents({ ...call, continuation, itemsMax: itemsMax - items.length });
    for (const bytes of page.itemBytes()) items.push(documentOf(bytes, definition));
    continuation = page.continuation;
  } while (continuation !== undefined && items.length < itemsMax);
  const list = listingOf(items, counted(items.length, 'documents'), (item) => ({
    id: word(item.id),
    'partition key': word(item.partitionKey),
    size: { text: size(item.sizeBytes), isNumber: true },
    written: word(item.written ?? '-'),
  }));
  return { ...list, hasMore: continuation !== undefined };
}

interface DocumentItem {
  readonly id: string;
  /** As JSON, which is what --partition-key takes. */
  readonly partitionKey: string;
  readonly sizeBytes: number;
  readonly written: string | undefined;
}

function documentOf(bytes: Buffer, definition: PartitionKeyDefinition): DocumentItem {
  const document: ResourceJson = Object(JSON.parse(bytes.toString('utf8')));
  const { id, _ts } = document;
  const written = typeof _ts === 'number' ? `${new Date(_ts * 1000).toISOString().slice(0, 19)}Z` : undefined;
  return { id: String(id), partitionKey: keyTextOf(document, definition.paths), sizeBytes: bytes.length, written };
}

interface Throughput {
  readonly units: number;
  readonly isAutoscale: boolean;
}

/** By the rid of what they are for. Empty where an account has none, or shows none to this key. */
async function offersIn(client: RestClient, call: CallOptions): Promise<ReadonlyMap<string, Throughput>> {
  const path = formatResourcePath({ kind: 'offer', ids: [], isFeed: true, operation: undefined });
  const found = new Map<string, Throughput>();
  let continuation: string | undefined;
  try {
    do {
      const headers = continuation === undefined ? {} : { [header.continuation]: continuation };
      const response = await client.send({ verb: 'GET', path, headers, ...call });
      const { Offers }: Record<string, unknown> = Object(response.json());
      for (const offer of Array.isArray(Offers) ? Offers : []) {
        const { offerResourceId, content }: ResourceJson = Object(offer);
        const throughput = throughputIn(Object(content));
        if (throughput !== undefined) found.set(String(offerResourceId), throughput);
      }
      continuation = response.header(header.continuation);
    } while (continuation !== undefined);
  } catch (error) {
    // Wire: accounts without provisioned throughput refuse the list, and so does a resource token.
    if (!isRestError(error)) throw error;
  }
  return found;
}

function throughputIn({ offerThroughput, offerAutopilotSettings }: ResourceJson): Throughput | undefined {
  const { maxThroughput }: ResourceJson = Object(offerAutopilotSettings);
  if (typeof maxThroughput === 'number') return { units: maxThroughput, isAutoscale: true };
  return typeof offerThroughput === 'number' ? { units: offerThroughput, isAutoscale: false } : undefined;
}

function throughputText(throughput: Throughput | undefined): string {
  if (throughput === undefined) return '-';
  return `${throughput.isAutoscale ? 'up to ' : ''}${count(throughput.units)} RU/s`;
}

/** Wire: -1 keeps documents that name no time themselves. */
function ttlText(seconds: number | undefined): string {
  if (seconds === undefined) return '-';
  return seconds === -1 ? 'of each document' : counted(seconds, 'seconds');
}

function word(text: string): Cell {
  return { text: shown(text), isNumber: false };
}

function number(value: number): Cell {
  return { text: count(value), isNumber: true };
}

function listingOf<T extends object>(
  items: readonly T[],
  sum: string,
  cells: (item: T) => Readonly<Record<string, Cell>>,
): Listing {
  const text = (widthMax: number): string => {
    if (items.length === 0) return '';
    const rows = items.map((item) => ({ cells: new Map(Object.entries(cells(item))), isDocument: false }));
    const layout = layOut(rows, widthMax);
    return `${headOf(layout)}${rows.map((row) => rowOf(layout, row)).join('')}`;
  };
  return { items, sum, hasMore: false, text };
}
