// From a draft to bytes on a socket, with what can be wrong only there: signatures, lengths, chunks, lines, cuts.

import { createHmac } from 'node:crypto';
import { wellKnownKey } from '@tidemark/server';
import { SeededRandom } from '@tidemark/testing';
import { mutate } from './mutate.ts';
import type { Draft } from './valid-requests.ts';
import { validRequest } from './valid-requests.ts';

export interface HostileRequest {
  readonly pieces: readonly Buffer[];
  readonly isHead: boolean;
  /** The client goes away after its last piece, in the middle of the request. */
  readonly isCut: boolean;
  /** It is no HTTP at all: closing the connection is an answer. */
  readonly mayClose: boolean;
}

export function hostileRequest(random: SeededRandom, nowMs: number): HostileRequest {
  const draft = validRequest(random);
  mutate(draft, random);
  const dice = random.int(100);
  if (dice < 2) return garbage(random);
  return written(draft, random, dice, nowMs);
}

/** As it is, signed. */
export function plainRequest(draft: Draft, nowMs: number): HostileRequest {
  return written(draft, new SeededRandom('plain'), 99, nowMs);
}

const garbages: readonly Buffer[] = [
  Buffer.from('\r\n\r\n'),
  Buffer.from('GET\r\n\r\n'),
  Buffer.from('GET / HTTP/9.9\r\n\r\n'),
  Buffer.from('GET / HTTP/1.1\r\nHost\r\n\r\n'),
  Buffer.from('GET / HTTP/1.1\r\nhost: a\r\ncontent-length: -5\r\n\r\n'),
  Buffer.from('GET / HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello'),
  Buffer.from('POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'),
  Buffer.from('POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\ncontent-length: 3\r\n\r\n0\r\n\r\n'),
  Buffer.from(`GET /${'a'.repeat(100_000)} HTTP/1.1\r\nhost: a\r\n\r\n`),
  Buffer.from(`GET / HTTP/1.1\r\nhost: a\r\nx: ${'a'.repeat(100_000)}\r\n\r\n`),
  Buffer.from([0x80, 0x2e, 0x01, 0x03, 0x00, 0x00]),
  Buffer.alloc(1_000, 0xff),
  Buffer.alloc(64),
];

function garbage(random: SeededRandom): HostileRequest {
  return { pieces: [random.pick(garbages)], isHead: false, isCut: true, mayClose: true };
}

function written(draft: Draft, random: SeededRandom, dice: number, nowMs: number): HostileRequest {
  const target = targetOf(draft, random);
  const head: string[] = [`${draft.verb} ${target} HTTP/1.1`, 'host: 127.0.0.1'];
  for (const [name, value] of signatureOf(draft, random, nowMs)) head.push(`${name}: ${value}`);
  // A line break would end the header: what the client's own library refuses cannot reach a server.
  for (const [name, value] of draft.headers) head.push(`${name}: ${value.replaceAll(/[\r\n]/g, '')}`);
  const { body } = draft;
  const isChunked = body !== undefined && dice < 8;
  const isShort = body !== undefined && body.length > 0 && dice >= 8 && dice < 12;
  if (isChunked) head.push('transfer-encoding: chunked');
  else if (body !== undefined) head.push(`content-length: ${isShort ? body.length + 10 : body.length}`);
  if (dice === 12) head.push('expect: 100-continue');
  const lines = Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'utf8');
  const sent = body === undefined ? [] : [isChunked ? chunked(body, random) : body];
  const pieces = dice < 20 ? sliced(Buffer.concat([lines, ...sent]), random) : [Buffer.concat([lines, ...sent])];
  // Bytes beyond ASCII in a header are no HTTP to some, and the connection may end over them.
  return { pieces, isHead: draft.verb === 'HEAD', isCut: isShort, mayClose: isShort };
}

function targetOf({ path }: Draft, random: SeededRandom): string {
  const slash = random.int(31) === 0 ? '//' : '/';
  const segments = path.map((segment) =>
    random.int(41) === 0 ? segment.replaceAll(/[^!-~]/g, '%') : encodeURIComponent(segment),
  );
  return slash + segments.join('/') + (random.int(31) === 0 ? '/' : '') + (random.int(51) === 0 ? '?x=%zz&y' : '');
}

function signatureOf({ verb, path }: Draft, random: SeededRandom, nowMs: number): [string, string][] {
  const date = new Date(nowMs).toUTCString();
  const kind = random.int(40);
  if (kind === 0) return [];
  if (kind === 1)
    return [
      ['authorization', 'type%3Dmaster%26ver%3D1.0%26sig%3DAAAA'],
      ['x-ms-date', date],
    ];
  if (kind === 2)
    return [
      ['authorization', '%E0%A4%A'],
      ['x-ms-date', 'yesterday'],
    ];
  if (kind === 3) return [['authorization', 'type=resource&ver=1.0&sig=abc;def;']];
  if (kind === 4)
    return [
      ['authorization', `Bearer ${wellKnownKey}`],
      ['x-ms-date', date],
    ];
  const isFeed = path.length % 2 === 1;
  const type = (isFeed ? path.at(-1) : path.at(-2)) ?? '';
  const link = (isFeed ? path.slice(0, -1) : path).join('/');
  const isOperation = path.at(-2) === 'operations';
  const isAdmin = path[0] === '_tidemark';
  const signed = isOperation
    ? ['colls', path.slice(0, -2).join('/')]
    : isAdmin
      ? ['', path.join('/')]
      : [type.toLowerCase(), link];
  const text = `${verb.toLowerCase()}\n${signed[0]}\n${signed[1]}\n${date.toLowerCase()}\n\n`;
  const signature = createHmac('sha256', Buffer.from(wellKnownKey, 'base64')).update(text).digest('base64');
  return [
    ['authorization', encodeURIComponent(`type=master&ver=1.0&sig=${signature}`)],
    ['x-ms-date', date],
    ['x-ms-version', '2020-07-15'],
  ];
}

function chunked(body: Buffer, random: SeededRandom): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const length = Math.min(body.length - at, 1 + random.int(1_000));
    parts.push(Buffer.from(`${length.toString(16)}\r\n`), body.subarray(at, at + length), Buffer.from('\r\n'));
    at += length;
  }
  parts.push(Buffer.from('0\r\n\r\n'));
  return Buffer.concat(parts);
}

function sliced(bytes: Buffer, random: SeededRandom): Buffer[] {
  const at = 1 + random.int(Math.max(1, bytes.length - 1));
  return [bytes.subarray(0, at), bytes.subarray(at)];
}
