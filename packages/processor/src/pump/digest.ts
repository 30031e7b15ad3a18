// A short name for a long one: 128 bits of SHA-256, 22 characters that may stand in an id. Two names that share it do not occur, so what
// was done under one is never taken for the other.

import { createHash } from 'node:crypto';

export function digest(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
