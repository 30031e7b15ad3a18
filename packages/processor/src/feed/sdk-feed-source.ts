// A container behind a CosmosClient of the user as a feed: their client, with their settings, proxies and credentials.
//
// The SDK has no read of one page: its iterator goes round all ranges of what it was asked for, absorbs splits and shows them only in
// its continuation token, which has one entry for each range. So an iterator is kept for as long as reads follow each other, is
// asked for one physical range or a part of one, and a token with more entries than one means that the range is gone. It does not
// wait either; the processor polls.

import type { KeyRange } from '@tidemark/model';
import { DatabaseError, header } from '@tidemark/model';
import type { ContainerPlace } from '../environment.ts';
import type { SdkClient, SdkContainer, SdkPage, SdkStarts } from '../outside/sdk-client.ts';
import { endpointOf, givenEndpointOf, sdkError, startsOf } from '../outside/sdk-client.ts';
import { itemOf } from './feed-items.ts';
import type { FeedPage, FeedRead, FeedSource, FeedStart, PhysicalRange, SourceIdentity } from './feed-source.ts';
import { RangeMap } from './range-map.ts';
import { identityOf } from './source-identity.ts';
import { tailLsnOf } from './tail-lsn.ts';

export interface SdkFeedSourceOptions {
  /** `ChangeFeedStartFrom` of the same copy of the package as the client; found by itself in most installations. */
  readonly starts?: SdkStarts | undefined;
  readonly sessionToken?: string | undefined;
}

interface Reader {
  readonly position: string;
  readonly iterator: { readNext(): Promise<SdkPage> };
}

/** One iterator for each part that is read; more parts than this are not read by one host at a time. */
const readersMax = 1_000;

export class SdkFeedSource implements FeedSource {
  readonly #client: SdkClient;
  readonly #container: SdkContainer;
  readonly #name: string;
  readonly #sessionToken: string | undefined;
  readonly #ranges: RangeMap = new RangeMap((signal) => this.#loadRanges(signal));
  readonly #readers = new Map<string, Reader>();
  #starts: Promise<SdkStarts> | undefined;
  /** Known once the container was read; of a read that failed nothing is kept. */
  #containerRid: string | undefined;

  constructor(client: SdkClient, database: string, container: string, options: SdkFeedSourceOptions = {}) {
    this.#client = client;
    this.#container = client.database(database).container(container);
    this.#name = `${database}/${container}`;
    this.#sessionToken = options.sessionToken;
    if (options.starts !== undefined) this.#starts = Promise.resolve(options.starts);
  }

  get at(): ContainerPlace | undefined {
    const endpoint = givenEndpointOf(this.#client);
    return endpoint === undefined ? undefined : { endpoint, container: this.#name };
  }

  async identity(signal?: AbortSignal): Promise<SourceIdentity> {
    const identity = await this.#readIdentity(signal);
    this.#containerRid = identity.containerRid;
    return identity;
  }

  ranges(signal?: AbortSignal): Promise<readonly PhysicalRange[]> {
    return this.#ranges.refresh(signal);
  }

  async read(read: FeedRead): Promise<FeedPage> {
    const { mode, from, signal } = read;
    const { keys, range } = await this.#scopeOf(read);
    const slot = `${mode} ${keys.min} ${keys.max} ${read.itemsMax ?? ''}`;
    const kept = this.#readers.get(slot);
    this.#readers.delete(slot);
    const isNext = typeof from === 'object' && 'position' in from && kept?.position === from.position;
    const iterator = isNext && kept !== undefined ? kept.iterator : await this.#iterator(read, keys);
    const isContinued = typeof from === 'object' && 'position' in from;
    const page = await this.#calling(() => iterator.readNext(), signal, isContinued);
    const position = positionOf(page, keys);
    if (this.#readers.size < readersMax) this.#readers.set(slot, { position, iterator });
    const { result, statusCode, requestCharge, sessionToken } = page;
    return {
      position,
      items: Array.isArray(result) ? result.map(itemOf) : [],
      isDrained: statusCode === 304,
      isWaitApplied: false,
      charge: Number(requestCharge) || 0,
      tailLsn: tailLsnOf(sessionToken, range),
      sessionToken,
      serverTimeMs: timeOf(page.headers[header.httpDate]),
    };
  }

  async #scopeOf({ range, keys, signal }: FeedRead): Promise<{ readonly keys: KeyRange; readonly range: string }> {
    if (range === undefined) {
      if (keys === undefined) throw new DatabaseError('bad-request', 'A feed is read by range or by keys.');
      return { keys, range: (await this.#ranges.holding(keys, signal)).id };
    }
    const known = await this.#ranges.byId(range, signal);
    if (known === undefined) throw new DatabaseError('range-gone', `There is no range ${range} any more.`);
    return { keys: keys ?? { min: known.min, max: known.max }, range };
  }

  async #iterator({ mode, from, itemsMax, signal }: FeedRead, keys: KeyRange): Promise<Reader['iterator']> {
    this.#starts ??= startsOf(this.#client);
    const start = await this.#startOf(await this.#starts, from, keys, signal);
    return this.#container.items.getChangeFeedIterator({
      changeFeedStartFrom: start,
      changeFeedMode: mode === 'latest' ? 'Incremental Feed' : 'Full-Fidelity Feed',
      ...(itemsMax === undefined ? {} : { maxItemCount: itemsMax }),
      ...(this.#sessionToken === undefined ? {} : { sessionToken: this.#sessionToken }),
    });
  }

  async #startOf(
    starts: SdkStarts,
    from: FeedStart,
    keys: KeyRange,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    if (typeof from === 'object' && 'position' in from) {
      const containerRid = this.#containerRid ?? (await this.identity(signal)).containerRid;
      const part = { minInclusive: keys.min, maxExclusive: keys.max, continuationToken: from.position };
      return starts.Continuation(JSON.stringify({ rid: containerRid, Continuation: [part] }));
    }
    const range = await this.#feedRange(keys, signal);
    if (from === 'beginning') return starts.Beginning(range);
    return from === 'now' ? starts.Now(range) : starts.Time(new Date(from.timeMs), range);
  }

  /** Only the SDK makes objects of its class of ranges, and only of whole ones: a part is made after the pattern of one of them. */
  async #feedRange(keys: KeyRange, signal: AbortSignal | undefined): Promise<object> {
    const [pattern] = await this.#calling(() => this.#container.getFeedRanges(), signal);
    if (pattern === undefined) throw new DatabaseError('unavailable', 'The SDK found no range of the container.');
    const range: object = Object.create(Object.getPrototypeOf(pattern));
    return Object.assign(range, { minInclusive: keys.min, maxExclusive: keys.max });
  }

  async #readIdentity(signal: AbortSignal | undefined): Promise<SourceIdentity> {
    const endpoint = await endpointOf(this.#client);
    const { resource } = await this.#calling(() => this.#container.read(signal && { abortSignal: signal }), signal);
    return identityOf(resource, endpoint, this.#name);
  }

  async #loadRanges(signal: AbortSignal | undefined): Promise<readonly PhysicalRange[]> {
    const { resources } = await this.#calling(() => this.#container.readPartitionKeyRanges().fetchAll(), signal);
    const ranges = resources.map(rangeOf);
    const gone = new Set(ranges.flatMap(({ parents }) => parents));
    return ranges.filter(({ id }) => !gone.has(id));
  }

  /** The SDK's feed takes no signal: who gives up does not wait for it. */
  async #calling<T>(call: () => Promise<T>, signal: AbortSignal | undefined, isContinued: boolean = false): Promise<T> {
    signal?.throwIfAborted();
    try {
      return await orAborted(call(), signal);
    } catch (error) {
      signal?.throwIfAborted();
      const known = sdkError(error, 'read', isContinued);
      if (known instanceof DatabaseError && known.code === 'not-found') {
        throw new DatabaseError('container-not-found', known.message, { cause: error });
      }
      throw known;
    }
  }
}

function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

function positionOf(page: SdkPage, keys: KeyRange): string {
  const { statusCode, headers, continuationToken } = page;
  if (statusCode === 410) throw gone(keys);
  const etag = headers[header.etag];
  const { Continuation }: { Continuation?: unknown } = Object(JSON.parse(continuationToken ?? '{}'));
  if (Array.isArray(Continuation) && Continuation.length > 1) throw gone(keys);
  if (typeof etag === 'string' && (statusCode === 200 || statusCode === 304)) return etag;
  // A timeout inside the SDK looks like an empty page without an etag: nobody may go on from it.
  throw new DatabaseError(
    'unavailable',
    `The SDK gave a page of the change feed without an etag (status ${statusCode}).`,
  );
}

function gone({ min, max }: KeyRange): DatabaseError {
  return new DatabaseError('range-gone', `The keys from '${min}' to '${max}' do not lie in one range any more.`);
}

function rangeOf(value: unknown): PhysicalRange {
  const { id, minInclusive, maxExclusive, parents }: Record<string, unknown> = Object(value);
  const names = Array.isArray(parents) ? parents.map(String) : [];
  return { id: String(id), min: String(minInclusive), max: String(maxExclusive), parents: names };
}

function timeOf(date: unknown): number | undefined {
  const timeMs = typeof date === 'string' ? Date.parse(date) : Number.NaN;
  return Number.isNaN(timeMs) ? undefined : timeMs;
}
