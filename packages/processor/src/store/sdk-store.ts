// A container behind a CosmosClient of the user as a store of documents by id.

import { DatabaseError } from '@tidemark/model';
import type { SdkCall, SdkClient, SdkContainer } from '../client/sdk-client.ts';
import { sdkError } from '../client/sdk-client.ts';
import type { DocumentBody, DocumentStore, StoredDocument } from './document-store.ts';
import type { KeyMember } from './lease-key.ts';
import { keyed, keyMemberOf, storedOf } from './lease-key.ts';

export class SdkStore implements DocumentStore {
  readonly name: string;
  readonly #container: SdkContainer;
  #keyMember: Promise<KeyMember> | undefined;

  constructor(client: SdkClient, database: string, container: string) {
    this.name = `${database}/${container}`;
    this.#container = client.database(database).container(container);
  }

  async list(idPrefix: string, signal?: AbortSignal): Promise<readonly StoredDocument[]> {
    const member = await this.#member(signal);
    const query = {
      query: 'SELECT * FROM c WHERE STARTSWITH(c.id, @prefix)',
      parameters: [{ name: '@prefix', value: idPrefix }],
    };
    const { resources } = await calling('read', signal, (call) => this.#container.items.query(query, call).fetchAll());
    return resources.map((resource) => storedOf(resource, member));
  }

  async read(
    id: string,
    { key = id, signal }: { readonly key?: string | undefined; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<StoredDocument | undefined> {
    const member = await this.#member(signal);
    const { resource } = await calling('read', signal, (call) => this.#container.item(id, key).read(call));
    return resource === undefined ? undefined : storedOf(resource, member);
  }

  async create(body: DocumentBody & { readonly id: string }, signal?: AbortSignal): Promise<StoredDocument> {
    const member = await this.#member(signal);
    const document = keyed(body, member, body.id);
    const { resource } = await calling('write', signal, (call) => this.#container.items.create(document, call));
    return storedOf(resource, member);
  }

  async replace({ id, key, etag }: StoredDocument, body: DocumentBody, signal?: AbortSignal): Promise<StoredDocument> {
    const member = await this.#member(signal);
    const next = keyed(body, member, key);
    const { resource } = await calling('write', signal, (call) =>
      this.#container.item(id, key).replace(next, { ...call, accessCondition: { type: 'IfMatch', condition: etag } }),
    );
    return storedOf(resource, member);
  }

  async remove({ id, key, etag }: StoredDocument, signal?: AbortSignal): Promise<void> {
    await calling('write', signal, (call) =>
      this.#container.item(id, key).delete({ ...call, accessCondition: { type: 'IfMatch', condition: etag } }),
    );
  }

  /** Read once: a container cannot change what it is partitioned by. */
  #member(signal: AbortSignal | undefined): Promise<KeyMember> {
    this.#keyMember ??= this.#readMember(signal).catch((error: unknown) => {
      this.#keyMember = undefined;
      throw error;
    });
    return this.#keyMember;
  }

  async #readMember(signal: AbortSignal | undefined): Promise<KeyMember> {
    const { resource } = await calling('read', signal, (call) => this.#container.read(call));
    const { partitionKey }: { partitionKey?: unknown } = Object(resource);
    return keyMemberOf(partitionKey, this.name);
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
