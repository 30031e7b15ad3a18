import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Position } from '../src/run/position.ts';
import { decodePosition, encodePosition } from '../src/run/position.ts';
import type { Value } from '../src/value/value.ts';
import type { StoredBytes } from './all-pages.ts';
import { pagesOfStored } from './all-pages.ts';

const positionBytesMax = 900;

/** Long ones begin alike, and differ before, at and behind the place where a position cuts them. */
const key: fc.Arbitrary<Value> = fc.oneof(
  fc.constantFrom<Value>(undefined, null, true, 1, -1.5, 1.7976931348623157e308, '', 'a', '"'.repeat(330)),
  fc
    .tuple(
      fc.constantFrom('a', 'é', '日', '𝄞', '\u0001', '\ud800'),
      fc.oneof(fc.integer({ min: 30, max: 500 }), fc.constantFrom(476, 477, 478, 479, 480, 481)),
      fc.constantFrom('', 'a', 'b', '\ud834', '𝄞', '\ue000'),
    )
    .map(([unit, count, end]) => unit.repeat(count) + end),
  fc.tuple(fc.integer({ min: 0, max: 60 }), fc.nat(2)).map(([length, end]) => [...new Array(4 * length).fill(7), end]),
  fc
    .tuple(fc.constantFrom('m', 'n'.repeat(200)), fc.nat(2), fc.nat(2))
    .map(([name, a, b]) => ({ [name]: a, z: 'x'.repeat(470) + b })),
);

const member = (name: string) => (value: Value) => (value === undefined ? {} : { [name]: value });

const documents = fc.array(
  fc.tuple(key, key).map(([k, m]) => ({ ...member('k')(k), ...member('m')(m) })),
  { maxLength: 12 },
);

const orders = [
  'SELECT VALUE c.id FROM c ORDER BY c.k',
  'SELECT VALUE c.id FROM c ORDER BY c.k DESC',
  'SELECT VALUE c.id FROM c ORDER BY c.k DESC, c.m',
  'SELECT VALUE c.id FROM c ORDER BY c.k, c.m DESC OFFSET 1 LIMIT 9',
  'SELECT VALUE [c.id, x] FROM c JOIN x IN c.twice ORDER BY c.k',
];

const others = [
  'SELECT c.k, COUNT(1) AS n FROM c GROUP BY c.k',
  'SELECT c.k, c.m, COUNT(1) AS n FROM c GROUP BY c.k, c.m OFFSET 1 LIMIT 9',
  'SELECT VALUE c.k FROM c GROUP BY c.k, c.m',
  'SELECT DISTINCT VALUE c.k FROM c',
  'SELECT DISTINCT c.k, c.m FROM c',
  'SELECT DISTINCT c.k FROM c ORDER BY c.k',
  'SELECT DISTINCT c.k, COUNT(1) AS n FROM c GROUP BY c.k, c.m',
];

function stored(document: object, at: number): StoredBytes {
  const bytes = Buffer.from(JSON.stringify({ id: at, twice: [1, 2], ...document }));
  return { bytes, membersEnd: bytes.length - 1, rid: at + 1 };
}

test('[wire 12] pages are the rows of one page, whatever the keys, and their continuations are small', () => {
  fc.assert(
    fc.property(
      documents,
      fc.constantFrom(...orders, ...others),
      fc.integer({ min: 1, max: 4 }),
      fc.boolean(),
      (all, query, itemsMax, isLastRowUnseen) => {
        const asked = { query, documentsAt: () => all.map(stored), isLastRowUnseen };
        let longest = 0;

        const pages = pagesOfStored({
          ...asked,
          itemsMax,
          onPosition: (text) => {
            longest = Math.max(longest, Buffer.byteLength(text));
            expect(encodePosition(decodePosition(text))).toBe(text);
          },
        });

        expect(pages.flat()).toEqual(pagesOfStored(asked).flat());
        expect(longest).toBeLessThanOrEqual(positionBytesMax);
      },
    ),
    { numRuns: 600 },
  );
});

test('[wire 12] a page is as full as its bytes allow, and has one row at least', () => {
  fc.assert(
    fc.property(documents, fc.constantFrom(...orders), fc.integer({ min: 1, max: 60 }), (all, query, bytesMax) => {
      const asked = { query, documentsAt: () => all.map(stored) };

      const pages = pagesOfStored({ ...asked, bytesMax });

      expect(pages.flat()).toEqual(pagesOfStored(asked).flat());
      const isFull = (rows: readonly Value[]) => rows.map((row) => JSON.stringify(row)).join('').length >= bytesMax;
      expect(pages.slice(0, -1).every(isFull)).toBe(true);
    }),
    { numRuns: 200 },
  );
});

test('[wire 12] documents that come and go between pages cost no other document its row', () => {
  const changes = fc.array(fc.array(fc.tuple(fc.nat(11), key), { maxLength: 2 }), { maxLength: 6 });
  fc.assert(
    fc.property(
      documents,
      fc.constantFrom(...orders.slice(0, 3)),
      fc.nat(3),
      changes,
      fc.boolean(),
      (all, query, more, changed, isLastRowUnseen) => {
        const now = all.map(stored);
        const untouched = new Set(now.keys());
        const pages = pagesOfStored({
          query,
          itemsMax: more + 1,
          isLastRowUnseen,
          documentsAt: (page) => {
            for (const [at, k] of page === 0 ? [] : (changed[page - 1] ?? [])) {
              if (at < now.length) now[at] = stored(k === undefined ? {} : { k }, at);
              untouched.delete(at);
            }
            return now;
          },
        });

        const shown = new Set(pages.flat());

        expect([...untouched].filter((id) => !shown.has(id))).toEqual([]);
      },
    ),
    { numRuns: 600 },
  );
});

test('[wire 12] what is no position is refused as a continuation', () => {
  const good: Position[] = [
    { offsetLeft: 0, after: { keys: [undefined, 'a', [1]], rid: 3, row: 1 } },
    { limitLeft: 3, after: { head: 'BmE', shown: 2, digest: 'abc' } },
    { after: { head: 'BmE', shown: 2, digest: 'abc', of: { rid: 7, row: 1 } } },
    { after: { rows: 3 } },
    { rid: 4, rows: 2 },
  ];
  for (const position of good) expect(decodePosition(encodePosition(position))).toEqual(position);

  const bad = [
    '',
    '{"after":',
    '{"after":5}',
    '{"after":{"keys":[1],"rid":1,"row":1}}',
    '{"after":{"keys":[[1,2]],"rid":1,"row":1}}',
    '{"after":{"head":"a","shown":-1,"digest":""}}',
    '{"after":{"head":"a","shown":1,"digest":"","of":{"rid":-1,"row":1}}}',
    '{"after":{"rows":"x"}}',
    '{"rid":0.5}',
    '{"offsetLeft":1e300}',
  ];
  for (const text of bad) {
    expect(() => decodePosition(text)).toThrow(expect.objectContaining({ code: 'invalid-continuation' }));
  }
});
