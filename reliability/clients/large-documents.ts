// A container with documents of nearly the full size, whose feed pages are as large as pages get.

import { documentBytesMax } from '@tidemark/model';
import { rawFetch } from '../../conformance/harness.ts';
import { inRange, pk } from '../../conformance/raw.ts';
import type { Scene } from './abuse.ts';

const path = '/dbs/db/colls/large';
export const largeDocs: string = `${path}/docs`;
export const largeFeed: Readonly<Record<string, string>> = { 'a-im': 'Incremental Feed', ...inRange('0') };

/** Room for what the server adds. */
const textOf = (letter: string): string => letter.repeat(documentBytesMax - 1_000);

export function largeDocument(id: string): { readonly id: string; readonly pk: string; readonly text: string } {
  return { id, pk: 'large', text: textOf('x') };
}

export async function putLarge(url: string, id: string): Promise<number> {
  const headers = { ...pk('large'), 'x-ms-documentdb-is-upsert': 'True' };
  return (await rawFetch(url, 'POST', largeDocs, { headers, body: largeDocument(id) })).status;
}

export async function fillLarge({ url }: Pick<Scene, 'url'>): Promise<void> {
  const body = { id: 'large', partitionKey: { paths: ['/pk'], kind: 'Hash', version: 2 } };
  await rawFetch(url, 'POST', '/dbs/db/colls', { body });
  for (const id of ['a', 'b', 'c']) await putLarge(url, id);
}
