import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { effectiveKey, effectiveKeyFromHex, effectiveKeyHex, effectiveKeyPrefixRange } from './effective-key.ts';
import { keyRangeContains } from './key-range.ts';
import type { PartitionKeyComponent } from './partition-key.ts';
import type { PartitionKeyDefinition } from './partition-key-definition.ts';

const v1: PartitionKeyDefinition = { paths: ['/pk'], kind: 'Hash', version: 1 };
const v2: PartitionKeyDefinition = { paths: ['/pk'], kind: 'Hash', version: 2 };
const multi: PartitionKeyDefinition = { paths: ['/a', '/b', '/c'], kind: 'MultiHash', version: 2 };

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', minLength: 60, maxLength: 160 }),
  fc.string({ maxLength: 12 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 }).map((units) => String.fromCharCode(...units)),
);
const finite = fc
  .oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer(), fc.integer({ min: -20, max: 20 }))
  .map((value) => value + 0);
const component: fc.Arbitrary<PartitionKeyComponent> = fc.oneof(
  { weight: 4, arbitrary: text },
  { weight: 4, arbitrary: finite },
  fc.constantFrom(true, false, null, undefined),
);

// The clients keep their hashing to themselves, so it is loaded by its place on disk.
interface SdkHashing {
  hashPartitionKey(key: readonly unknown[], definition: unknown): string;
}
const sdkEntry = createRequire(import.meta.url).resolve('@azure/cosmos');
const sdkFile = join(dirname(sdkEntry), '..', 'esm', 'utils', 'hashing', 'hash.js');
const sdk = (await import(pathToFileURL(sdkFile).href)) as SdkHashing;

describe('effective keys', () => {
  test('agree with the hashing inside @azure/cosmos on thousands of values [wire 9]', () => {
    fc.assert(
      fc.property(component, component, component, (a, b, c) => {
        for (const value of [a, b, c]) {
          expect(hexOf(v1, value)).toBe(sdk.hashPartitionKey([value], v1));
          expect(hexOf(v2, value)).toBe(sdk.hashPartitionKey([value], v2));
        }
        expect(hexOf(multi, a, b, c)).toBe(sdk.hashPartitionKey([a, b, c], multi));
      }),
      { numRuns: 1500 },
    );
  });

  test('of prefix ranges hold exactly the keys with that prefix [wire 11.3]', () => {
    const few = fc.constantFrom<PartitionKeyComponent>('a', 'b', 0, 1, null, undefined);
    const key = fc.tuple(few, few, few);
    fc.assert(
      fc.property(key, key, fc.integer({ min: 0, max: 3 }), (owner, other, length) => {
        const range = effectiveKeyPrefixRange(multi, owner.slice(0, length));

        const isInside = keyRangeContains(range, hexOf(multi, ...other));

        expect(isInside).toBe(owner.slice(0, length).every((value, index) => value === other[index]));
      }),
    );
  });

  test('survive hex, and hex sorts like the bytes [wire 9]', () => {
    const bytes = fc.uint8Array({ maxLength: 20 });
    fc.assert(
      fc.property(bytes, bytes, (a, b) => {
        expect(effectiveKeyFromHex(effectiveKeyHex(a))).toEqual(a);

        const [x, y] = [effectiveKeyHex(a), effectiveKeyHex(b)];

        expect(x < y ? -1 : Number(x > y)).toBe(Buffer.compare(a, b));
      }),
    );
  });
});

function hexOf(definition: PartitionKeyDefinition, ...values: PartitionKeyComponent[]): string {
  return effectiveKeyHex(effectiveKey(definition, values));
}
