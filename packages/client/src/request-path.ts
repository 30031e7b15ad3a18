// The path of a request: what is sent, percent-encoded, and what is signed, decoded.

import type { ResourceKind } from '@tidemark/model';
import { DatabaseError, formatResourcePath, parseResourcePath } from '@tidemark/model';

/** The path of a resource by its names from the outside in, or of the list of them when it has one name less. */
export function pathOf(kind: ResourceKind, ids: readonly string[], isFeed: boolean = false): string {
  for (const id of ids) checkSegment(id);
  return formatResourcePath({ kind, ids, isFeed, operation: undefined });
}

/**
 * Every URL library resolves `.` and `..`, also as `%2e`, before anything is sent: the request would be about another
 * resource, and with a resource token nothing would notice.
 */
function checkSegment(id: string): void {
  if (id === '') throw new DatabaseError('invalid-id', 'An id in a path is not empty.');
  if (id !== '.' && id !== '..') return;
  throw new DatabaseError('not-supported', `The id '${id}' cannot stand in a path; only bulk and feeds reach it.`);
}

/** A path of the admin API: `/_tidemark/` and what follows, each part encoded. */
export function adminPathOf(...parts: readonly string[]): string {
  for (const part of parts) checkSegment(part);
  return `/_tidemark/${parts.map(encodeURIComponent).join('/')}`;
}

export interface SignedParts {
  readonly resourceType: string;
  readonly link: string;
}

export function signedPartsOf(path: string): SignedParts {
  const parsed = parseResourcePath(path);
  if (parsed !== undefined) return { resourceType: parsed.resourceType, link: parsed.link };
  // Beside the protocol: the admin API of a Tidemark server is signed over its whole path and no kind of resource.
  const [plain = ''] = path.split('?', 1);
  const segments = plain.split('/').filter((segment) => segment !== '');
  return { resourceType: '', link: segments.map(decodeURIComponent).join('/') };
}
