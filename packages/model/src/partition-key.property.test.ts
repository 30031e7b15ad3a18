import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareJson } from './order.ts';
import type { PartitionKeyComponent } from './partition-key.ts';
import {
  decodePartitionKeyBytes,
  encodePartitionKeyBytes,
  formatPartitionKeyHeader,
  parsePartitionKeyHeader,
  partitionKeyEquals,
} from './partition-key.ts';
import type { PartitionKeyDefinition } from './partition-key-definition.ts';

const multi: PartitionKeyDefinition = { paths: ['/a', '/b', '/c'], kind: 'MultiHash', version: 2 };

const component: fc.Arbitrary<PartitionKeyComponent> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.string({ unit: fc.constantFrom('\ud800', '\udc00', 'a'), maxLength: 3 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  fc.constantFrom(true, false, null, undefined, 0, 1, '', 'a'),
);
const key = fc.array(component, { minLength: 3, maxLength: 3 });

describe('partition keys', () => {
  test('survive the header, which is plain ASCII [wire 7]', () => {
    fc.assert(
      fc.property(key, (values) => {
        const text = formatPartitionKeyHeader(values);

        expect(text).toMatch(/^[ -~]*$/);
        expect(parsePartitionKeyHeader(text, multi)).toEqual(values);
      }),
    );
  });

  test('survive their bytes, which are equal only for equal keys and sort like them', () => {
    fc.assert(
      fc.property(key, key, (a, b) => {
        const [x, y] = [encodePartitionKeyBytes(a), encodePartitionKeyBytes(b)];

        expect(decodePartitionKeyBytes(x)).toEqual(a);
        expect(Buffer.compare(x, y) === 0).toBe(partitionKeyEquals(a, b));
        expect(Math.sign(Buffer.compare(x, y))).toBe(Math.sign(compareJson(a, b)));
      }),
      { numRuns: 1000 },
    );
  });
});
