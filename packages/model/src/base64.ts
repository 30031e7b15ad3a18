// Base64 in the dialect of resource ids: the standard alphabet with '-' for '/', padding kept (wire 4).

/** The text of all bytes. */
export function encodeRidBase64(bytes: Uint8Array): string {
  let text = '';
  let at = 0;
  for (; at + 2 < bytes.length; at += 3)
    text += threeBytes(byteAt(bytes, at), byteAt(bytes, at + 1), byteAt(bytes, at + 2));
  const left = bytes.length - at;
  if (left === 1) text += `${threeBytes(byteAt(bytes, at), 0, 0).slice(0, 2)}==`;
  if (left === 2) text += `${threeBytes(byteAt(bytes, at), byteAt(bytes, at + 1), 0).slice(0, 3)}=`;
  return text;
}

/** The bytes of canonical text, or undefined. Text with '/' or without its padding is not an id of ours. */
export function decodeRidBase64(text: string): Uint8Array | undefined {
  if (text.length === 0 || text.length % 4 !== 0) return undefined;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  let bits = 0;
  let at = 0;
  for (let index = 0; index < text.length; index += 1) {
    const isPadding = index >= text.length - padding;
    const value = isPadding ? 0 : valueOfCode[text.charCodeAt(index)];
    if (value === undefined || value < 0) return undefined;
    bits = (bits << 6) | value;
    if (index % 4 !== 3) continue;
    for (let shift = 16; shift >= 0; shift -= 8) {
      const byte = (bits >>> shift) & 0xff;
      if (at < bytes.length) bytes[at++] = byte;
      else if (byte !== 0) return undefined;
    }
    bits = 0;
  }
  return bytes;
}

export function threeBytes(a: number, b: number, c: number): string {
  return `${twelveBits[(a << 4) | (b >>> 4)]}${twelveBits[((b & 0x0f) << 8) | c]}`;
}

/** The same as four ASCII bytes. */
export function writeThreeBytes(target: Uint8Array, at: number, a: number, b: number, c: number): void {
  target[at] = codeOfValue[a >>> 2] as number; // Six bits each.
  target[at + 1] = codeOfValue[((a & 0x03) << 4) | (b >>> 4)] as number;
  target[at + 2] = codeOfValue[((b & 0x0f) << 2) | (c >>> 6)] as number;
  target[at + 3] = codeOfValue[c & 0x3f] as number;
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-';

// Two characters at a time: half the string pieces of a character table.
const twelveBits: readonly string[] = Array.from(
  { length: 4096 },
  (_, bits) => alphabet.charAt(bits >>> 6) + alphabet.charAt(bits & 0x3f),
);

const valueOfCode: Int8Array = new Int8Array(128).fill(-1);
for (let index = 0; index < alphabet.length; index += 1) valueOfCode[alphabet.charCodeAt(index)] = index;

const codeOfValue: Uint8Array = Uint8Array.from(alphabet, (character) => character.charCodeAt(0));

function byteAt(bytes: Uint8Array, at: number): number {
  return bytes[at] as number; // Callers stay below the length.
}
