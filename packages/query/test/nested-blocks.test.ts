import { expect, test } from 'vitest';
import { allRows } from './all-pages.ts';

// In the service a block within is worked out for each range, so a client that puts ranges together gets other rows: these are no
// cases of the corpus, which every way must answer alike.

const documents = [
  { id: '1', a: 3, t: [1, 2] },
  { id: '2', a: 1, t: [3] },
  { id: '3', a: 2 },
  { id: '4', a: 3 },
];

test.each([
  ['groups, filtered', 'SELECT VALUE g.a FROM (SELECT c.a, COUNT(1) AS n FROM c GROUP BY c.a) AS g WHERE g.n > 1', [3]],
  ['sorted rows', 'SELECT VALUE s.a FROM (SELECT TOP 3 c.a FROM c ORDER BY c.a DESC) AS s', [3, 3, 2]],
  ['distinct rows', 'SELECT VALUE s.a FROM (SELECT DISTINCT c.a FROM c) AS s', [3, 1, 2]],
  ['a part of the rows', 'SELECT VALUE s.a FROM (SELECT c.a FROM c OFFSET 1 LIMIT 2) AS s', [1, 2]],
  ['elements', 'SELECT VALUE y FROM (SELECT VALUE x FROM x IN c.t) AS y WHERE y > 1', [2, 3]],
  ['elements of rows', 'SELECT VALUE y FROM y IN (SELECT VALUE c.t FROM c)', [1, 2, 3]],
  [
    'two levels',
    'SELECT VALUE SUM(s.n) FROM (SELECT g.n FROM (SELECT COUNT(1) AS n FROM c GROUP BY c.a) AS g) AS s',
    [4],
  ],
])(
  '[wire 12] a block over the container gives its rows to the one around it, in pages of any size: %s',
  (_, query, rows) => {
    for (const itemsMax of [1, 2, 1000]) expect(allRows({ query, documents, itemsMax })).toEqual(rows);
  },
);
