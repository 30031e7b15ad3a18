// A container over the network: its documents, its ranges, its lists and its feed.

import type { HeaderName, KeyRange, PartitionKeyValues } from '@tidemark/model';
import { DatabaseError, formatPartitionKeyHeader, header } from '@tidemark/model';
import type { BulkOperation, BulkOutcome } from './bulk.ts';
import { bulkBody, readBulkOutcomes } from './bulk.ts';
import { ChangePage, DocumentPage } from './feed-page.ts';
import { requestMsMax, waitedPageMsMin, waitGraceMs } from './limits.ts';
import { pathOf } from './request-path.ts';
import type { CallOptions, RestResponse, Transport } from './transport.ts';

/** JSON text as it is, or a value that becomes JSON. */
export type DocumentInput = Uint8Array | object;

export interface DocumentAnswer {
  readonly etag: string;
  readonly charge: number;
  readonly sessionToken: string | undefined;
  /** As the server stored it; empty after a delete. */
  readonly bytes: Buffer;
  /** Written anew rather than over an older version. */
  readonly isNew: boolean;
}

export interface WriteOptions extends CallOptions {
  readonly ifMatch?: string | undefined;
}

export interface PatchOperation {
  readonly op: 'add' | 'set' | 'replace' | 'remove' | 'incr' | 'move';
  readonly path: string;
  readonly value?: unknown;
  readonly from?: string;
}

export interface RangeInfo extends KeyRange {
  readonly id: string;
  readonly parents: readonly string[];
}

/** What is read: everything, a range, a part of the key space (of a range, where one is named), or a partition key. */
export interface FeedScope {
  readonly range?: string | undefined;
  readonly keys?: KeyRange | undefined;
  /** Of a hierarchical key fewer values than paths are a prefix. */
  readonly partitionKey?: PartitionKeyValues | undefined;
}

export interface ListOptions extends FeedScope, CallOptions {
  readonly continuation?: string | undefined;
  readonly itemsMax?: number | undefined;
  /** How far the client has seen the ranges: the answer is not older. */
  readonly sessionToken?: string | undefined;
}

export interface ReadOptions extends CallOptions {
  readonly sessionToken?: string | undefined;
}

export interface Query {
  readonly query: string;
  readonly parameters?: readonly { readonly name: string; readonly value: unknown }[];
}

type FeedMode = 'latest' | 'all-versions';
export type ChangesStart = 'beginning' | 'now' | { readonly etag: string } | { readonly timeMs: number };

export interface ChangesOptions extends FeedScope, CallOptions {
  readonly mode?: FeedMode;
  /** From the beginning when it is left out. */
  readonly from?: ChangesStart;
  readonly itemsMax?: number | undefined;
  /** Asks the server to answer an empty feed only after this time; where it cannot, it answers at once. */
  readonly waitSeconds?: number | undefined;
  /** Answers only for the container with this rid: one of the same name may have taken its place. */
  readonly containerRid?: string | undefined;
  readonly sessionToken?: string | undefined;
}

export class RestContainer {
  readonly database: string;
  readonly id: string;
  readonly #transport: Transport;
  readonly #path: string;
  readonly #documentsPath: string;

  constructor(transport: Transport, database: string, id: string) {
    this.database = database;
    this.id = id;
    this.#transport = transport;
    this.#path = pathOf('container', [database, id]);
    this.#documentsPath = pathOf('document', [database, id], true);
  }

  /** Its definition, as the service's JSON. */
  async read(options: CallOptions = {}): Promise<Readonly<Record<string, unknown>>> {
    const response = await this.#transport.send({ verb: 'GET', path: this.#path, ...callOf(options) });
    return Object(response.json());
  }

  async delete(options: CallOptions = {}): Promise<void> {
    await this.#transport.send({ verb: 'DELETE', path: this.#path, ...callOf(options) });
  }

  /** The ranges as of now: they cover the key space without gap. */
  async ranges(options: CallOptions = {}): Promise<RangeInfo[]> {
    const path = pathOf('partition-key-range', [this.database, this.id], true);
    const ranges: RangeInfo[] = [];
    let continuation: string | undefined;
    do {
      const headers = present({ [header.continuation]: continuation, [header.itemsMax]: '-1' });
      const response = await this.#transport.send({ verb: 'GET', path, headers, ...callOf(options) });
      const { PartitionKeyRanges }: { PartitionKeyRanges?: unknown } = Object(response.json());
      for (const range of Array.isArray(PartitionKeyRanges) ? PartitionKeyRanges : []) ranges.push(readRange(range));
      continuation = response.header(header.continuation);
    } while (continuation !== undefined);
    const gone = new Set(ranges.flatMap(({ parents }) => parents));
    return ranges.filter(({ id }) => !gone.has(id));
  }

  createDocument(key: PartitionKeyValues, document: DocumentInput, options: CallOptions = {}): Promise<DocumentAnswer> {
    return this.#post(key, document, {}, options, false);
  }

  /** Without `ifMatch` it may be repeated: a second time changes nothing but the etag. */
  upsertDocument(
    key: PartitionKeyValues,
    document: DocumentInput,
    options: WriteOptions = {},
  ): Promise<DocumentAnswer> {
    const { ifMatch } = options;
    return this.#post(key, document, { [header.isUpsert]: 'true', [header.ifMatch]: ifMatch }, options, !ifMatch);
  }

  async replaceDocument(
    key: PartitionKeyValues,
    id: string,
    document: DocumentInput,
    options: WriteOptions = {},
  ): Promise<DocumentAnswer> {
    const response = await this.#transport.send({
      verb: 'PUT',
      path: this.#documentPath(id),
      headers: present({ ...keyHeaders(key), ...json, [header.ifMatch]: options.ifMatch }),
      body: bodyOf(document),
      isIdempotent: options.ifMatch === undefined,
      ...callOf(options),
    });
    return answerOf(response);
  }

  async patchDocument(
    key: PartitionKeyValues,
    id: string,
    operations: readonly PatchOperation[],
    options: WriteOptions = {},
  ): Promise<DocumentAnswer> {
    const response = await this.#transport.send({
      verb: 'PATCH',
      path: this.#documentPath(id),
      headers: present({
        ...keyHeaders(key),
        [header.contentType]: 'application/json_patch+json',
        [header.ifMatch]: options.ifMatch,
      }),
      body: JSON.stringify({ operations }),
      ...callOf(options),
    });
    return answerOf(response);
  }

  /** Undefined when there is none. */
  async readDocument(
    key: PartitionKeyValues,
    id: string,
    options: ReadOptions = {},
  ): Promise<DocumentAnswer | undefined> {
    const path = this.#documentPath(id);
    const response = await this.#transport.send({
      verb: 'GET',
      path,
      headers: present({ ...keyHeaders(key), [header.sessionToken]: options.sessionToken }),
      accepts: [404],
      ...callOf(options),
    });
    if (response.status !== 404) return answerOf(response);
    // The container is missing, or the server is behind the session: both are errors, not the absence of a document.
    if (response.header(header.substatus) !== undefined) this.#throwMissing(response);
    return undefined;
  }

  async deleteDocument(key: PartitionKeyValues, id: string, options: WriteOptions = {}): Promise<DocumentAnswer> {
    const response = await this.#transport.send({
      verb: 'DELETE',
      path: this.#documentPath(id),
      headers: present({ ...keyHeaders(key), [header.ifMatch]: options.ifMatch }),
      ...callOf(options),
    });
    return answerOf(response);
  }

  /** Each operation for itself; `range` must own all their keys. Throws range-gone when it has been split or merged. */
  async bulk(range: string, operations: readonly BulkOperation[], options: CallOptions = {}): Promise<BulkOutcome[]> {
    const response = await this.#transport.send({
      verb: 'POST',
      path: this.#documentsPath,
      headers: {
        ...json,
        [header.isBatch]: 'true',
        [header.isBatchAtomic]: 'false',
        [header.continueOnError]: 'true',
        [header.rangeId]: range,
        [header.prefer]: 'return=minimal',
      },
      body: bulkBody(operations),
      isIdempotent: operations.every(({ type, ifMatch }) => type === 'Upsert' && ifMatch === undefined),
      ...callOf(options),
    });
    return readBulkOutcomes(response, operations.length);
  }

  /** A page of the documents, in no order but that of their creation within a range. */
  async documents(options: ListOptions = {}): Promise<DocumentPage> {
    const response = await this.#transport.send({
      verb: 'GET',
      path: this.#documentsPath,
      headers: present({
        ...scopeHeaders(options),
        [header.itemsMax]: textOf(options.itemsMax),
        [header.continuation]: options.continuation,
      }),
      ...callOf(options),
    });
    return new DocumentPage(response);
  }

  /** A page of what a query finds in one range. Ranges are put together by the caller: no plan is asked for (wire 12). */
  async query(query: Query, options: ListOptions & { readonly range: string }): Promise<DocumentPage> {
    const response = await this.#transport.send({
      verb: 'POST',
      path: this.#documentsPath,
      headers: present({
        ...scopeHeaders(options),
        [header.contentType]: 'application/query+json',
        [header.isQuery]: 'True',
        [header.enableCrossPartition]: 'True',
        [header.itemsMax]: textOf(options.itemsMax),
        [header.continuation]: options.continuation,
        [header.sessionToken]: options.sessionToken,
      }),
      body: JSON.stringify({ query: query.query, parameters: query.parameters ?? [] }),
      isIdempotent: true,
      ...callOf(options),
    });
    return new DocumentPage(response);
  }

  /** A page of the change feed (wire 11). */
  async changes(options: ChangesOptions = {}): Promise<ChangePage> {
    const { mode = 'latest', from = 'beginning', waitSeconds, timeoutMs } = options;
    // A connection that died without a word shows by nothing else than an answer that is late.
    const lateMs = waitSeconds ? Math.max(waitSeconds * 1000 + waitGraceMs, waitedPageMsMin) : requestMsMax;
    const response = await this.#transport.send({
      verb: 'GET',
      path: this.#documentsPath,
      headers: present({
        ...scopeHeaders(options),
        ...modeHeaders[mode],
        ...startHeaders(from),
        [header.itemsMax]: textOf(options.itemsMax),
        [header.prefer]: waitSeconds === undefined ? undefined : `wait=${waitSeconds}`,
        [header.intendedContainer]: options.containerRid,
        [header.sessionToken]: options.sessionToken,
      }),
      accepts: [304],
      ...callOf(options),
      timeoutMs: timeoutMs ?? lateMs,
    });
    if (response.etag !== undefined) return new ChangePage(response, response.etag);
    throw new DatabaseError(
      'bad-request',
      'A page of the change feed came without an etag: nobody could go on from it.',
    );
  }

  #documentPath(id: string): string {
    return pathOf('document', [this.database, this.id, id]);
  }

  async #post(
    key: PartitionKeyValues,
    document: DocumentInput,
    headers: Readonly<Partial<Record<HeaderName, string | undefined>>>,
    options: CallOptions,
    isIdempotent: boolean,
  ): Promise<DocumentAnswer> {
    const response = await this.#transport.send({
      verb: 'POST',
      path: this.#documentsPath,
      headers: present({ ...keyHeaders(key), ...json, ...headers }),
      body: bodyOf(document),
      isIdempotent,
      ...callOf(options),
    });
    return answerOf(response);
  }

  #throwMissing(response: RestResponse): never {
    const isSession = response.header(header.substatus) === '1002';
    if (isSession) throw new DatabaseError('session-not-available', 'The server is behind the session of this client.');
    throw new DatabaseError('container-not-found', `There is no container '${this.id}' in '${this.database}'.`);
  }
}

type Headers = Partial<Record<HeaderName, string>>;

const json: Headers = { [header.contentType]: 'application/json' };

/** Wire: the version of the envelope is asked for; without it older forms exist (wire 11.1). */
const modeHeaders: Readonly<Record<FeedMode, Headers>> = {
  latest: { [header.changeFeed]: 'Incremental Feed' },
  'all-versions': { [header.changeFeed]: 'Full-Fidelity Feed', [header.feedFormat]: '2021-09-15' },
};

/** Tidemark has a header of its own for what the service refuses or rounds; the service does not look at it. */
function startHeaders(from: ChangesStart): Headers {
  if (from === 'beginning') return { [header.feedStart]: 'beginning' };
  if (from === 'now') return { [header.ifNoneMatch]: '*' };
  if ('etag' in from) return { [header.ifNoneMatch]: from.etag };
  const time = new Date(from.timeMs);
  return { [header.ifModifiedSince]: time.toUTCString(), [header.feedStart]: time.toISOString() };
}

function scopeHeaders({ range, keys, partitionKey }: FeedScope): Headers {
  const keyType = 'EffectivePartitionKeyRange';
  return {
    ...(range === undefined ? {} : { [header.rangeId]: range }),
    ...(keys === undefined
      ? {}
      : { [header.startEpk]: keys.min, [header.endEpk]: keys.max, [header.readKeyType]: keyType }),
    ...(partitionKey === undefined ? {} : keyHeaders(partitionKey)),
  };
}

function keyHeaders(key: PartitionKeyValues): Headers {
  return { [header.partitionKey]: formatPartitionKeyHeader(key) };
}

function callOf({ signal, timeoutMs, retryMsMax }: CallOptions): CallOptions {
  return { signal, timeoutMs, retryMsMax };
}

function present(headers: Readonly<Partial<Record<HeaderName, string | undefined>>>): Headers {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)) as Headers;
}

function textOf(value: number | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}

function bodyOf(document: DocumentInput): Uint8Array | string {
  return document instanceof Uint8Array ? document : JSON.stringify(document);
}

function answerOf(response: RestResponse): DocumentAnswer {
  const { etag = '', charge, body, status } = response;
  return { etag, charge, sessionToken: response.header(header.sessionToken), bytes: body, isNew: status === 201 };
}

function readRange(value: unknown): RangeInfo {
  const { id, minInclusive, maxExclusive, parents }: Record<string, unknown> = Object(value);
  if (typeof id !== 'string' || typeof minInclusive !== 'string' || typeof maxExclusive !== 'string') {
    throw new DatabaseError('bad-request', 'The list of ranges is not one of Cosmos DB.');
  }
  const names = Array.isArray(parents) ? parents.filter((each) => typeof each === 'string') : [];
  return { id, min: minInclusive, max: maxExclusive, parents: names };
}
