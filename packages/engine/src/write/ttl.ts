// Time to live. A document is over at a whole second, whatever happens to it physically and whenever: readers, unique keys
// and the feed ask here, the sweep only tidies up.

/** What expiry depends on: the time of the version and its own `ttl` (-1 for ever, undefined for the container's default). */
export interface Mortal {
  readonly timeMs: number;
  readonly ttl: number | undefined;
}

/**
 * The moment from which the document is absent; undefined when it stays.
 * Wire: a document's own ttl counts only in a container that has a defaultTtl (-1 or a number of seconds), and runs from its
 * last modification, `_ts`, which has whole seconds (Azure documentation, "Time to live in Azure Cosmos DB").
 */
export function expiryMs(document: Mortal, defaultTtl: number | undefined): number | undefined {
  if (defaultTtl === undefined) return undefined;
  const ttl = document.ttl ?? defaultTtl;
  return ttl < 0 ? undefined : (Math.floor(document.timeMs / 1000) + ttl) * 1000;
}

export function isExpired(document: Mortal, defaultTtl: number | undefined, nowMs: number): boolean {
  const atMs = expiryMs(document, defaultTtl);
  return atMs !== undefined && nowMs >= atMs;
}
