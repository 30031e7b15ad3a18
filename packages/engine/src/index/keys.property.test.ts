// Index keys: in the order of what they are made of, and never the same for two different things.

import { effectiveKey } from '@tidemark/model';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  docKey,
  dueTtlBounds,
  epkOfDocKey,
  framesKey,
  lentDocKey,
  partitionBounds,
  prefixBounds,
  readUint48BE,
  ridKey,
  ridNumberOfKey,
  timeKey,
  treeBounds,
  ttlKey,
  uniqueKey,
  writeUint48BE,
} from './keys.ts';

/** Bytes in which the ones that the encoding treats specially are frequent. */
const component = fc
  .array(fc.oneof(fc.constantFrom(0, 1, 255), fc.nat({ max: 255 })), { maxLength: 12 })
  .map((array) => Buffer.from(array));
const longComponent = fc
  .tuple(fc.nat({ max: 3 }), fc.integer({ min: 200, max: 600 }), component)
  .map(([fill, length, tail]) => Buffer.concat([Buffer.alloc(length, fill), tail]));
const container = fc.nat({ max: 5 });

test('doc keys are ordered by container, effective key, partition key and id [engine 5]', () => {
  fc.assert(
    fc.property(
      fc.tuple(container, component, component, component),
      fc.tuple(container, component, component, component),
      (a, b) => {
        const order = a[0] - b[0] || a[1].compare(b[1]) || a[2].compare(b[2]) || a[3].compare(b[3]);

        expect(Math.sign(docKey(...a).compare(docKey(...b)))).toBe(Math.sign(order));
      },
    ),
    { numRuns: 2_000 },
  );
});

test('doc keys of different documents differ, long components included [engine 5]', () => {
  const any = fc.oneof(component, longComponent);
  fc.assert(
    fc.property(fc.tuple(container, component, any, any), fc.tuple(container, component, any, any), (a, b) => {
      const isSame = a[0] === b[0] && a[1].equals(b[1]) && a[2].equals(b[2]) && a[3].equals(b[3]);

      expect(docKey(...a).equals(docKey(...b))).toBe(isSame);
    }),
    { numRuns: 1_000 },
  );
});

test('keys that are lent are those of their documents, whatever was asked for before [engine 5]', () => {
  const few = fc.constantFrom(
    Buffer.from('a'),
    Buffer.from('a'),
    Buffer.from('b'),
    Buffer.from([0]),
    Buffer.alloc(300, 1),
  );
  const asked = fc.record({
    container: fc.nat({ max: 1 }),
    epk: few,
    partitionKey: few,
    id: few,
    other: fc.constantFrom('none', 'none', 'docKey', 'uniqueKey', 'partitionBounds'),
  });
  fc.assert(
    fc.property(fc.array(asked, { maxLength: 12 }), (list) => {
      const lent = list.map(({ container: number, epk, partitionKey, id, other }) => {
        if (other === 'docKey') docKey(1, partitionKey, epk, id);
        if (other === 'uniqueKey') uniqueKey(1, partitionKey, 0, id);
        if (other === 'partitionBounds') partitionBounds(0, partitionKey, epk);
        return Buffer.from(lentDocKey(number, epk, partitionKey, id)).toString('hex');
      });
      const own = list.map((each) => docKey(each.container, each.epk, each.partitionKey, each.id).toString('hex'));

      expect(lent).toEqual(own);
    }),
    { numRuns: 2_000 },
  );
});

test('the longest components still make a key that the index takes', () => {
  const longest = Buffer.alloc(4_096, 0);

  expect(docKey(1, Buffer.alloc(128, 0), longest, longest).length).toBeLessThanOrEqual(1_900);
});

test('the effective key comes out of a doc key as it went in', () => {
  fc.assert(
    fc.property(container, component, component, component, (number, epk, partitionKey, id) => {
      expect(epkOfDocKey(docKey(number, epk, partitionKey, id)).equals(epk)).toBe(true);
    }),
  );
});

test('the bounds of a partition hold its documents and no others', () => {
  fc.assert(
    fc.property(component, component, component, component, component, (epk, pk, otherEpk, otherPk, id) => {
      const { from, to } = partitionBounds(1, epk, pk);
      const own = docKey(1, epk, pk, id);
      const other = docKey(1, otherEpk, otherPk, id);
      const isWithin = (key: Buffer) => key.compare(from) >= 0 && key.compare(to) < 0;

      expect(isWithin(own)).toBe(true);
      expect(isWithin(other)).toBe(otherEpk.equals(epk) && otherPk.equals(pk));
    }),
    { numRuns: 1_000 },
  );
});

test('the bounds of a prefix hold what begins with it', () => {
  const prefix = fc
    .tuple(fc.nat({ max: 254 }), component)
    .map(([first, rest]) => Buffer.concat([Buffer.from([first]), rest]));
  fc.assert(
    fc.property(prefix, component, (start, key) => {
      const { from, to } = prefixBounds(start);
      const isWithin = key.compare(from) >= 0 && key.compare(to) < 0;

      expect(isWithin).toBe(key.subarray(0, start.length).equals(start));
      const longer = Buffer.concat([start, key]);
      expect(longer.compare(from) >= 0 && longer.compare(to) < 0).toBe(true);
    }),
  );
});

test('numbers keep their order in every tree that has one', () => {
  const number = fc.nat({ max: 2 ** 31 - 1 });
  const lsn = fc.integer({ min: 0, max: 2 ** 48 - 1 });
  const rid = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
  fc.assert(
    fc.property(number, lsn, number, lsn, rid, rid, (a, x, b, y, r, s) => {
      const order = Math.sign(a - b || x - y);

      expect(Math.sign(framesKey(a, x).compare(framesKey(b, y)))).toBe(order);
      expect(Math.sign(timeKey(a, x % 2 ** 40).compare(timeKey(b, y % 2 ** 40)))).toBe(
        Math.sign(a - b || (x % 2 ** 40) - (y % 2 ** 40)),
      );
      expect(Math.sign(ridKey(a, r).compare(ridKey(b, s)))).toBe(Math.sign(a - b || r - s));
      expect(ridNumberOfKey(ridKey(a, r))).toBe(r);
      const buffer = Buffer.alloc(8);
      writeUint48BE(buffer, x, 1);
      expect(readUint48BE(buffer, 1)).toBe(x);
    }),
  );
});

test('what is due is what expires up to that second, of that container only', () => {
  const second = fc.nat({ max: 1_000 });
  fc.assert(
    fc.property(container, second, container, second, component, (own, now, other, expiry, id) => {
      const { from, to } = dueTtlBounds(own, now);
      const key = ttlKey(expiry, docKey(other, Buffer.from('e'), Buffer.from('p'), id));

      expect(key.compare(from) >= 0 && key.compare(to) < 0).toBe(own === other && expiry <= now);
    }),
  );
});

test('unique keys differ by partition, key and digest', () => {
  const digest = fc.uint8Array({ minLength: 16, maxLength: 16 }).map((array) => Buffer.from(array));
  const parts = fc.tuple(container, component, fc.nat({ max: 9 }), digest);
  fc.assert(
    fc.property(parts, parts, (a, b) => {
      const isSame = a[0] === b[0] && a[1].equals(b[1]) && a[2] === b[2] && a[3].equals(b[3]);

      expect(uniqueKey(...a).equals(uniqueKey(...b))).toBe(isSame);
    }),
  );
});

test('trees do not reach into each other', () => {
  const doc = docKey(7, Buffer.from([255, 255]), Buffer.from([255]), Buffer.from([255]));
  const { from, to } = treeBounds('doc', 7);

  expect(doc.compare(from) >= 0 && doc.compare(to) < 0).toBe(true);
  expect(ridKey(7, 1).compare(treeBounds('doc').to)).toBeGreaterThanOrEqual(0);
});

test('the effective key in a doc key is whole, however long it is [engine 5] [wire 9]', () => {
  const definition = { paths: ['/pk'], kind: 'Hash', version: 1 } as const;
  const units = fc.constantFrom('\0', 'a', 'é', '鱀', '\uffff');
  const text = fc.tuple(units, fc.nat(110), fc.string({ unit: units })).map(([a, n, rest]) => a.repeat(n) + rest);
  fc.assert(
    fc.property(text, component, longComponent, (value, partitionKey, id) => {
      const epk = Buffer.from(effectiveKey(definition, [value]));

      const key = docKey(1, epk, partitionKey, id);

      expect(epkOfDocKey(key).equals(epk)).toBe(true);
      expect(key.length).toBeLessThan(1_900);
    }),
  );
});
