import { describe, expect, test } from 'vitest';
import {
  attachmentRid,
  conflictRid,
  containerRid,
  containerRidPrefix,
  databaseRid,
  documentRid,
  documentRidWriter,
  offerRid,
  parseResourceId,
  partitionKeyRangeRid,
  permissionRid,
  storedProcedureRid,
  triggerRid,
  userDefinedFunctionRid,
  userRid,
} from './resource-id.ts';

function bytesOf(rid: string): Buffer {
  return Buffer.from(rid.replaceAll('-', '/'), 'base64');
}

describe('resource ids', () => {
  test('have the length that clients expect of their kind [wire 4]', () => {
    const lengths = [
      offerRid(1),
      databaseRid(1),
      userRid(1, 2),
      containerRid(1, 2),
      permissionRid(1, 2, 3),
      documentRid(1, 2, 3),
      attachmentRid(1, 2, 3, 4),
    ].map((rid) => bytesOf(rid).length);

    expect(lengths).toEqual([3, 4, 8, 8, 16, 16, 20]);
    expect(offerRid(1)).toHaveLength(4);
  });

  test('of containers have the top bit of byte 4 set, of users clear [wire 4]', () => {
    expect((bytesOf(containerRid(7, 0))[4] ?? 0) & 0x80).toBe(0x80);
    expect((bytesOf(userRid(7, 2 ** 31 - 1))[4] ?? 0) & 0x80).toBe(0);
  });

  test('of what lives in a container have their type in the high nibble of the last byte [wire 4]', () => {
    const nibbles = [
      documentRid,
      conflictRid,
      partitionKeyRangeRid,
      userDefinedFunctionRid,
      triggerRid,
      storedProcedureRid,
    ].map((rid) => (bytesOf(rid(1, 2, Number.MAX_SAFE_INTEGER)).at(-1) ?? 0) >>> 4);

    expect(nibbles).toEqual([0, 4, 5, 6, 7, 8]);
  });

  test('of documents begin with the container, and count from the first byte [wire 4]', () => {
    expect(bytesOf(documentRid(1, 2, 0x0102)).toString('hex')).toBe('01000000800000020201000000000000');
    expect(documentRid(1, 2, 1)).toBe('AQAAAIAAAAIBAAAAAAAAAA==');
  });

  test('use "-" where base64 has "/" [wire 4]', () => {
    expect(offerRid(0xffffff)).toBe('----');
    expect(parseResourceId('----')).toEqual({ kind: 'offer', parts: [0xffffff] });
    expect(parseResourceId('////')).toBeUndefined();
  });

  test.each([
    '',
    'a',
    'abc',
    'orders',
    'AAAA=AAA',
    'AQAAAA',
    'AB==',
    'AQAAAB==',
    'é===',
    'AQAAAIAAAAIBAAAAAAAQ',
    'A'.repeat(40),
  ])('are not found in %j', (text) => {
    expect(parseResourceId(text)).toBeUndefined();
  });

  test('of an unknown type, or with a number beyond 2^53, are not ours', () => {
    const bytes = bytesOf(documentRid(1, 2, 3));
    const damaged = [0x10, 0x0f, 0xf0].map((last) => Buffer.concat([bytes.subarray(0, 15), Buffer.of(last)]));
    const tooLarge = Buffer.concat([bytes.subarray(0, 8), Buffer.from('ffffffffffffff00', 'hex')]);

    for (const candidate of [...damaged, tooLarge]) {
      expect(parseResourceId(candidate.toString('base64').replaceAll('/', '-'))).toBeUndefined();
    }
  });

  test('refuse numbers that do not fit', () => {
    expect(() => databaseRid(2 ** 32)).toThrow('below 2^32');
    expect(() => containerRid(1, 2 ** 31)).toThrow('below 2^31');
    expect(() => documentRid(1, 2, -1)).toThrow('below 2^53');
    expect(() => documentRidWriter(containerRidPrefix(1, 2))(1.5, new Uint8Array(24), 0)).toThrow('below 2^53');
    expect(() => documentRidWriter(new Uint8Array(8))).toThrow('eight bytes of a container');
  });
});
