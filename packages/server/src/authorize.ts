// Step 2: whether the request was signed with the master key. The signature covers verb, kind of resource, address and
// date, not the body; so it is checked before the body is read.
//
// STRING TO SIGN (wire 3), five lines, each ended by a line feed
//   verb, lower case
//   kind of resource, lower case: the last type segment of the path
//   address: by name the path without its slash; by rid the lower-case rid alone
//   the protocol's date header, lower case
//   empty; if there is only HTTP's own date: that, lower case, and the line before is empty

import { createHmac, timingSafeEqual } from 'node:crypto';
import { DatabaseError, header } from '@tidemark/model';
import { clockSkewMsMax } from './limits.ts';
import type { RequestHead } from './request.ts';
import { textOfHeader } from './request.ts';

/** The key of the emulator, which every client's samples know. It protects nothing. */
export const wellKnownKey = 'C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==';

/** Throws unauthorized or forbidden. */
export function authorize(request: RequestHead, masterKey: Buffer, nowMs: number): void {
  const token = readToken(textOfHeader(request, header.authorization));
  if (token.type !== 'master') {
    throw unauthorized(`Authorization of type '${token.type}' is not supported yet; sign with the master key.`);
  }
  const dates = readDates(request, nowMs);
  const texts = textsToSign(request, dates);
  if (!texts.some((text) => isSignatureOf(token.signature, text, masterKey))) {
    const shown = (texts[0] ?? '').replaceAll('\n', '\\n');
    throw unauthorized(
      "The input authorization token can't serve the request. The wrong key is being used or the expected payload is " +
        `not built as per the protocol. The server used the following payload to sign: '${shown}'`,
    );
  }
}

export interface Token {
  readonly type: string;
  readonly signature: Buffer;
}

export function readToken(text: string | undefined): Token {
  if (text === undefined) {
    throw unauthorized('Required header authorization is missing. Ensure that a valid authorization token is passed.');
  }
  const fields = new Map<string, string>();
  for (const part of decoded(text).split('&')) {
    const equals = part.indexOf('=');
    if (equals > 0) fields.set(part.slice(0, equals), part.slice(equals + 1));
  }
  const type = fields.get('type');
  const signature = fields.get('sig');
  if (type === undefined || signature === undefined) {
    throw unauthorized('The authorization header is not of the form type=…&ver=1.0&sig=….');
  }
  return { type, signature: Buffer.from(signature, 'base64') };
}

/** Wire: clients send the header percent-encoded; it is accepted as it is, too. */
function decoded(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export interface Dates {
  readonly own: string;
  readonly http: string;
}

export function readDates(request: Pick<RequestHead, 'headers'>, nowMs: number): Dates {
  const own = textOfHeader(request, header.date);
  const http = textOfHeader(request, header.httpDate);
  const date = own ?? http;
  const timeMs = date === undefined ? Number.NaN : Date.parse(date);
  if (date === undefined || Number.isNaN(timeMs)) {
    throw unauthorized(`The request needs the header ${header.date} with the time in the form of RFC 1123.`);
  }
  if (Math.abs(nowMs - timeMs) > clockSkewMsMax) {
    throw new DatabaseError(
      'forbidden',
      `The authorization token is not valid at the current time: the request is of ${date}, and the server's clock ` +
        `says ${new Date(nowMs).toUTCString()}. They may differ by ${clockSkewMsMax / 60_000} minutes.`,
    );
  }
  return own === undefined ? { own: '', http: date.toLowerCase() } : { own: own.toLowerCase(), http: '' };
}

/** By name first; whether a path is by name or by rid cannot be told from its text alone. */
function textsToSign({ verb, path }: RequestHead, dates: Dates): string[] {
  const text = (type: string, link: string): string =>
    `${verb.toLowerCase()}\n${type}\n${link}\n${dates.own}\n${dates.http}\n`;
  const texts = [text(path.resourceType, path.link)];
  if (path.ridLink !== undefined && path.ridLink !== path.link) texts.push(text(path.resourceType, path.ridLink));
  // Wire: the clients disagree about the kind of resource that a delete by partition key is about (wire 3).
  if (path.operation !== undefined) texts.push(text('partitionkey', path.link));
  return texts;
}

export function isSignatureOf(signature: Buffer, text: string, masterKey: Buffer): boolean {
  const expected = createHmac('sha256', masterKey).update(text).digest();
  return signature.length === expected.length && timingSafeEqual(signature, expected);
}

function unauthorized(message: string): DatabaseError {
  return new DatabaseError('unauthorized', message);
}
