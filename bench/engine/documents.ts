// The documents of the benchmark: JSON of exactly 1 KiB, given as bytes, over ten thousand partition keys. Document `n` is
// always the same but for its version, so that no list of them is kept.

import { Buffer } from 'node:buffer';

export const documentBytes = 1_024;
export const partitionKeys = 10_000;

const numberDigits = 10;
const idAt = '{"id":"'.length;
const head = '{"id":"0000000000","pk":"p0000","version":0000000000,"text":"';
const partitionAt = head.indexOf('p0000') + 1;
const versionAt = head.indexOf('"version":') + '"version":'.length;

const template: Buffer = templateOf(documentBytes);

export function templateOf(sizeBytes: number): Buffer {
  const text = 'tidemark '.repeat(Math.ceil(sizeBytes / 9));
  return Buffer.from(`${head}${text}`.slice(0, sizeBytes - 2).concat('"}'));
}

/** A fresh buffer every time: whoever stores a document takes it over. */
export function documentOf(n: number, version: number, like: Buffer = template): Buffer {
  const bytes = Buffer.allocUnsafe(like.length);
  like.copy(bytes);
  writeDigits(bytes, n, idAt, numberDigits);
  writeDigits(bytes, n % partitionKeys, partitionAt, 4);
  // A JSON number has no leading zeros: the first digit is always a 1.
  writeDigits(bytes, version + 1_000_000_000, versionAt, numberDigits);
  return bytes;
}

/** The same document in a given partition, for batches. */
export function documentIn(partition: number, n: number, version: number): Buffer {
  const bytes = documentOf(n, version);
  writeDigits(bytes, partition, partitionAt, 4);
  return bytes;
}

export function idOf(n: number): string {
  return n.toString().padStart(numberDigits, '0');
}

export function partitionKeyOf(n: number): string {
  return `p${(n % partitionKeys).toString().padStart(4, '0')}`;
}

function writeDigits(target: Buffer, value: number, at: number, digits: number): void {
  let rest = value;
  for (let i = at + digits - 1; i >= at; i -= 1) {
    target[i] = 0x30 + (rest % 10);
    rest = Math.floor(rest / 10);
  }
}
