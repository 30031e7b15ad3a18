// Step 2: who asks. A signature covers verb, kind of resource, address and date, not the body; so it is checked before the
// body is read. What the one who asks may do is decided with the route, in grant.ts.
//
// STRING TO SIGN (wire 3), five lines, each ended by a line feed
//   verb, lower case
//   kind of resource, lower case: the last type segment of the path
//   address: by name the path without its slash; by rid the lower-case rid alone
//   the protocol's date header, lower case
//   empty; if there is only HTTP's own date: that, lower case, and the line before is empty

import type { IncomingHttpHeaders } from 'node:http';
import type { ResourcePath } from '@tidemark/model';
import { DatabaseError, header } from '@tidemark/model';
import type { Authorization } from './authorization-header.ts';
import { readAuthorization, unauthorized } from './authorization-header.ts';
import type { Grant, KeyGrant, KeyRights, TokenGrant } from './grant.ts';
import type { Keys } from './keys.ts';
import { clockSkewMsMax } from './limits.ts';

/** What a request signs. */
export interface SignedRequest {
  readonly verb: string;
  readonly headers: IncomingHttpHeaders;
  readonly path: Pick<ResourcePath, 'resourceType' | 'link' | 'ridLink' | 'operation'>;
}

export interface Authority {
  readonly keys: Keys;
  nowMs(): number;
}

/** What knows the tokens that were issued. */
export interface Tokens {
  grantOf(signature: string): TokenGrant;
}

/** Throws unauthorized or forbidden. */
export function authorize(request: SignedRequest, authority: Authority & { readonly tokens: Tokens }): Grant {
  const authorization = readAuthorization(textOf(request.headers[header.authorization]));
  if (authorization.type === 'resource') return authority.tokens.grantOf(authorization.signature);
  return grantOfSigner(authorization, request, authority);
}

/**
 * For answers that come long after their request: whether it would still be granted, but for its date. Throws unauthorized or
 * forbidden.
 */
export function recheck(grant: Grant, { keys, tokens }: Pick<Authority, 'keys'> & { readonly tokens: Tokens }): void {
  if (grant.kind === 'token') tokens.grantOf(grant.signature);
  else if (!keys.isCurrent(grant)) throw unauthorized('The key that signed this request has been taken away.');
}

/** For what only the holder of a key may ask. Throws unauthorized or forbidden. */
export function keyRightsOf(request: SignedRequest, authority: Authority): KeyRights {
  return grantOfSigner(readAuthorization(textOf(request.headers[header.authorization])), request, authority).rights;
}

function grantOfSigner(
  { type, signature }: Authorization,
  request: SignedRequest,
  { keys, nowMs }: Authority,
): KeyGrant {
  if (type !== 'master') throw unsupported(type);
  const dates = readDates(request.headers, nowMs());
  const texts = textsToSign(request, dates);
  const grant = keys.grantOf(signature, texts);
  if (grant !== undefined) return grant;
  const shown = (texts[0] ?? '').replaceAll('\n', '\\n');
  throw unauthorized(
    "The input authorization token can't serve the request. The wrong key is being used or the expected payload is " +
      `not built as per the protocol. The server used the following payload to sign: '${shown}'${keys.mistakeOf(signature, texts)}`,
  );
}

function unsupported(type: string): DatabaseError {
  const names: Readonly<Record<string, string>> = {
    aad: 'Microsoft Entra ID (type=aad)',
    sas: 'shared access signatures (type=sas)',
    resource: 'resource tokens (type=resource)', // Of the admin API only.
  };
  const what = names[type] ?? `the type '${type.slice(0, 40)}'`;
  return unauthorized(`Authorization by ${what} is not supported; sign with a key of the account (type=master).`);
}

interface Dates {
  readonly own: string;
  readonly http: string;
}

function readDates(headers: IncomingHttpHeaders, nowMs: number): Dates {
  const own = textOf(headers[header.date]);
  const date = own ?? textOf(headers[header.httpDate]);
  const timeMs = date === undefined ? Number.NaN : timeOf(date);
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
  return own === undefined ? { own: '', http: lastDate.lowerCase } : { own: lastDate.lowerCase, http: '' };
}

/** Dates are exact to the second, so that what came last mostly comes again. */
const lastDate: { text: string; lowerCase: string; timeMs: number } = { text: '', lowerCase: '', timeMs: Number.NaN };

function timeOf(date: string): number {
  if (date !== lastDate.text) {
    lastDate.text = date;
    lastDate.lowerCase = date.toLowerCase();
    lastDate.timeMs = Date.parse(date);
  }
  return lastDate.timeMs;
}

/** By name first; whether a path is by name or by rid cannot be told from its text alone. */
function textsToSign({ verb, path }: SignedRequest, { own, http }: Dates): string[] {
  const start = `${verb.toLowerCase()}\n${path.resourceType}\n`;
  const end = `\n${own}\n${http}\n`;
  const texts = [`${start}${path.link}${end}`];
  if (path.ridLink !== undefined && path.ridLink !== path.link) texts.push(`${start}${path.ridLink}${end}`);
  // Wire: the clients disagree about the kind of resource that a delete by partition key is about (wire 3).
  if (path.operation !== undefined) {
    texts.push(`${verb.toLowerCase()}\npartitionkey\n${path.link}${end}`);
    if (path.ridLink !== undefined) texts.push(`${verb.toLowerCase()}\npartitionkey\n${path.ridLink}${end}`);
  }
  return texts;
}

function textOf(value: string | string[] | undefined): string | undefined {
  const text = Array.isArray(value) ? value.join(',') : value;
  return text === '' ? undefined : text;
}
