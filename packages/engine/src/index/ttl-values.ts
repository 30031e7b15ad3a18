// TTL VALUE: length of the partition key u16, partition key, id: the sweep needs both, and keys may be shortened.

import { Buffer } from 'node:buffer';

export interface TtlOwner {
  readonly partitionKey: Buffer;
  readonly id: Buffer;
}

export function encodeTtlValue({ partitionKey, id }: TtlOwner): Buffer {
  const value = Buffer.allocUnsafe(2 + partitionKey.length + id.length);
  value.writeUInt16LE(partitionKey.length, 0);
  partitionKey.copy(value, 2);
  id.copy(value, 2 + partitionKey.length);
  return value;
}

export function decodeTtlValue(value: Buffer): { readonly partitionKey: Buffer; readonly id: string } {
  const end = 2 + value.readUInt16LE(0);
  return { partitionKey: value.subarray(2, end), id: value.toString('utf8', end) };
}
