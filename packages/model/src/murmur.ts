// MurmurHash3 (Austin Appleby, public domain), the two variants that partition keys use, both with seed 0.
//
// 64-bit words are kept as two signed 32-bit limbs in local variables. `Math.imul` gives the low half of a product and
// `multiplyHigh` the high half, so no BigInt and no allocation is needed: BigInt costs 3-4 µs for a short key.

/** MurmurHash3_x86_32 of the first `length` bytes, as an unsigned 32-bit number. */
export function murmur32(bytes: Uint8Array, length: number): number {
  const blockEnd = length & ~3;
  let hash = 0;
  for (let at = 0; at < blockEnd; at += 4) {
    hash ^= scramble32(readLimb(bytes, at));
    hash = (hash << 13) | (hash >>> 19);
    hash = (Math.imul(hash, 5) + 0xe6546b64) | 0;
  }
  let tail = 0;
  for (let at = length - 1; at >= blockEnd; at -= 1) tail = (tail << 8) | byteAt(bytes, at);
  hash ^= scramble32(tail);

  hash ^= length;
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  hash ^= hash >>> 16;
  return hash >>> 0;
}

/** The limbs of MurmurHash3_x64_128: h1 high, h1 low, h2 high, h2 low. Overwritten by the next call. */
export const murmur128Limbs: Int32Array = new Int32Array(4);

/** MurmurHash3_x64_128 of the first `length` bytes; the result is left in `murmur128Limbs`. */
export function murmur128(bytes: Uint8Array, length: number): void {
  const blockEnd = length & ~15;
  let h1h = 0;
  let h1l = 0;
  let h2h = 0;
  let h2l = 0;

  for (let at = 0; at < blockEnd; at += 16) {
    let kl = readLimb(bytes, at);
    let kh = readLimb(bytes, at + 4);
    // k1 *= c1; k1 = rotl(k1, 31); k1 *= c2; h1 ^= k1
    let high = timesHigh(kh, kl, c1h, c1l);
    let low = Math.imul(kl, c1l);
    kh = (high << 31) | (low >>> 1);
    kl = (low << 31) | (high >>> 1);
    h1h ^= timesHigh(kh, kl, c2h, c2l);
    h1l ^= Math.imul(kl, c2l);
    // h1 = rotl(h1, 27) + h2; h1 = h1 * 5 + 0x52dce729
    high = (h1h << 27) | (h1l >>> 5);
    low = (h1l << 27) | (h1h >>> 5);
    h1l = (low + h2l) | 0;
    h1h = (high + h2h + carry(h1l, low)) | 0;
    high = timesHigh(h1h, h1l, 0, 5);
    low = Math.imul(h1l, 5);
    h1l = (low + 0x52dce729) | 0;
    h1h = (high + carry(h1l, low)) | 0;

    kl = readLimb(bytes, at + 8);
    kh = readLimb(bytes, at + 12);
    // k2 *= c2; k2 = rotl(k2, 33); k2 *= c1; h2 ^= k2
    high = timesHigh(kh, kl, c2h, c2l);
    low = Math.imul(kl, c2l);
    kh = (low << 1) | (high >>> 31);
    kl = (high << 1) | (low >>> 31);
    h2h ^= timesHigh(kh, kl, c1h, c1l);
    h2l ^= Math.imul(kl, c1l);
    // h2 = rotl(h2, 31) + h1; h2 = h2 * 5 + 0x38495ab5
    high = (h2h << 31) | (h2l >>> 1);
    low = (h2l << 31) | (h2h >>> 1);
    h2l = (low + h1l) | 0;
    h2h = (high + h1h + carry(h2l, low)) | 0;
    high = timesHigh(h2h, h2l, 0, 5);
    low = Math.imul(h2l, 5);
    h2l = (low + 0x38495ab5) | 0;
    h2h = (high + carry(h2l, low)) | 0;
  }

  if (length - blockEnd > 8) {
    const kl = readTailLimb(bytes, blockEnd + 8, length);
    const kh = readTailLimb(bytes, blockEnd + 12, length);
    const high = timesHigh(kh, kl, c2h, c2l);
    const low = Math.imul(kl, c2l);
    const rh = (low << 1) | (high >>> 31);
    const rl = (high << 1) | (low >>> 31);
    h2h ^= timesHigh(rh, rl, c1h, c1l);
    h2l ^= Math.imul(rl, c1l);
  }
  if (length > blockEnd) {
    const kl = readTailLimb(bytes, blockEnd, length);
    const kh = readTailLimb(bytes, blockEnd + 4, length);
    const high = timesHigh(kh, kl, c1h, c1l);
    const low = Math.imul(kl, c1l);
    const rh = (high << 31) | (low >>> 1);
    const rl = (low << 31) | (high >>> 1);
    h1h ^= timesHigh(rh, rl, c2h, c2l);
    h1l ^= Math.imul(rl, c2l);
  }

  finish128(h1h, h1l ^ length, h2h, h2l ^ length);
}

// c1 = 0x87c37b91114253d5, c2 = 0x4cf5ad432745937f, as signed limbs.
const c1h = 0x87c37b91 | 0;
const c1l = 0x114253d5;
const c2h = 0x4cf5ad43;
const c2l = 0x2745937f;

function finish128(h1h: number, h1l: number, h2h: number, h2l: number): void {
  // h1 += h2; h2 += h1; each mixed; h1 += h2; h2 += h1
  let al = (h1l + h2l) | 0;
  let ah = (h1h + h2h + carry(al, h1l)) | 0;
  let bl = (h2l + al) | 0;
  let bh = (h2h + ah + carry(bl, h2l)) | 0;
  mix64(ah, al, 0);
  mix64(bh, bl, 2);
  ah = limb(0);
  al = limb(1);
  bh = limb(2);
  bl = limb(3);
  const h1Low = (al + bl) | 0;
  const h1High = (ah + bh + carry(h1Low, al)) | 0;
  const h2Low = (bl + h1Low) | 0;
  murmur128Limbs[0] = h1High;
  murmur128Limbs[1] = h1Low;
  murmur128Limbs[2] = (bh + h1High + carry(h2Low, bl)) | 0;
  murmur128Limbs[3] = h2Low;
}

/** fmix64; the result goes to limbs `slot` and `slot + 1`. `k ^= k >> 33` touches the low limb only. */
function mix64(high: number, low: number, slot: 0 | 2): void {
  let l = low ^ (high >>> 1);
  let h = timesHigh(high, l, 0xff51afd7 | 0, 0xed558ccd | 0);
  l = Math.imul(l, 0xed558ccd | 0);
  l ^= h >>> 1;
  h = timesHigh(h, l, 0xc4ceb9fe | 0, 0x1a85ec53);
  l = Math.imul(l, 0x1a85ec53);
  l ^= h >>> 1;
  murmur128Limbs[slot] = h;
  murmur128Limbs[slot + 1] = l;
}

function limb(slot: 0 | 1 | 2 | 3): number {
  return murmur128Limbs[slot] as number; // The array has four limbs.
}

/** High 32 bits of the 64-bit product a * b modulo 2^64. The low 32 bits are `Math.imul(al, bl)`. */
function timesHigh(ah: number, al: number, bh: number, bl: number): number {
  return (multiplyHigh(al, bl) + Math.imul(ah, bl) + Math.imul(al, bh)) | 0;
}

/** High 32 bits of the product of two unsigned 32-bit numbers, by 16-bit halves. */
function multiplyHigh(a: number, b: number): number {
  const a0 = a & 0xffff;
  const a1 = a >>> 16;
  const b0 = b & 0xffff;
  const b1 = b >>> 16;
  // Neither sum passes 2^32: (2^16 - 1)^2 + (2^16 - 1) < 2^32.
  const cross = (Math.imul(a1, b0) >>> 0) + (Math.imul(a0, b0) >>> 16);
  const other = (Math.imul(a0, b1) >>> 0) + (cross & 0xffff);
  return (Math.imul(a1, b1) + (cross >>> 16) + (other >>> 16)) | 0;
}

/** 1 if adding to `before` gave `sum` by passing 2^32. */
function carry(sum: number, before: number): 0 | 1 {
  return sum >>> 0 < before >>> 0 ? 1 : 0;
}

function scramble32(k: number): number {
  const product = Math.imul(k, 0xcc9e2d51);
  return Math.imul((product << 15) | (product >>> 17), 0x1b873593);
}

function readLimb(bytes: Uint8Array, at: number): number {
  return (
    byteAt(bytes, at) | (byteAt(bytes, at + 1) << 8) | (byteAt(bytes, at + 2) << 16) | (byteAt(bytes, at + 3) << 24)
  );
}

/** Like `readLimb`, with zeros for what lies at or after `end`. */
function readTailLimb(bytes: Uint8Array, at: number, end: number): number {
  let value = 0;
  for (let index = Math.min(at + 4, end) - 1; index >= at; index -= 1) value = (value << 8) | byteAt(bytes, index);
  return value;
}

function byteAt(bytes: Uint8Array, at: number): number {
  return bytes[at] as number; // Callers stay below the length they were given.
}
