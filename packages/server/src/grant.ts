// What the one who asks may do with what the route is about.

import { DatabaseError } from '@tidemark/model';
import type { KeyRights } from './keys.ts';

/** Of the holder of a key. */
export interface KeyGrant {
  readonly kind: 'key';
  readonly rights: KeyRights;
}

export type Grant = KeyGrant;

/** What the route says of the request. */
export interface Asked {
  readonly operation: string;
  readonly isRead: boolean;
}

/** Throws forbidden. */
export function checkGrant(grant: Grant, asked: Asked): void {
  if (grant.rights === 'write' || asked.isRead) return;
  const message = `The key is read-only, and ${asked.operation} is a write. Sign with the primary or secondary key.`;
  throw new DatabaseError('forbidden', message);
}
