// Lease stores with which a host makes an old mistake.

import type { DocumentBody, DocumentStore, StoredDocument } from '@tidemark/processor';

/** D14: the start of the group is written down, and nobody reads it. */
export function startHidingStore(store: DocumentStore): DocumentStore {
  return {
    ...bound(store),
    read: async (id, options) => (id.includes('.x.start') ? undefined : store.read(id, options)),
  };
}

/** D15: what a lease did not know, it never learns. */
export function forgettingStore(store: DocumentStore): DocumentStore {
  return {
    ...bound(store),
    replace: (document: StoredDocument, body: DocumentBody, signal) => {
      if (document.body['LeaseToken'] === undefined && document.body['PartitionId'] === undefined)
        return store.replace(document, body, signal);
      const { FeedRange: range, ...rest } = body;
      const isKnown = document.body['FeedRange'] !== undefined;
      return store.replace(document, isKnown ? { ...rest, FeedRange: range } : rest, signal);
    },
  };
}

export function bound(store: DocumentStore): DocumentStore {
  return {
    name: store.name,
    list: (prefix, signal) => store.list(prefix, signal),
    read: (id, options) => store.read(id, options),
    create: (body, signal) => store.create(body, signal),
    replace: (document, body, signal) => store.replace(document, body, signal),
    remove: (document, signal) => store.remove(document, signal),
    ...(store.watch === undefined
      ? {}
      : { watch: (position, waitMs, signal) => watchOf(store)(position, waitMs, signal) }),
  };
}

function watchOf(store: DocumentStore): NonNullable<DocumentStore['watch']> {
  const { watch } = store;
  if (watch === undefined) throw new Error('the store does not wait');
  return watch.bind(store);
}
