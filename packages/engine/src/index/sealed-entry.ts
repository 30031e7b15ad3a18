// ENTRY in LMDB: the key, and as its value the bytes of the value followed by u32 checksum of key and value, little-endian.
//
// LMDB has no checksums. An entry is believed only with this one: a flipped bit in the checkpoint would otherwise cut the
// log, and one in a bitmap bring back what was replaced.

import { Buffer } from 'node:buffer';
import { checksum32, checksumMemory, checksumOfHead } from '../log/checksum.ts';

/** Of what lmdb lends. Doc entries are far below; of more the views of its buffer would be too many. */
export const lentBytesMax = 512;

/** Key and value side by side, where their checksum is made. */
const beside: Buffer = checksumMemory;

/** Of key and value. */
export function checksumOf(key: Buffer, value: Buffer): number {
  const end = key.length + value.length;
  if (end > beside.length) return checksum32(Buffer.concat([key, value]));
  beside.set(key, 0);
  beside.set(value, key.length);
  return checksumOfHead(end);
}

/** The same of a value of at most `lentBytesMax` at the start of lmdb's own buffer, which is longer than it says to native calls. */
export function checksumOfShared(key: Buffer, shared: Buffer, valueBytes: number): number {
  beside.set(key, 0);
  const keyBytes = key.length;
  for (let i = 0; i < valueBytes; i += 1) beside[keyBytes + i] = shared[i] as number;
  return checksumOfHead(keyBytes + valueBytes);
}
