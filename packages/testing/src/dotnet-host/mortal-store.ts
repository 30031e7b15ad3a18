// The store as a process that may die sees it: what is asked after its death is never answered.

import type { DocumentStore } from '@tidemark/processor';

export interface Life {
  isOver: boolean;
}

export function mortalStore(store: DocumentStore, life: Life): DocumentStore {
  const alive = <T>(ask: () => Promise<T>): Promise<T> => (life.isOver ? new Promise<T>(() => {}) : ask());
  return {
    name: store.name,
    list: (idPrefix, signal) => alive(() => store.list(idPrefix, signal)),
    read: (id, options) => alive(() => store.read(id, options)),
    create: (body, signal) => alive(() => store.create(body, signal)),
    replace: (document, body, signal) => alive(() => store.replace(document, body, signal)),
    remove: (document, signal) => alive(() => store.remove(document, signal)),
  };
}
