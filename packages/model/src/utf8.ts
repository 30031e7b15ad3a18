// UTF-8 without TextEncoder: the strings hashed and encoded here are short, and a loop over char codes into a buffer the
// caller owns is several times faster than a call into the runtime that allocates its result.
//
// JavaScript strings may hold lone surrogates, which UTF-8 cannot express. Two treatments, chosen by the caller:
//   'replace'  U+FFFD, as TextEncoder does: what every Cosmos client hashes. Not injective.
//   'keep'     the three bytes ED A0..BF xx ("WTF-8"). Injective, and byte order is still code point order.

export type LoneSurrogates = 'replace' | 'keep';

/** The most bytes a UTF-16 code unit can need, so that `length * utf8BytesPerUnitMax` is always room enough. */
export const utf8BytesPerUnitMax = 3;

/** For functions that take an allocator: who gives none gets a Uint8Array, which is what `Bytes` then stands for. */
export function plainBytes<Bytes extends Uint8Array>(length: number): Bytes {
  return new Uint8Array(length) as Uint8Array as Bytes;
}

/** Writes `text` at `offset` and returns the offset after it. The target must have room. */
export function writeUtf8(text: string, target: Uint8Array, offset: number, lone: LoneSurrogates): number {
  let at = offset;
  for (let index = 0; index < text.length; index += 1) {
    let code = text.charCodeAt(index);
    if (code < 0x80) {
      target[at++] = code;
      continue;
    }
    if (code < 0x800) {
      target[at++] = 0xc0 | (code >>> 6);
      target[at++] = 0x80 | (code & 0x3f);
      continue;
    }
    if (code >= 0xd800 && code <= 0xdfff) {
      const low = code <= 0xdbff && index + 1 < text.length ? text.charCodeAt(index + 1) : 0;
      if (low >= 0xdc00 && low <= 0xdfff) {
        index += 1;
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        target[at++] = 0xf0 | (code >>> 18);
        target[at++] = 0x80 | ((code >>> 12) & 0x3f);
        target[at++] = 0x80 | ((code >>> 6) & 0x3f);
        target[at++] = 0x80 | (code & 0x3f);
        continue;
      }
      if (lone === 'replace') code = 0xfffd;
    }
    target[at++] = 0xe0 | (code >>> 12);
    target[at++] = 0x80 | ((code >>> 6) & 0x3f);
    target[at++] = 0x80 | (code & 0x3f);
  }
  return at;
}

/** Length in bytes of what either treatment writes: a lone surrogate takes three bytes in both. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x80) continue;
    if (code < 0x800) {
      bytes += 1;
      continue;
    }
    bytes += 2;
    if (code >= 0xd800 && code <= 0xdbff && index + 1 < text.length) {
      const low = text.charCodeAt(index + 1);
      // A pair is four bytes for two units: two of the four were counted with the units, two with the first half.
      if (low >= 0xdc00 && low <= 0xdfff) index += 1;
    }
  }
  return bytes;
}
