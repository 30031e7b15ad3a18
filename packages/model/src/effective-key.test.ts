import { describe, expect, test } from 'vitest';
import { effectiveKey, effectiveKeyFromHex, effectiveKeyHex, effectiveKeyPrefixRange } from './effective-key.ts';
import type { PartitionKeyComponent } from './partition-key.ts';
import type { PartitionKeyDefinition } from './partition-key-definition.ts';

const v1: PartitionKeyDefinition = { paths: ['/pk'], kind: 'Hash', version: 1 };
const v2: PartitionKeyDefinition = { paths: ['/pk'], kind: 'Hash', version: 2 };
const multi: PartitionKeyDefinition = { paths: ['/a', '/b'], kind: 'MultiHash', version: 2 };

const vectors: readonly [value: PartitionKeyComponent, v1: string, v2: string][] = [
  ['', '05C1CF33970FF80800', '32E9366E637A71B4E710384B2F4970A0'],
  ['a', '05C1D78593652C086200', '3A5381E1114EB8D3FCC90795045B49B7'],
  ['é', '05C1B3CD91912008C4AA00', '007199F104E04116EE25AF912CA4889B'],
  ['redmond', '05C1EFE313830C087366656E706F6500', '22E342F38A486A088463DFF7838A5963'],
  [null, '05C1ED45D7475601', '378867E4430E67857ACE5C908374FE16'],
  [true, '05C1D7C5A903D803', '0E711127C5B5A8E4726AC6DD306A3E59'],
  [false, '05C1DB857D857C02', '2FE1BE91E90A3439635E0E9E37361EF2'],
  [0, '05C1BF6DA115600580', '155B95BEDAC4B1E9EC1CDC9BB0DDDE58'],
  [1, '05C1ED172B6B2605BFF0', '20CD98B339BA78A5D0CF6953B87070B0'],
  [-1, '05C1D1A5BDDF9C054010', '19938E7A936C1C5B9E3AE842BBC16839'],
  [5.1, '05C1D9D3A3670405C0153399CD673399CC', '39A62E1915927BD64C55F52EF8A303C2'],
  [undefined, '05C1D529E345DC00', '11622DAA78F835834610ABE56EFF5CB5'],
];

const samples: readonly [value: string, v1: string, v2: string][] = [
  ['sample1', '05C1EDB9', '336A'],
  ['sample2', '05C1D3EF', '17B3'],
  ['sample3', '05C1C9EB', '2DAC'],
  ['sample4', '05C1ED23', '0BD7'],
];

function hex(definition: PartitionKeyDefinition, ...values: PartitionKeyComponent[]): string {
  return effectiveKeyHex(effectiveKey(definition, values));
}

describe('effective keys', () => {
  test.each(vectors)('of %j are those that the official client computes [wire 9]', (value, expectedV1, expectedV2) => {
    expect(hex(v1, value)).toBe(expectedV1);
    expect(hex(v2, value)).toBe(expectedV2);
  });

  test.each(samples)('of %s begin as in the official change feed tests [wire 9]', (value, expectedV1, expectedV2) => {
    expect(hex(v1, value).startsWith(expectedV1)).toBe(true);
    expect(hex(v2, value).startsWith(expectedV2)).toBe(true);
  });

  test('of a hierarchical key are the keys of its levels one after the other [wire 9]', () => {
    expect(hex(multi, '0', 0)).toBe('3D01E4E92759C445D3386C5E4C22ED93155B95BEDAC4B1E9EC1CDC9BB0DDDE58');
  });

  test('of -0 and 0 are the same [wire 9]', () => {
    expect(hex(v1, -0)).toBe(hex(v1, 0));
    expect(hex(v2, -0)).toBe(hex(v2, 0));
  });

  test('of version 1 see only the first 100 characters of a string [wire 9]', () => {
    expect(hex(v1, 'x'.repeat(100))).toBe(hex(v1, `${'x'.repeat(100)}y`));
    expect(hex(v1, 'x'.repeat(99))).not.toBe(hex(v1, 'x'.repeat(100)));
    expect(hex(v2, 'x'.repeat(100))).not.toBe(hex(v2, `${'x'.repeat(100)}y`));
  });

  test('need a value for every path', () => {
    expect(() => effectiveKey(multi, ['a'])).toThrow('a value for every path');
    expect(() => effectiveKey(v2, [])).toThrow('a value for every path');
  });

  test('of a prefix lie between the hash of the prefix and that with FF behind it [wire 11.3]', () => {
    const range = effectiveKeyPrefixRange(multi, ['0']);

    expect(range).toEqual({ min: '3D01E4E92759C445D3386C5E4C22ED93', max: '3D01E4E92759C445D3386C5E4C22ED93FF' });
    expect(effectiveKeyPrefixRange(multi, [])).toEqual({ min: '', max: 'FF' });
  });

  test('go to hex and back, and refuse what is not upper-case hex', () => {
    expect(effectiveKeyFromHex('00FF3A')).toEqual(Uint8Array.of(0, 255, 0x3a));
    expect(() => effectiveKeyFromHex('0')).toThrow('two digits');
    expect(() => effectiveKeyFromHex('ag')).toThrow('upper-case');
  });
});
