// Containers and documents by plain requests, for tests that look at what no SDK shows.

import { expect } from 'vitest';
import type { RawResponse, World } from './harness.ts';

export type Headers = Readonly<Record<string, string>>;

export interface Made {
  readonly id: string;
  /** Of its documents. */
  readonly docs: string;
  readonly pkranges: string;
}

export interface MadeOptions {
  readonly throughput?: number;
  readonly policy?: boolean;
}

export interface RawDocument {
  readonly id: string;
  readonly pk: string;
  readonly [name: string]: unknown;
}

export async function makeIn(world: World, options: MadeOptions = {}): Promise<Made> {
  const container = await world.container({
    ...(options.throughput === undefined ? {} : { throughput: options.throughput }),
    ...(options.policy === true ? ({ changeFeedPolicy: { retentionDuration: 10 } } as object) : {}),
  });
  const path = `/dbs/db/colls/${container.id}`;
  return { id: container.id, docs: `${path}/docs`, pkranges: `${path}/pkranges` };
}

export const pk = (value: unknown): Record<string, string> => ({
  'x-ms-documentdb-partitionkey': JSON.stringify([value]),
});
export const inRange = (id: string): Record<string, string> => ({ 'x-ms-documentdb-partitionkeyrangeid': id });

export function putIn(world: World, made: Made, document: RawDocument): Promise<RawResponse> {
  const headers = { ...pk(document.pk), 'x-ms-documentdb-is-upsert': 'True' };
  return world.fetch('POST', made.docs, { headers, body: document });
}

export function feedOf(world: World, made: Made, headers: Readonly<Record<string, string>> = {}): Promise<RawResponse> {
  return world.fetch('GET', made.docs, { headers: { 'a-im': 'Incremental Feed', ...headers } });
}

/** The calls above for one world, which a test file opens before its tests and after this. */
export function requestsTo(world: () => World) {
  return {
    make: (options?: MadeOptions): Promise<Made> => makeIn(world(), options),
    put: (made: Made, document: RawDocument): Promise<RawResponse> => putIn(world(), made, document),
    feed: (made: Made, headers?: Headers): Promise<RawResponse> => feedOf(world(), made, headers),
    drain: (made: Made, headers: Headers, from?: string) => drainFeed(world(), made, headers, from),
    /** The same container, from the inside. */
    inside: (made: Made) => world().database.container('db', made.id),
  };
}

/** Signed as docs/reference/admin.md says: no kind of resource, and the path as the address. */
export function adminIn(world: World, verb: string, path: string, body?: unknown, key?: string): Promise<RawResponse> {
  const [link = ''] = path.slice(1).split('?', 1);
  const sign = { type: '', link: decodeURIComponent(link), ...(key === undefined ? {} : { key }) };
  return world.fetch(verb, path, { sign, ...(body === undefined ? {} : { body }) });
}

export const idsOf = ({ json }: RawResponse): string[] => json.Documents.map(({ id }: { id: string }) => id);
export const etagOf = ({ headers }: RawResponse): string => headers.get('etag') ?? '';
export const past = (etag: string): Headers => ({ 'if-none-match': etag });
export const pageOf = (items: number): Headers => ({ 'x-ms-max-item-count': String(items) });
export const allVersions: Headers = { 'a-im': 'Full-Fidelity Feed' };
export const fromBeginning: Headers = { ...allVersions, 'x-tidemark-start': 'beginning' };
export const keysFrom = (min: string, max: string): Headers => ({
  'x-ms-read-key-type': 'EffectivePartitionKeyRange',
  'x-ms-start-epk': min,
  'x-ms-end-epk': max,
});

/** Every scope in which the documents of the key "a" of a container with one range can be read. */
export const scopes: Readonly<Record<string, Headers>> = {
  container: {},
  range: inRange('0'),
  'part of a range': { ...inRange('0'), ...keysFrom('', 'FF') },
  keys: keysFrom('', 'FF'),
  'partition key': pk('a'),
};

/** Page after page up to the first 304; the etag never stays where it was, and is never missing. */
export async function drainFeed(
  world: World,
  made: Made,
  headers: Headers,
  from?: string,
): Promise<{ pages: RawResponse[]; etag: string }> {
  const pages: RawResponse[] = [];
  let etag = from;
  for (;;) {
    const page = await feedOf(world, made, { ...headers, ...(etag === undefined ? {} : past(etag)) });
    expect(etagOf(page)).toMatch(/^".+"$/);
    if (page.status === 304) return { pages, etag: etagOf(page) };
    expect(page.status).toBe(200);
    expect(etagOf(page)).not.toBe(etag);
    etag = etagOf(page);
    pages.push(page);
  }
}
