// RUN CHECKSUM: 48 bits over the bodies of a run, which go out to readers as they lie.
//
//   below 32 KiB   crc32
//   from there on  the first six bytes of AES-128-GMAC of the bytes, with a key and a nonce of zeros, little-endian
//
// A checksum is most of what a page of the feed costs. This Node's crc32 does 4 GB/s, OpenSSL's GHASH 12 GB/s on any
// processor with a carry-less multiplication, after 3 µs for the set-up. It keeps no secret here: it is a fast hash.

import { createCipheriv } from 'node:crypto';
import { crc32 } from 'node:zlib';

const shortBytes: number = 32 * 1024;
const key = Buffer.alloc(16);
const nonce = Buffer.alloc(12);

export function runChecksum(bytes: Buffer): number {
  if (bytes.length < shortBytes) return crc32(bytes);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  cipher.setAAD(bytes);
  cipher.final();
  return cipher.getAuthTag().readUIntLE(0, 6);
}
