// Documents that are gone are found by rid and by key, however many are new.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GoneDocuments } from './gone-documents.ts';

const aKey = fc.uint8Array({ minLength: 1, maxLength: 3 }).map((bytes) => Buffer.from(bytes));

test('[M20] what is gone is found by rid and by key [engine 7]', () => {
  const asked = fc.tuple(fc.nat(3_000), fc.nat(3_000), fc.integer({ min: 1, max: 400 }), aKey, aKey);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1_500 }), fc.nat(), fc.array(asked, { maxLength: 5 }), (count, seed, all) => {
      const gone = new GoneDocuments();
      const plain: { ridNumber: number; key: Buffer }[] = [];
      for (let at = 0; at < count; at += 1) {
        const drawn = (at * 7_919 + seed) % 3_001;
        const key = Buffer.from([drawn % 251, (drawn * 31) % 256, at % 256]);
        gone.add(drawn, key);
        plain.push({ ridNumber: drawn, key });
      }
      for (const [from, end, most, min, max] of all) {
        const wanted = plain.filter(({ ridNumber }) => ridNumber >= from && ridNumber < end);
        const rids = wanted.map(({ ridNumber }) => ridNumber).sort((a, b) => a - b);
        expect(gone.withRids(from, end, most).map(({ ridNumber }) => ridNumber)).toEqual(rids.slice(0, most));
        const within = plain.filter(({ key }) => key.compare(min) >= 0 && key.compare(max) < 0);
        const found = gone.withKeys({ from: min, to: max });
        expect(found.map(({ key }) => key.toString('hex')).sort()).toEqual(
          within.map(({ key }) => key.toString('hex')).sort(),
        );
        const keys = within.map(({ key }) => key).sort((a, b) => a.compare(b));
        expect(gone.firstKey({ from: min, to: max })).toEqual(keys[0]);
      }
    }),
    { numRuns: 60 },
  );
});
