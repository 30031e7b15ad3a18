// The few forms of DER (X.690) that an X.509 certificate is made of. Each is a tag byte, the length, and the content:
//
//   length   below 128 one byte; above it 0x80 + the number of length bytes, then these, most significant first
//   INTEGER  two's complement, as short as it can be: a positive number whose first bit is set gets a zero in front
//   BIT STRING  begins with the number of unused bits of its last byte
//   OBJECT IDENTIFIER  40 × first + second, then base 128, with the top bit set on all but the last byte of each number

export const tag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectId: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Of a field that is told by its number: [0], [1]… */
export function contextTag(number: number, form: 'primitive' | 'constructed'): number {
  return (form === 'constructed' ? 0xa0 : 0x80) | number;
}

export function der(tagByte: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tagByte, ...lengthBytes(body.length)]), body]);
}

export function sequence(...parts: readonly Uint8Array[]): Buffer {
  return der(tag.sequence, ...parts);
}

/** A number that is not negative, most significant byte first. */
export function integer(bytes: Uint8Array): Buffer {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start += 1;
  const rest = bytes.subarray(start);
  const needsZero = ((rest[0] ?? 0) & 0x80) !== 0;
  return needsZero ? der(tag.integer, Buffer.from([0]), rest) : der(tag.integer, rest);
}

export function objectId(text: string): Buffer {
  const [first = 0, second = 0, ...others] = text.split('.').map(Number);
  const bytes = [40 * first + second];
  for (const number of others) {
    const digits = [number % 128];
    for (let rest = Math.floor(number / 128); rest > 0; rest = Math.floor(rest / 128))
      digits.unshift((rest % 128) | 0x80);
    bytes.push(...digits);
  }
  return der(tag.objectId, Buffer.from(bytes));
}

export function bitString(bytes: Uint8Array, unusedBits = 0): Buffer {
  return der(tag.bitString, Buffer.from([unusedBits]), bytes);
}

export function octetString(...content: readonly Uint8Array[]): Buffer {
  return der(tag.octetString, ...content);
}

export function utf8String(text: string): Buffer {
  return der(tag.utf8String, Buffer.from(text));
}

export function derTrue(): Buffer {
  return der(tag.boolean, Buffer.from([0xff]));
}

/** To the second. X.509 wants years of two digits until 2049 and of four from then on (RFC 5280, 4.1.2.5). */
export function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replaceAll(/[-:T]|\.\d+/g, '');
  const isShort = digits < '2050';
  return der(isShort ? tag.utcTime : tag.generalizedTime, Buffer.from(isShort ? digits.slice(2) : digits));
}

function lengthBytes(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 | bytes.length, ...bytes];
}
