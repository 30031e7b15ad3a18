// A container of documents of the world as one host reaches it.

import type { DocumentBody, DocumentStore, StoredDocument, StoreWatch } from '../store/document-store.ts';
import type { ModelDocuments } from './model-documents.ts';
import type { Network, NetworkNode } from './network.ts';
import type { Schedule } from './schedule.ts';

export interface WorldStoreOptions {
  readonly schedule: Schedule;
  readonly network: Network;
  readonly node: NetworkNode;
  readonly documents: ModelDocuments;
  readonly name: string;
  readonly port: 'store' | 'dead-letters';
  /** Goes into the journal as the writer. */
  readonly writer: string;
  readonly canWait: boolean;
}

/** One of the two is made: with `watch` where the endpoint waits, without where it does not. */
export function makeWorldStore(options: WorldStoreOptions): DocumentStore {
  return options.canWait ? new WatchedWorldStore(options) : new WorldStore(options);
}

class WorldStore implements DocumentStore {
  readonly name: string;
  protected readonly options: WorldStoreOptions;

  constructor(options: WorldStoreOptions) {
    this.options = options;
    this.name = options.name;
  }

  list(idPrefix: string, signal?: AbortSignal): Promise<readonly StoredDocument[]> {
    const { documents } = this.options;
    return this.#call('list', signal, (asOfMs) =>
      asOfMs === undefined ? documents.list(idPrefix) : documents.listAt(idPrefix, asOfMs),
    );
  }

  read(
    id: string,
    options: { readonly key?: string | undefined; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<StoredDocument | undefined> {
    return this.#call('read', options.signal, () => this.options.documents.read(id, options.key));
  }

  create(body: DocumentBody & { readonly id: string }, signal?: AbortSignal): Promise<StoredDocument> {
    return this.#call('create', signal, () => this.options.documents.create(body, this.options.writer));
  }

  replace(document: StoredDocument, body: DocumentBody, signal?: AbortSignal): Promise<StoredDocument> {
    return this.#call('swap', signal, () => this.options.documents.replace(document, body, this.options.writer));
  }

  remove(document: StoredDocument, signal?: AbortSignal): Promise<void> {
    return this.#call('swap', signal, () => this.options.documents.remove(document, this.options.writer));
  }

  #call<T>(
    operation: 'list' | 'read' | 'create' | 'swap',
    signal: AbortSignal | undefined,
    run: (asOfMs: number | undefined) => T,
  ): Promise<T> {
    const { network, node, port } = this.options;
    return network.call<T>(node, {
      port,
      operation,
      signal,
      serve: (answer, { asOfMs }) => void answer({ value: run(asOfMs) }),
    });
  }
}

class WatchedWorldStore extends WorldStore {
  watch(position: string | undefined, waitMs: number, signal?: AbortSignal): Promise<StoreWatch> {
    const { network, node, documents, schedule, port } = this.options;
    return network.call<StoreWatch>(node, {
      port,
      operation: 'wait',
      waitMs,
      signal,
      serve: (answer) => {
        const seen = position === undefined ? documents.journal.length : Number(position);
        const tell = (): void =>
          answer({
            value: {
              position: String(documents.journal.length),
              hasChanged: documents.journal.length > seen,
              changed: documents.journal.slice(seen).flatMap(({ after }) => (after === undefined ? [] : [after.body])),
              isWaitApplied: true,
            },
          });
        if (documents.journal.length > seen || waitMs === 0) {
          tell();
          return undefined;
        }
        const stopWaiting = documents.onNext(() => {
          schedule.cancel(timer);
          tell();
        });
        const timer = schedule.after(waitMs, () => {
          stopWaiting();
          tell();
        });
        return () => {
          schedule.cancel(timer);
          stopWaiting();
        };
      },
    });
  }
}
