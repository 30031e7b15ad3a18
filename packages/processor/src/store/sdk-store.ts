// A container behind a CosmosClient of the user as a store of documents by id.

import { DatabaseError } from '@tidemark/model';
import type { ContainerPlace } from '../environment.ts';
import type { SdkCall, SdkClient, SdkContainer, SdkItem } from '../outside/sdk-client.ts';
import { givenEndpointOf, sdkError } from '../outside/sdk-client.ts';
import type { DocumentBody, DocumentStore, StoredDocument } from './document-store.ts';
import type { StoreKey } from './lease-key.ts';
import { checkKeyBytes, keyed, partitionValueOf, storedOf, storeKeyOf } from './lease-key.ts';
import { SharedCall } from './shared-call.ts';

export class SdkStore implements DocumentStore {
  readonly name: string;
  readonly at: ContainerPlace | undefined;
  readonly #client: SdkClient;
  readonly #container: SdkContainer;
  /** Read once: a container cannot change what it is partitioned by. */
  readonly #storeKey: SharedCall<StoreKey> = new SharedCall((signal) => this.#readStoreKey(signal));

  constructor(client: SdkClient, database: string, container: string) {
    this.name = `${database}/${container}`;
    const endpoint = givenEndpointOf(client);
    this.at = endpoint === undefined ? undefined : { endpoint, container: this.name };
    this.#client = client;
    this.#container = client.database(database).container(container);
  }

  beside(name: string): SdkStore {
    const [database = '', container = ''] = name.split('/');
    return new SdkStore(this.#client, database, container);
  }

  async prepare(idBytesMax: number, signal?: AbortSignal): Promise<void> {
    checkKeyBytes(await this.#storeKey.get(signal), idBytesMax);
  }

  async list(idPrefix: string, signal?: AbortSignal): Promise<readonly StoredDocument[]> {
    const storeKey = await this.#storeKey.get(signal);
    const query = {
      query: 'SELECT * FROM c WHERE STARTSWITH(c.id, @prefix)',
      parameters: [{ name: '@prefix', value: idPrefix }],
    };
    const { resources } = await calling('read', signal, (call) => this.#container.items.query(query, call).fetchAll());
    return resources.map((resource) => storedOf(resource, storeKey));
  }

  async read(
    id: string,
    { key = id, signal }: { readonly key?: string | undefined; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<StoredDocument | undefined> {
    const storeKey = await this.#storeKey.get(signal);
    checkKeyBytes(storeKey, Buffer.byteLength(key));
    const { resource } = await calling('read', signal, (call) => this.#item(storeKey, id, key).read(call));
    return resource === undefined ? undefined : storedOf(resource, storeKey);
  }

  async create(body: DocumentBody & { readonly id: string }, signal?: AbortSignal): Promise<StoredDocument> {
    const storeKey = await this.#storeKey.get(signal);
    const document = keyed(body, storeKey, body.id);
    const { resource } = await calling('write', signal, (call) => this.#container.items.create(document, call));
    return storedOf(resource, storeKey);
  }

  async replace({ id, key, etag }: StoredDocument, body: DocumentBody, signal?: AbortSignal): Promise<StoredDocument> {
    const storeKey = await this.#storeKey.get(signal);
    const next = keyed(body, storeKey, key);
    const { resource } = await calling('write', signal, (call) =>
      this.#item(storeKey, id, key).replace(next, { ...call, accessCondition: { type: 'IfMatch', condition: etag } }),
    );
    return storedOf(resource, storeKey);
  }

  async remove({ id, key, etag }: StoredDocument, signal?: AbortSignal): Promise<void> {
    const storeKey = await this.#storeKey.get(signal);
    await calling('write', signal, (call) =>
      this.#item(storeKey, id, key).delete({ ...call, accessCondition: { type: 'IfMatch', condition: etag } }),
    );
  }

  #item(storeKey: StoreKey, id: string, key: string): SdkItem {
    return this.#container.item(id, partitionValueOf(storeKey, key));
  }

  async #readStoreKey(signal: AbortSignal): Promise<StoreKey> {
    const { resource } = await calling('read', signal, (call) => this.#container.read(call));
    const { partitionKey }: { partitionKey?: unknown } = Object(resource);
    return storeKeyOf(partitionKey, this.name);
  }
}

async function calling<T>(
  kind: 'read' | 'write',
  signal: AbortSignal | undefined,
  call: (options: SdkCall) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  try {
    return await call(signal === undefined ? {} : { abortSignal: signal });
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof DatabaseError) throw error;
    throw sdkError(error, kind);
  }
}
