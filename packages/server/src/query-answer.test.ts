import type { Container } from '@tidemark/engine';
import { openDatabase } from '@tidemark/engine';
import type { KeyRange } from '@tidemark/model';
import { expect, test } from 'vitest';
import { answerTo } from './query-answer.ts';

const wholeContainer: readonly KeyRange[] = [{ min: '', max: 'FF' }];

/** Of a query over a whole container, where clients get plans, and of which the filter leaves these keys. */
function answered(
  container: Container,
  text: string,
  apiVersion: string | undefined,
  keys: readonly KeyRange[] = wholeContainer,
): 'rows' | 'disabled' | 'a plan' {
  const answer = answerTo({
    query: { text, parameters: [], prepared: container.prepareQuery(text, []) },
    target: { scope: { keys }, by: 'nothing' },
    definition: container.info.definition,
    isCrossPartitionEnabled: true,
    plansFirst: true,
    apiVersion,
  });
  return typeof answer === 'string' ? answer : 'a plan';
}

test.each([
  ['SELECT * FROM c', 'rows', 'rows'],
  ['SELECT VALUE c.n FROM c WHERE c.n > 1', 'rows', 'rows'],
  ['SELECT VALUE c.n FROM c ORDER BY c.n', 'a plan', 'a plan'],
  ['SELECT TOP 3 VALUE c.n FROM c', 'a plan', 'a plan'],
  ['SELECT VALUE MAX(c.n) FROM c', 'a plan', 'a plan'],
  ['SELECT VALUE c.n FROM c OFFSET 1 LIMIT 2', 'a plan', 'rows'],
  ['SELECT DISTINCT VALUE c.n FROM c', 'a plan', 'rows'],
  ['SELECT COUNT(1) AS n FROM c', 'a plan', 'rows'],
  ['SELECT c.n, COUNT(1) AS many FROM c GROUP BY c.n', 'a plan', 'rows'],
  ['SELECT VALUE c.n FROM c GROUP BY c.n', 'a plan', 'rows'],
  ['SELECT VALUE MAX(c.n) FROM c GROUP BY c.m', 'a plan', 'rows'],
  ['SELECT VALUE d.n FROM (SELECT TOP 2 c.n FROM c ORDER BY c.n) AS d', 'rows', 'rows'],
])('[wire 12] %s is answered with %s, and for the oldest client with %s', async (text, recent, oldest) => {
  await using database = await openDatabase({ memory: true });
  await database.createDatabase('db');
  const definition = { id: 'c', partitionKey: { paths: ['/id'], kind: 'Hash', version: 2 } } as const;
  const container = await database.createContainer('db', definition);

  const answers = ['2020-07-15', '2017-11-15'].map((apiVersion) => answered(container, text, apiVersion));

  expect(answers).toEqual([recent, oldest]);
});

test('[wire 12] what the filter leaves is not worked out again: one key, or none, is answered with rows', async () => {
  await using database = await openDatabase({ memory: true });
  await database.createDatabase('db');
  const container = await database.createContainer('db', {
    id: 'c',
    partitionKey: { paths: ['/id'], kind: 'Hash', version: 2 },
  });
  const answersOf = (keys: readonly KeyRange[]): string =>
    answered(container, 'SELECT TOP 1 * FROM c', undefined, keys);

  expect(answersOf([])).toBe('rows');
  expect(answersOf([{ min: '05AB', max: '05AB00' }])).toBe('rows');
  expect(answersOf([{ min: '05AB', max: '05ABFF' }])).toBe('a plan');
  expect(
    answersOf([
      { min: '05AB', max: '05AB00' },
      { min: '06', max: '0600' },
    ]),
  ).toBe('a plan');
});
