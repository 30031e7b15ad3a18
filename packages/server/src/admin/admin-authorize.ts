// Who may use the admin API: whoever has the master key. Two forms are taken:
//
//   signed   the signature of the protocol (wire 3) with an empty kind of resource, and as address the decoded path without
//            the slash at its start and without what follows a `?`. It does not show the key.
//   bearer   `Authorization: Bearer <key>`, which curl and Prometheus can send. It shows the key, so it is taken only over TLS
//            and from this machine.

import { createHash, timingSafeEqual } from 'node:crypto';
import { DatabaseError, header } from '@tidemark/model';
import { isSignatureOf, readDates, readToken } from '../authorize.ts';
import type { AdminHead } from './admin-request.ts';

/** Throws unauthorized or forbidden. */
export function authorizeAdmin(request: AdminHead, masterKey: Buffer, nowMs: number): void {
  const text = request.headers[header.authorization];
  const bearer = text === undefined ? undefined : bearerOf(text);
  if (bearer === undefined) checkSignature(request, text, masterKey, nowMs);
  else checkBearer(request, bearer, masterKey);
}

function bearerOf(text: string): string | undefined {
  return /^bearer +/i.test(text) ? text.replace(/^bearer +/i, '').trim() : undefined;
}

function checkBearer({ isPrivate }: AdminHead, bearer: string, masterKey: Buffer): void {
  if (!isPrivate) {
    throw new DatabaseError(
      'unauthorized',
      'A bearer key is taken over HTTPS and from this machine only: everybody on the way could read it. Use HTTPS, or sign.',
    );
  }
  // Digests have the same length whatever was sent.
  if (timingSafeEqual(digest(bearer), digest(masterKey.toString('base64')))) return;
  throw new DatabaseError('unauthorized', 'The bearer key is not a master key of this server.');
}

function checkSignature(request: AdminHead, text: string | undefined, masterKey: Buffer, nowMs: number): void {
  const token = readToken(text);
  if (token.type !== 'master') {
    throw new DatabaseError('unauthorized', `The admin API takes the master key, not a token of type '${token.type}'.`);
  }
  const dates = readDates(request, nowMs);
  const link = request.segments.join('/');
  const signed = `${request.verb.toLowerCase()}\n\n${link}\n${dates.own}\n${dates.http}\n`;
  if (isSignatureOf(token.signature, signed, masterKey)) return;
  const shown = signed.replaceAll('\n', '\\n');
  throw new DatabaseError(
    'unauthorized',
    `The signature is not one of a master key. The server used the following payload to sign: '${shown}'`,
  );
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
