import { functionFamilies, prepareQuery, QueryError, wireMessage } from '@tidemark/query';
import { expect, test } from 'vitest';
import { functionNames } from './function-names.ts';
import { hintFor } from './hint.ts';

/** Of each mistake in the text. */
function hintsOf(text: string): string[] {
  try {
    prepareQuery(text, []);
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    return error.problems.map(({ code, message, span }) =>
      hintFor({ code: code === undefined ? code : String(code), message, location: span }, text),
    );
  }
  throw new Error(`nothing is wrong with ${text}`);
}

const aroundWhere = 'Put a query around it: SELECT * FROM (SELECT … GROUP BY …) AS g WHERE g.…';
const aroundOrder = aroundWhere.replace('WHERE', 'ORDER BY');

test.each([
  ['SELECT total FROM c', 'Did you mean c.total?'],
  ['SELECT SUM(total) FROM orders o', 'Did you mean o.total?'],
  ['SELECT * FROM c WHERE total > 5', 'Did you mean c.total?'],
  ['SELECT c.value FROM c', 'A keyword behind a dot has to be quoted: c["value"].'],
  ['SELECT c.order FROM c', 'A keyword behind a dot has to be quoted: c["order"].'],
  ['SELECT * FROM c WHERE c.a.from = 1', 'A keyword behind a dot has to be quoted: c.a["from"].'],
  ['SELECT c.group FROM c', 'A keyword behind a dot has to be quoted: c["group"].'],
  ['SELECT c.order-id FROM c', 'A keyword behind a dot has to be quoted: c["order-id"].'],
  ['SELECT c.unit-price FROM c', 'A name with a hyphen has to be quoted: c["unit-price"].'],
  ['SELECT VALUE COUNT(*) FROM c', 'Documents are counted by COUNT(1).'],
  [
    'SELECT * FROM c WHERE c.x IS NULL',
    'Write c.x = null or IS_NULL(c.x). What has no c.x at all is found by NOT IS_DEFINED(c.x).',
  ],
  ['SELECT * FROM c WHERE c.x IS NOT NULL', 'Write c.x != null. IS_DEFINED(c.x) finds null as well.'],
  ['SELECT * FROM c WHERE c.x == 1', 'Equality is one sign: =.'],
  ['SELECT * FROM c WHERE c.x = 1 && c.y = 2', 'Write AND.'],
  ['SELECT * FROM c LIMIT 5', 'Write OFFSET 0 LIMIT 5 at the end, or SELECT TOP 5 at the beginning.'],
  ['SELECT * FROM c LIMIT 10, 5', 'Write OFFSET 10 LIMIT 5.'],
  ['SELECT * FROM c OFFSET 5', 'OFFSET has a LIMIT behind it: OFFSET 5 LIMIT 10.'],
  ['SELECT * FROM c WHERE LEN(c.x) = 1', 'Write LENGTH(x).'],
  ['SELECT COALESCE(c.x, 1) FROM c', 'Write a ?? b.'],
  ['SELECT ISNULL(c.x, 1) FROM c', 'Write a ?? b, or IS_NULL(x).'],
  ['SELECT SUBSTR(c.x, 0, 1) FROM c', 'Write SUBSTRING(text, from, length), which counts from 0.'],
  ['SELECT CHARINDEX("a", c.x) FROM c', 'Write INDEX_OF(text, part), which counts from 0.'],
  ['SELECT * FROM c WHERE CONTANS(c.x, "a")', 'Did you mean CONTAINS?'],
  ['SELECT * FROM c WHERE STARTS_WITH(c.x, "a")', 'Did you mean STARTSWITH?'],
  ['SELECT * FROM c WHERE c.x = TRUE', 'Write true: here case matters.'],
  ['SELECT * FROM c WHERE c.x = NULL', 'Write null: here case matters.'],
  ['SELECT * FROM c WHERE c.city = Brest', "Did you mean the text 'Brest', or c.Brest?"],
  ['SELECT * FROM c WHERE CONTAINS(c.city, Brest)', "Did you mean the text 'Brest', or c.Brest?"],
  ['SELECT * FROM orders WHERE c.id = "from c"', 'The alias here is orders: orders.id.'],
  ['SELECT * FROM orders o WHERE orders.id = "1"', 'The alias here is o: o.id.'],
  ['SELECT * FROM i IN c.items WHERE c["id"] = "1"', 'The alias here is i: i[…].'],
  ['SELECT * FROM c WHERE c.id = @id', 'Give it a value: --param id=…, or \\param id=… at the prompt.'],
  [
    'SELECT c.a AS total FROM c WHERE total > 1',
    'total is a name of the result and not known here: write what stands before AS.',
  ],
  ['SELECT * FROM c WHER c.x = 1', 'Did you mean WHERE?'],
  ['SELECT * FROM c ODER BY c.x', 'Did you mean ORDER?'],
  ['SELECT * FROM c WHERE c.x = 1 ODER BY c.x', 'Did you mean ORDER?'],
  ['SELECT c.x, COUNT(1) AS n FROM c GRUOP BY c.x', 'Did you mean GROUP?'],
  ['SELECT c.x FROM c ORDERBY c.x', 'Did you mean ORDER BY?'],
  ['SELECT * FORM c', 'Did you mean FROM?'],
  ['SELCT * FROM c', 'Did you mean SELECT?'],
  ['SELECT * FROM c WHERE c.x = 1 AN c.y = 2', 'Did you mean AND?'],
  ['SELECT * FROM c WHERE c.id IN @ids', 'Write ARRAY_CONTAINS(@ids, c.id).'],
  ['SELECT * FROM c WHERE c.id NOT IN @ids', 'Write NOT ARRAY_CONTAINS(@ids, c.id).'],
  ['SELECT c.x, COUNT(1) AS n FROM c GROUP BY c.x HAVING COUNT(1) > 1', aroundWhere],
  ['SELECT c.x FROM c WHERE COUNT(1) > 1', aroundWhere],
  ['SELECT c.x, COUNT(1) AS n FROM c GROUP BY c.x ORDER BY c.x', aroundOrder],
  ['SELECT c.x, COUNT(1) AS n FROM c', 'GROUP BY c.x makes a row of each c.x.'],
  ['SELECT c.id, FROM c', 'Before FROM there is a comma too many.'],
  ['SELECT * FROM c JOIN d ON c.id = d.id', 'A JOIN goes over a list of the document: JOIN x IN c.items.'],
  ['DELETE FROM c', 'A query only reads: tidemark put writes documents, and tidemark rm removes them.'],
  ['SELECT c.x AS order FROM c', 'order is a keyword and no name.'],
])('%s: %s', (text, hint) => {
  expect(hintsOf(text)).toContain(hint);
});

test('where nobody can tell, nothing is said', () => {
  const texts = [
    'SELECT *, c.id FROM c',
    'SELECT ~ FROM c',
    'SELECT total',
    'SELECT "x FROM c',
    'SELECT c.a c.b FROM c',
  ];

  expect(texts.map((text) => hintsOf(text).join(''))).toEqual(texts.map(() => ''));
});

test('an order without its composite index comes with that index', () => {
  const sentence = 'The order by query does not have a corresponding composite index that it can be served from.';
  const mistake = { code: undefined, message: sentence, location: undefined };
  const index = (paths: string): string =>
    `Its indexing policy needs "compositeIndexes":[[${paths}]]: set by the SDK, or by tidemark create --policy FILE.`;

  expect(wireMessage([{ code: undefined, message: sentence }])).toContain(sentence);
  expect(hintFor(mistake, 'SELECT * FROM c ORDER BY c.a.b, c.d DESC OFFSET 0 LIMIT 1')).toBe(
    index('{"path":"/a/b","order":"ascending"},{"path":"/d","order":"descending"}'),
  );
  expect(hintFor(mistake, 'SELECT * FROM c ORDER BY c["a"], c.d')).toBe(index('{"path":…,"order":"ascending"},…'));
});

test('the names of functions are those that there are', () => {
  const there = functionFamilies.flatMap(({ functions }) => functions.map(({ name }) => name));

  expect(functionNames.slice(8)).toEqual(there);
});
