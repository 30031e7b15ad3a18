// A container of an engine in this process as a store of documents by id.

import type { Clock } from '../environment.ts';
import type { EngineContainer } from '../outside/engine-container.ts';
import { pageWithin } from '../outside/engine-container.ts';
import type { DocumentBody, DocumentStore, StoredDocument, StoreWatch } from './document-store.ts';
import type { StoreKey } from './lease-key.ts';
import { checkKeyBytes, keyed, partitionValueOf, storedOf, storeKeyOf } from './lease-key.ts';

export class EngineStore implements DocumentStore {
  readonly name: string;
  readonly #container: EngineContainer;
  readonly #clock: Clock;
  readonly #key: StoreKey;

  constructor(container: EngineContainer, clock: Clock) {
    this.name = `engine/${container.info.id}`;
    this.#container = container;
    this.#clock = clock;
    this.#key = storeKeyOf(container.info.definition.partitionKey, this.name);
  }

  async prepare(idBytesMax: number): Promise<void> {
    checkKeyBytes(this.#key, idBytesMax);
  }

  async list(idPrefix: string, signal?: AbortSignal): Promise<readonly StoredDocument[]> {
    signal?.throwIfAborted();
    const found: StoredDocument[] = [];
    const text = 'SELECT * FROM c WHERE STARTSWITH(c.id, @prefix)';
    for await (const value of this.#container.query(text, { '@prefix': idPrefix })) {
      signal?.throwIfAborted();
      found.push(storedOf(value, this.#key));
    }
    return found;
  }

  async read(
    id: string,
    { key = id, signal }: { readonly key?: string | undefined; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<StoredDocument | undefined> {
    signal?.throwIfAborted();
    checkKeyBytes(this.#key, Buffer.byteLength(key));
    const found = await this.#container.read(id, partitionValueOf(this.#key, key));
    return found === undefined ? undefined : storedOf(found.value, this.#key);
  }

  async create(body: DocumentBody & { readonly id: string }, signal?: AbortSignal): Promise<StoredDocument> {
    signal?.throwIfAborted();
    const { document } = await this.#container.create(keyed(body, this.#key, body.id));
    return storedOf(document.value, this.#key);
  }

  async replace({ key, etag }: StoredDocument, body: DocumentBody, signal?: AbortSignal): Promise<StoredDocument> {
    signal?.throwIfAborted();
    const { document } = await this.#container.replace(keyed(body, this.#key, key), { ifMatch: etag });
    return storedOf(document.value, this.#key);
  }

  async remove({ id, key, etag }: StoredDocument, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    await this.#container.delete(id, partitionValueOf(this.#key, key), { ifMatch: etag });
  }

  async watch(position: string | undefined, waitMs: number, signal?: AbortSignal): Promise<StoreWatch> {
    signal?.throwIfAborted();
    const feed = this.#container.changes({ from: position === undefined ? 'now' : { etag: position } });
    const first = position === undefined ? feed.emptyPage() : await feed.page();
    const page = await pageWithin(feed, first, waitMs, this.#clock.sleep.bind(this.#clock), signal);
    page.release?.();
    return { position: page.etag, hasChanged: page.count > 0, isWaitApplied: true };
  }
}
