// A container over HTTP as a store of documents by id: Tidemark's or Azure's.

import { setMaxListeners } from 'node:events';
import type { CallOptions, DocumentAnswer, RestClient, RestContainer } from '@tidemark/client';
import { isRestError } from '@tidemark/client';
import type { SessionToken } from '@tidemark/model';
import {
  DatabaseError,
  formatSessionTokens,
  isDatabaseError,
  mergeSessionTokens,
  parseSessionTokens,
} from '@tidemark/model';
import type { ContainerPlace } from '../environment.ts';
import { listAttemptsMax, listPageItems, momentMsMax, storeCallMsMax } from '../limits.ts';
import { placeOf } from '../outside/rest-place.ts';
import type { DocumentBody, DocumentStore, StoredDocument, StoreWatch } from './document-store.ts';
import type { StoreKey } from './lease-key.ts';
import { checkKeyBytes, keyed, partitionOf, storedOf, storeKeyOf } from './lease-key.ts';
import { SharedCall } from './shared-call.ts';

export class RestStore implements DocumentStore {
  readonly name: string;
  readonly at: ContainerPlace;
  readonly #client: RestClient;
  readonly #container: RestContainer;
  /** Read once: a container cannot change what it is partitioned by. */
  readonly #storeKey: SharedCall<StoreKey> = new SharedCall((signal) => this.#readStoreKey(signal));
  #ranges: readonly { readonly id: string }[] | undefined;
  /** What this client has written is not hidden from it again by a replica that is behind. */
  readonly #session = new Map<string, SessionToken>();

  constructor(client: RestClient, database: string, container: string) {
    this.name = `${database}/${container}`;
    this.at = placeOf(client, database, container);
    this.#client = client;
    this.#container = client.container(database, container);
  }

  beside(name: string): RestStore {
    const [database = '', container = ''] = name.split('/');
    return new RestStore(this.#client, database, container);
  }

  async prepare(idBytesMax: number, signal?: AbortSignal): Promise<void> {
    checkKeyBytes(await this.#storeKey.get(signal), idBytesMax);
  }

  async list(idPrefix: string, signal?: AbortSignal): Promise<readonly StoredDocument[]> {
    const storeKey = await this.#storeKey.get(signal);
    for (let attempt = 1; ; attempt += 1) {
      this.#ranges ??= await this.#reading(() => this.#container.ranges(readCall(signal)));
      try {
        return await this.#listRanges(this.#ranges, idPrefix, storeKey, signal);
      } catch (error) {
        this.#ranges = undefined;
        if (attempt >= listAttemptsMax || !isCode(error, 'range-gone')) throw error;
      }
    }
  }

  /** Ranges one after the other. When one is split meanwhile, whoever lists begins anew. */
  async *pages(idPrefix: string, signal?: AbortSignal): AsyncGenerator<readonly StoredDocument[], void, undefined> {
    const storeKey = await this.#storeKey.get(signal);
    const ranges = await this.#reading(() => this.#container.ranges(readCall(signal)));
    for (const { id } of ranges) yield* this.#pagesOf(id, idPrefix, storeKey, signal, listPageItems);
  }

  async read(
    id: string,
    { key = id, signal }: { readonly key?: string | undefined; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<StoredDocument | undefined> {
    const storeKey = await this.#storeKey.get(signal);
    checkKeyBytes(storeKey, Buffer.byteLength(key));
    const options = { ...readCall(signal), sessionToken: this.#sessionToken() };
    const answer = await this.#reading(() => this.#container.readDocument(partitionOf(storeKey, key), id, options));
    if (answer === undefined) return undefined;
    return this.#stored(answer, storeKey);
  }

  async create(body: DocumentBody & { readonly id: string }, signal?: AbortSignal): Promise<StoredDocument> {
    const storeKey = await this.#storeKey.get(signal);
    const { id } = body;
    const document = keyed(body, storeKey, id);
    return this.#stored(
      await writing(() => this.#container.createDocument(partitionOf(storeKey, id), document, writeCall(signal))),
      storeKey,
    );
  }

  async replace(document: StoredDocument, body: DocumentBody, signal?: AbortSignal): Promise<StoredDocument> {
    const storeKey = await this.#storeKey.get(signal);
    const { id, key, etag } = document;
    const options = { ...writeCall(signal), ifMatch: etag };
    const next = keyed(body, storeKey, key);
    const partition = partitionOf(storeKey, key);
    return this.#stored(await writing(() => this.#container.replaceDocument(partition, id, next, options)), storeKey);
  }

  async remove({ id, key, etag }: StoredDocument, signal?: AbortSignal): Promise<void> {
    const partition = partitionOf(await this.#storeKey.get(signal), key);
    const options = { ...writeCall(signal), ifMatch: etag };
    this.#note((await writing(() => this.#container.deleteDocument(partition, id, options))).sessionToken);
  }

  async watch(position: string | undefined, waitMs: number, signal?: AbortSignal): Promise<StoreWatch> {
    const from = position === undefined ? 'now' : { etag: position };
    const waitSeconds = Math.round(waitMs / 1000);
    try {
      const page = await this.#container.changes({ from, waitSeconds, signal, itemsMax: -1, retryMsMax: momentMsMax });
      const changed = page.items().filter((item): item is DocumentBody => typeof item === 'object' && item !== null);
      return { position: page.etag, hasChanged: !page.isDrained, changed, isWaitApplied: page.isWaitApplied };
    } catch (error) {
      // Azure has no feed of a whole container of several ranges, and does not wait either.
      if (isCode(error, 'bad-request')) return { position: position ?? '', hasChanged: false, isWaitApplied: false };
      throw error;
    }
  }

  /** All at once; when one fails the others are given up. */
  async #listRanges(
    ranges: readonly { readonly id: string }[],
    idPrefix: string,
    storeKey: StoreKey,
    signal: AbortSignal | undefined,
  ): Promise<StoredDocument[]> {
    const stop = new AbortController();
    // Node takes more than ten listeners for a leak; here there is one for each range, and they go with their requests.
    setMaxListeners(0, stop.signal);
    const abort = (): void => stop.abort(signal?.reason);
    signal?.throwIfAborted();
    signal?.addEventListener('abort', abort, { once: true });
    try {
      const parts = await Promise.all(ranges.map(({ id }) => this.#listRange(id, idPrefix, storeKey, stop.signal)));
      return parts.flat();
    } catch (error) {
      stop.abort(error);
      throw error;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  async #listRange(
    range: string,
    idPrefix: string,
    storeKey: StoreKey,
    signal: AbortSignal | undefined,
  ): Promise<StoredDocument[]> {
    const found: StoredDocument[] = [];
    for await (const page of this.#pagesOf(range, idPrefix, storeKey, signal, -1)) found.push(...page);
    return found;
  }

  async *#pagesOf(
    range: string,
    idPrefix: string,
    storeKey: StoreKey,
    signal: AbortSignal | undefined,
    itemsMax: number,
  ): AsyncGenerator<StoredDocument[], void, undefined> {
    const query = {
      query: 'SELECT * FROM c WHERE STARTSWITH(c.id, @prefix)',
      parameters: [{ name: '@prefix', value: idPrefix }],
    };
    let continuation: string | undefined;
    do {
      const options = { ...readCall(signal), range, continuation, itemsMax, sessionToken: this.#sessionToken() };
      const page = await this.#reading(() => this.#container.query(query, options));
      this.#note(page.sessionToken);
      continuation = page.continuation;
      yield page.items().map((item) => storedOf(item, storeKey));
    } while (continuation !== undefined);
  }

  async #readStoreKey(signal: AbortSignal): Promise<StoreKey> {
    const { partitionKey } = await this.#reading(() => this.#container.read(readCall(signal)));
    return storeKeyOf(partitionKey, this.name);
  }

  #stored(answer: DocumentAnswer, storeKey: StoreKey): StoredDocument {
    this.#note(answer.sessionToken);
    return storedOf(JSON.parse(answer.bytes.toString('utf8')), storeKey);
  }

  async #reading<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      // Behind what this client has seen, or a container of the same name in its place: the next read asks without a session.
      const isBehind = isCode(error, 'session-not-available');
      if (isBehind) this.#session.clear();
      const isPassing = isBehind || (isRestError(error) && error.code === 'internal' && error.status >= 500);
      throw isPassing ? new DatabaseError('unavailable', messageOf(error), { cause: error }) : error;
    }
  }

  #note(sessionToken: string | undefined): void {
    if (sessionToken === undefined) return;
    for (const token of parseSessionTokens(sessionToken)) {
      const known = this.#session.get(token.rangeId);
      this.#session.set(token.rangeId, known === undefined ? token : mergeSessionTokens(known, token));
    }
  }

  #sessionToken(): string | undefined {
    return this.#session.size === 0 ? undefined : formatSessionTokens([...this.#session.values()]);
  }
}

function readCall(signal: AbortSignal | undefined): CallOptions {
  return { signal, timeoutMs: storeCallMsMax, retryMsMax: momentMsMax };
}

/** Never repeated below: whoever swaps decides what an open outcome means. */
function writeCall(signal: AbortSignal | undefined): CallOptions {
  return { signal, timeoutMs: storeCallMsMax, retryMsMax: 0 };
}

/** After a 5xx nobody knows whether the write was done, but for the answers that say that it was not. */
async function writing<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!isRestError(error)) throw error;
    const { status, message, code } = error;
    const isOpen = status >= 500 && code !== 'disk-full' && code !== 'not-supported';
    throw isOpen ? new DatabaseError('outcome-unknown', message, { cause: error }) : error;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function isCode(error: unknown, code: DatabaseError['code']): boolean {
  return isDatabaseError(error) && error.code === code;
}
