// Requests as bytes, signed every few minutes: a date is good for fifteen, and neither the body nor the partition key is signed.

import { createHmac } from 'node:crypto';
import { wellKnownKey } from '@tidemark/server';
import { documentBytes, documentOf, idOf, partitionKeyOf } from '../engine/documents.ts';

export const databaseId = 'bench';
export const containerId = 'documents';
const containerLink = `dbs/${databaseId}/colls/${containerId}`;

const key: Buffer = Buffer.from(wellKnownKey, 'base64');
const dateMsMax = 300_000;
let date = '';
let dateMs = Number.NEGATIVE_INFINITY;

/** The heads that are used again and again, for as long as their date is good. */
let heads: { readonly upsert: string; readonly feed: string; readonly bulk: string } | undefined;

function currentHeads(): NonNullable<typeof heads> {
  renewDate();
  heads ??= {
    upsert:
      headOf('POST', `${containerLink}/docs`, 'docs', containerLink) +
      `content-type: application/json\r\nx-ms-documentdb-is-upsert: true\r\ncontent-length: ${documentBytes}\r\n`,
    feed: `${headOf('GET', `${containerLink}/docs`, 'docs', containerLink)}a-im: Incremental Feed\r\n`,
    bulk:
      headOf('POST', `${containerLink}/docs`, 'docs', containerLink) +
      'content-type: application/json\r\nx-ms-cosmos-is-batch-request: true\r\nx-ms-cosmos-batch-atomic: false\r\n' +
      'x-ms-cosmos-batch-continue-on-error: true\r\nprefer: return=minimal\r\n',
  };
  return heads;
}

function renewDate(): void {
  const nowMs = performance.now();
  if (nowMs - dateMs < dateMsMax) return;
  dateMs = nowMs;
  date = new Date().toUTCString();
  heads = undefined;
}

function authorization(verb: string, type: string, link: string): string {
  const text = `${verb.toLowerCase()}\n${type}\n${link}\n${date.toLowerCase()}\n\n`;
  const signature = createHmac('sha256', key).update(text).digest('base64');
  return encodeURIComponent(`type=master&ver=1.0&sig=${signature}`);
}

/** The headers that the official client sends with everything, so that none of the work of reading them is left out. */
function headOf(verb: string, path: string, type: string, link: string): string {
  return (
    `${verb} /${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-ms-documentdb-responsecontinuationtokenlimitinkb: 1\r\n` +
    'x-ms-documentdb-query-enablecrosspartition: true\r\ncache-control: no-cache\r\nx-ms-version: 2020-07-15\r\n' +
    'x-ms-cosmos-sdk-supportedcapabilities: 1\r\nx-ms-cosmos-allow-tentative-writes: true\r\naccept: application/json\r\n' +
    `x-ms-date: ${date}\r\nauthorization: ${authorization(verb, type, link)}\r\n`
  );
}

/** An upsert of document `n`; `isMinimal` asks for an answer without the document. */
export function upsertOf(n: number, version: number, isMinimal = false): Buffer {
  const prefer = isMinimal ? 'prefer: return=minimal\r\n' : '';
  const key = `x-ms-documentdb-partitionkey: ["${partitionKeyOf(n)}"]\r\n\r\n`;
  const head = Buffer.from(`${currentHeads().upsert}${prefer}${key}`, 'latin1');
  return Buffer.concat([head, documentOf(n, version)]);
}

/** Upserts of documents that all lie in one range, each for itself. */
export function bulkOf(range: string, documents: readonly number[], version: number): Buffer {
  const pieces: Buffer[] = [];
  for (const [i, n] of documents.entries()) {
    const operation = `{"operationType":"Upsert","partitionKey":"[\\"${partitionKeyOf(n)}\\"]","resourceBody":`;
    pieces.push(Buffer.from(`${i === 0 ? '[' : '},'}${operation}`, 'latin1'), documentOf(n, version));
  }
  const body = Buffer.concat([...pieces, Buffer.from('}]')]);
  const rest = `x-ms-documentdb-partitionkeyrangeid: ${range}\r\ncontent-length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(`${currentHeads().bulk}${rest}`, 'latin1'), body]);
}

/** A point read of document `n`. */
export function readOf(n: number): Buffer {
  renewDate();
  const link = `${containerLink}/docs/${idOf(n)}`;
  const head = headOf('GET', link, 'docs', link);
  return Buffer.from(`${head}x-ms-documentdb-partitionkey: ["${partitionKeyOf(n)}"]\r\n\r\n`, 'latin1');
}

/** A page of the feed of a range after an etag; with `waitSeconds` it waits for one. */
export function feedOf(range: string, etag: string | undefined, items: number, waitSeconds = 0): Buffer {
  const after = etag === undefined ? '' : `if-none-match: ${etag}\r\n`;
  const wait = waitSeconds === 0 ? '' : `prefer: wait=${waitSeconds}\r\n`;
  const scope = `x-ms-documentdb-partitionkeyrangeid: ${range}\r\nx-ms-max-item-count: ${items}\r\n`;
  return Buffer.from(`${currentHeads().feed}${scope}${after}${wait}\r\n`, 'latin1');
}

/** What the bare servers are asked. */
export function bareGet(path: string): Buffer {
  renewDate();
  return Buffer.from(`${headOf('GET', path, 'docs', path)}\r\n`, 'latin1');
}

export function barePost(n: number, version: number): Buffer {
  return upsertOf(n, version);
}
