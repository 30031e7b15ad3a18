import type { PartitionKeyDefinition } from '@tidemark/model';
import { describe, expect, test } from 'vitest';
import { readCorpus } from '../../test/corpus.ts';
import { prepareQuery } from '../query.ts';
import { QueryRun } from '../run/query-run.ts';
import type { Value } from '../value/value.ts';
import type { ExplainedQuery } from './explain.ts';
import { explainQuery } from './explain.ts';

const definition: PartitionKeyDefinition = { paths: ['/a', '/b'], kind: 'MultiHash', version: 2 };
const policy = { indexingMode: 'consistent', includedPaths: [{ path: '/*' }], excludedPaths: [{ path: '/no/*' }] };

test('a query is explained by its clauses', () => {
  const explained = explain("select distinct top @n c.x from Root as c where c.a='k' order by c.x desc", { '@n': 3 });

  expect(explained).toEqual({
    text: 'SELECT DISTINCT TOP @n c.x\nFROM Root AS c\nWHERE (c.a = "k")\nORDER BY c.x DESC',
    kind: 'blocking',
    access: { kind: 'scan' },
    reads: 'every document whose partition key has one beginning',
    ranges: [expect.objectContaining({ isMinInclusive: true, isMaxInclusive: false })],
    filter: '(c.a = "k")',
    groups: undefined,
    aggregates: undefined,
    sort: ['c.x DESC'],
    isDistinct: true,
    limits: { top: 3, offset: undefined, limit: undefined },
    from: undefined,
    refusal: undefined,
  });
});

test('groups and aggregates are named, also within other expressions', () => {
  const explained = explain('SELECT c.g, MAX(c.x) - MIN(c.x) AS width FROM c GROUP BY c.g OFFSET 1 LIMIT 2');

  expect(explained).toMatchObject({
    kind: 'blocking',
    groups: ['c.g'],
    aggregates: ['MAX(c.x)', 'MIN(c.x)'],
    limits: { offset: 1, limit: 2 },
  });
});

test('a block in FROM is explained within the one that reads from it', () => {
  const explained = explain('SELECT d FROM (SELECT TOP 2 c.x FROM c WHERE c.y) AS d JOIN t IN d.x WHERE t > 1');

  expect(explained).toMatchObject({
    kind: 'blocking',
    filter: '(t > 1)',
    limits: undefined,
    from: { filter: 'c.y', limits: { top: 2 }, from: undefined },
  });
});

describe('what a query reads', () => {
  test.each([
    ['SELECT 1', 'no document'],
    ['SELECT * FROM c', 'every document of the container'],
    ['SELECT * FROM c WHERE c.b = 1', 'every document of the container'],
    ['SELECT * FROM c WHERE false', 'no document, since the filter is true of none'],
    ['SELECT * FROM c WHERE c.a = 1 AND c.b = 1', 'every document of one partition key'],
    ['SELECT * FROM c WHERE c.a = 1 AND c.b IN (1, 2)', 'every document of 2 partition keys'],
    ['SELECT * FROM c WHERE c.a = 1 AND c.b = 1 AND c.id = "x"', 'documents with one id of one partition key'],
    ['SELECT * FROM c WHERE c.id IN ("x", "y") AND c.n > 0', 'documents with 2 ids of the container'],
    ['SELECT * FROM c WHERE c.id = "x" AND c.id = "y"', 'no document, since the filter is true of none'],
    ['SELECT * FROM c WHERE c.id = "x" OR c.n > 0', 'every document of the container'],
    ['SELECT * FROM c WHERE c.a IN (1, 2)', 'every document whose partition key has 2 beginnings'],
  ])('%s: %s', (query, reads) => {
    expect(explain(query).reads).toBe(reads);
  });
});

test('a query that is refused for lack of an index says so', () => {
  expect(explain('SELECT * FROM c ORDER BY c.x').refusal).toBeUndefined();
  expect(explain('SELECT * FROM c ORDER BY c.no').refusal).toContain('is excluded');
  expect(explain('SELECT * FROM c ORDER BY c.x, c.y').refusal).toContain('composite index');
});

test('every query of the corpus is explained as it runs', () => {
  const context = { nowMs: () => 0, startMs: 0, random: () => 0 };
  for (const { query, parameters: given = [], expect: expected } of readCorpus()) {
    if ('error' in expected) continue;
    const names = given.map(({ name }) => name);
    const parameters = given.map(({ value }) => value);
    const prepared = prepareQuery(query, names);
    const run = new QueryRun(prepared.program, { parameters, context, itemsMax: 1, bytesMax: 1, from: undefined });

    const { kind } = explainQuery(prepared, parameters, definition, policy);

    expect([query, kind]).toEqual([query, run.isBlocking ? 'blocking' : 'streaming']);
  }
});

function explain(query: string, parameters: Readonly<Record<string, Value>> = {}): ExplainedQuery {
  return explainQuery(prepareQuery(query, Object.keys(parameters)), Object.values(parameters), definition, policy);
}
