// Who may use the admin API: whoever has a key, a read-only one to look and one that may write to change. Two forms are taken:
//
//   signed   the signature of the protocol (wire 3) with an empty kind of resource, and as address the decoded path without
//            the slash at its start and without what follows a `?`. It does not show the key.
//   bearer   `Authorization: Bearer <key>`, which curl and Prometheus can send. It shows the key, so it is taken only over TLS
//            and from this machine.

import { DatabaseError, header } from '@tidemark/model';
import type { Authority } from '../authorize.ts';
import { keyRightsOf } from '../authorize.ts';
import type { AdminHead } from './admin-request.ts';

const missing =
  'The header authorization is missing: send "Authorization: Bearer <key>", over HTTPS or from this machine, or sign the request.';

/** Throws unauthorized or forbidden. */
export function authorizeAdmin(request: AdminHead, authority: Authority): void {
  const given = request.headers[header.authorization];
  if (given === undefined) throw new DatabaseError('unauthorized', missing);
  const bearer = bearerOf(given);
  const rights =
    bearer === undefined
      ? keyRightsOf({ ...request, path: pathOf(request) }, authority)
      : authority.keys.rightsOfKey(checkedBearer(request, bearer));
  if (rights === 'write' || (rights === 'read' && (request.verb === 'GET' || request.verb === 'HEAD'))) return;
  if (rights === 'read')
    throw new DatabaseError('forbidden', 'With a read-only key the admin API can be asked only by GET.');
  throw new DatabaseError('unauthorized', 'The bearer key is not a key of this server.');
}

function bearerOf(text: string): string | undefined {
  return /^bearer +/i.test(text) ? text.replace(/^bearer +/i, '').trim() : undefined;
}

function checkedBearer({ isPrivate }: AdminHead, bearer: string): string {
  if (isPrivate) return bearer;
  throw new DatabaseError(
    'unauthorized',
    'A bearer key is taken over HTTPS and from this machine only: everybody on the way could read it. Use HTTPS, or sign.',
  );
}

function pathOf({ segments }: AdminHead): {
  resourceType: string;
  link: string;
  ridLink: undefined;
  operation: undefined;
} {
  return { resourceType: '', link: segments.join('/'), ridLink: undefined, operation: undefined };
}
