import { describe, expect, test } from 'vitest';
import { prepareQuery } from '../query.ts';
import { QueryError, wireMessage } from '../query-error.ts';
import { parseIndexPath } from './index-path.ts';
import type { IndexingPolicyJson } from './order-index.ts';
import { checkOrderBy } from './order-index.ts';

const standard = policy(['/*'], ['/"_etag"/?']);
const excluded = 'The index path corresponding to the specified order-by item is excluded.';
const noComposite = 'The order by query does not have a corresponding composite index that it can be served from.';

test('[query 4] the policy of a container that was given none has an index for every path but the etag', () => {
  expect(refusal('c.x', standard)).toBeUndefined();
  expect(refusal('c.x.y["a b"] DESC', standard)).toBeUndefined();
  expect(refusal('c._etag', standard)).toBe(excluded);
});

test('[query 6] the error has the form of what the text is not wrong in', () => {
  const error = errorOf('SELECT * FROM c ORDER BY c._etag', standard);

  expect(error).toBeInstanceOf(QueryError);
  expect(wireMessage((error as QueryError).problems)).toBe(JSON.stringify({ Errors: [excluded] }));
});

describe('[query 4] of two paths', () => {
  test('the deeper one counts', () => {
    const inside = policy(['/*', '/a/b/*'], ['/a/*', '/a/b/c/?']);

    expect(refusal('c.x', inside)).toBeUndefined();
    expect(refusal('c.a', inside)).toBe(excluded);
    expect(refusal('c.a.x', inside)).toBe(excluded);
    expect(refusal('c.a.b', inside)).toBeUndefined();
    expect(refusal('c.a.b.x.y', inside)).toBeUndefined();
    expect(refusal('c.a.b.c', inside)).toBe(excluded);
    expect(refusal('c.a.b.c.d', inside)).toBeUndefined();
  });

  test('of the same depth that of the value alone counts', () => {
    expect(refusal('c.a', policy(['/a/?'], ['/*', '/a/*']))).toBeUndefined();
    expect(refusal('c.a.b', policy(['/a/?'], ['/*', '/a/*']))).toBe(excluded);
    expect(refusal('c.a', policy(['/*', '/a/*'], ['/a/?']))).toBe(excluded);
    expect(refusal('c.a.b', policy(['/*', '/a/*'], ['/a/?']))).toBeUndefined();
  });
});

test('[query 4] what no path is of has no index', () => {
  expect(refusal('c.b', policy(['/a/?'], []))).toBe(excluded);
});

test('[query 4] id and _ts have an index always', () => {
  const nothing = policy([], ['/*']);

  expect(refusal('c.id', nothing)).toBeUndefined();
  expect(refusal('c._ts DESC', nothing)).toBeUndefined();
  expect(refusal('c.x.id', nothing)).toBe(excluded);
});

test('[query 4] names may be quoted, and elements of arrays have brackets', () => {
  const odd = policy(['/"a b"/?', '/list/[]/n/?', '/"quo\\"te"/?', '/0/?'], ['/*']);

  expect(refusal('c["a b"]', odd)).toBeUndefined();
  expect(refusal("c['quo\"te']", odd)).toBeUndefined();
  expect(refusal('c.list[3].n', odd)).toBeUndefined();
  expect(refusal('c.list.n', odd)).toBe(excluded);
});

test('[query 4] the path is that in the documents, whatever FROM begins with', () => {
  const inside = policy(['/a/x/?', '/list/[]/n/?'], ['/*']);

  expect(errorOf('SELECT VALUE a.x FROM c.a ORDER BY a.x', inside)).toBeUndefined();
  expect(errorOf('SELECT VALUE a.y FROM c.a ORDER BY a.y', inside)?.message).toBe(excluded);
  expect(errorOf('SELECT VALUE t.n FROM t IN c.list ORDER BY t.n', inside)).toBeUndefined();
  expect(errorOf('SELECT VALUE t.m FROM t IN c.list ORDER BY t.m', inside)?.message).toBe(excluded);
});

test('[query 4] what is sorted without paths of documents needs none', () => {
  const nothing = policy([], ['/*']);

  expect(errorOf('SELECT * FROM c', nothing)).toBeUndefined();
  expect(errorOf('SELECT COUNT(1) FROM c ORDER BY c.x', nothing)).toBeUndefined();
  expect(errorOf('SELECT * FROM (SELECT VALUE c FROM c) AS d ORDER BY d.x', nothing)).toBeUndefined();
  expect(errorOf('SELECT TOP 1 * FROM c ORDER BY VectorDistance(c.v, [1])', nothing)).toBeUndefined();
  expect(errorOf('SELECT ARRAY(SELECT VALUE t FROM t IN c.list ORDER BY t) FROM c', nothing)).toBeUndefined();
});

test('[query 4] a container without an index sorts as it filters, by looking at everything', () => {
  expect(
    refusal('c.x, c.y', { indexingMode: 'none', automatic: false, includedPaths: [], excludedPaths: [] }),
  ).toBeUndefined();
});

describe('[query 4] several keys need a composite index', () => {
  const composite = {
    ...standard,
    compositeIndexes: [
      [
        { path: '/a', order: 'ascending' },
        { path: '/b/c', order: 'descending' },
      ],
      [{ path: '/a' }, { path: '/d' }, { path: '/"e f"' }],
      [{ path: '/id' }, { path: '/_ts' }],
    ],
  };

  test.each([
    'c.a, c.b.c DESC',
    'c.a ASC, c.b.c DESC',
    'c.a DESC, c.b.c',
    'c.a, c.d, c["e f"]',
    'c.a DESC, c.d DESC, c["e f"] DESC',
    'c.id, c._ts',
  ])('%s has one', (order) => {
    expect(refusal(order, composite)).toBeUndefined();
  });

  test.each(['c.a, c.b.c', 'c.b.c DESC, c.a', 'c.a, c.d', 'c.a, c.d DESC, c["e f"]', 'c.a, c.x', 'c.id, c.a'])(
    '%s has none',
    (order) => {
      expect(refusal(order, composite)).toBe(noComposite);
      expect(refusal(order, standard)).toBe(noComposite);
    },
  );
});

test('[query 4] tuples and what has no form are no paths of an order', () => {
  expect(parseIndexPath('/list/[]/{a, b/c}/?')).toBeUndefined();
  expect(parseIndexPath('a/?')).toBeUndefined();
  expect(parseIndexPath('/a/*/b')).toBeUndefined();
  expect(parseIndexPath('/"a/?')).toBeUndefined();
  expect(parseIndexPath('/*')).toEqual({ segments: [], isSubtree: true });
});

function policy(included: readonly string[], excludedPaths: readonly string[]): IndexingPolicyJson {
  const entries = (paths: readonly string[]): unknown => paths.map((path) => ({ path }));
  return {
    indexingMode: 'consistent',
    automatic: true,
    includedPaths: entries(included),
    excludedPaths: entries(excludedPaths),
  };
}

function refusal(order: string, indexingPolicy: IndexingPolicyJson): string | undefined {
  return errorOf(`SELECT * FROM c ORDER BY ${order}`, indexingPolicy)?.message;
}

function errorOf(query: string, indexingPolicy: IndexingPolicyJson): Error | undefined {
  try {
    checkOrderBy(prepareQuery(query, []), indexingPolicy);
    return undefined;
  } catch (error) {
    return error as Error;
  }
}
