// Where the server is, as the client sees it: the scheme, host and port that the client used. Clients send everything after
// the first request to the endpoint that the account names, so a wrong one here loses them (wire 2, wire 17.16).

import { isIPv6 } from 'node:net';
import { DatabaseError } from '@tidemark/model';
import type { RequestHead } from './request.ts';

/** With a slash at its end. */
export function endpointOf({ headers: { host }, isSecure }: Pick<RequestHead, 'headers' | 'isSecure'>): string {
  const scheme = isSecure ? 'https' : 'http';
  // HTTP/1.0 knows no Host.
  if (host === undefined) return `${scheme}://localhost/`;
  if (!isHost(host)) {
    throw new DatabaseError('bad-request', 'The header Host is a name or an address, and a port, and nothing else.');
  }
  return `${scheme}://${host}/`;
}

/** What `publicUrl` may be: a scheme and a host, and perhaps a port. Clients cannot be sent to a path. */
export function readPublicUrl(text: string): string {
  const [, host = ''] = /^https?:\/\/([^/]*)\/?$/i.exec(text) ?? [];
  if (isHost(host)) return text.endsWith('/') ? text : `${text}/`;
  throw new DatabaseError('bad-request', `The public URL is of the form https://host:port/, not '${text}'.`);
}

/** Without its port. */
export function hostOfUrl(url: string): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, '');
}

/** What comes from outside goes into an answer: only what a host can consist of is let through. */
function isHost(text: string): boolean {
  const [, name = '', address, port] =
    /^(?:([a-z0-9._-]{1,253})|\[([0-9a-f:.]{2,45})\])(?::(\d{1,5}))?$/i.exec(text) ?? [];
  if (port !== undefined && (Number(port) < 1 || Number(port) > portMax)) return false;
  return address === undefined ? name !== '' : isIPv6(address);
}

const portMax = 65_535;
