// The paths of patch operations: JSON pointers (RFC 6901) into a document, never to the document itself.

import { DatabaseError } from '@tidemark/model';

/** The decoded names of a pointer; at least one. */
export function parsePointer(path: string): string[] {
  if (!path.startsWith('/')) {
    throw new DatabaseError('invalid-patch', `The path '${path}' must begin with a slash and name a property.`);
  }
  return path
    .slice(1)
    .split('/')
    .map((token) => decodeToken(token, path));
}

/** Whether `path` names the same place as `prefix` or one inside it. */
export function startsWithPath(path: readonly string[], prefix: readonly string[]): boolean {
  return prefix.length <= path.length && prefix.every((name, i) => path[i] === name);
}

/** The number of an array element, or undefined where the token is none. */
export function arrayIndex(token: string): number | undefined {
  return /^(?:0|[1-9][0-9]{0,8})$/.test(token) ? Number(token) : undefined;
}

function decodeToken(token: string, path: string): string {
  if (!token.includes('~')) return token;
  if (/~(?![01])/.test(token)) {
    throw new DatabaseError(
      'invalid-patch',
      `In the path '${path}' a ~ must be written ~0 and a slash inside a name ~1.`,
    );
  }
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}
