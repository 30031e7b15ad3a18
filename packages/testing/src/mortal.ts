// Store and feed as a process that may die sees them: what is asked after its death is never answered.

import type { DocumentStore, FeedSource } from '@tidemark/processor';

export interface Life {
  isOver: boolean;
}

export function mortalStore(store: DocumentStore, life: Life): DocumentStore {
  const alive = lifeline(life);
  const watch = store.watch?.bind(store);
  return {
    name: store.name,
    list: (idPrefix, signal) => alive(() => store.list(idPrefix, signal)),
    read: (id, options) => alive(() => store.read(id, options)),
    create: (body, signal) => alive(() => store.create(body, signal)),
    replace: (document, body, signal) => alive(() => store.replace(document, body, signal)),
    remove: (document, signal) => alive(() => store.remove(document, signal)),
    ...(watch === undefined
      ? {}
      : { watch: (position, waitMs, signal) => alive(() => watch(position, waitMs, signal)) }),
  };
}

export function mortalSource(source: FeedSource, life: Life): FeedSource {
  const alive = lifeline(life);
  return {
    identity: (signal) => alive(() => source.identity(signal)),
    ranges: (signal) => alive(() => source.ranges(signal)),
    read: (read) => alive(() => source.read(read)),
  };
}

function lifeline(life: Life): <T>(ask: () => Promise<T>) => Promise<T> {
  return async <T>(ask: () => Promise<T>): Promise<T> => {
    if (life.isOver) return new Promise<T>(() => {});
    const answer = await ask();
    return life.isOver ? new Promise<T>(() => {}) : answer;
  };
}
