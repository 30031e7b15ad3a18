// Containers and documents by plain requests, for tests that look at what no SDK shows.

import type { RawResponse, World } from './harness.ts';

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

/** Signed as docs/reference/admin.md says: no kind of resource, and the path as the address. */
export function adminIn(world: World, verb: string, path: string, body?: unknown, key?: string): Promise<RawResponse> {
  const [link = ''] = path.slice(1).split('?', 1);
  const sign = { type: '', link: decodeURIComponent(link), ...(key === undefined ? {} : { key }) };
  return world.fetch(verb, path, { sign, ...(body === undefined ? {} : { body }) });
}
