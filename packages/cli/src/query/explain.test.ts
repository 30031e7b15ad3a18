import type { RangeInfo } from '@tidemark/client';
import { RestClient, systemEnvironment } from '@tidemark/client';
import { effectiveKeyPrefixRange, header, wellKnownKey } from '@tidemark/model';
import { expect, test } from 'vitest';
import type { Explanation } from './explain.ts';
import { explain, explanationJson, explanationText } from './explain.ts';

const ranges: readonly RangeInfo[] = [
  { id: '1', min: '', max: '1F', parents: [] },
  { id: '2', min: '1F', max: 'FF', parents: [] },
];
const info = { orderBy: [], orderByExpressions: [], groupByExpressions: [], aggregates: [], rewrittenQuery: '' };
const definition = { paths: ['/pk'], kind: 'Hash', version: 2 } as const;

interface Account {
  readonly plan: object;
  /** The answer to the query itself. */
  page(): Response;
}

async function explained({ plan, page }: Account, partitionKey?: readonly string[]): Promise<Explanation> {
  const answer = (body: object): Response =>
    new Response(JSON.stringify(body), { headers: { [header.activityId]: 'a' } });
  const fetch: typeof globalThis.fetch = async (url, { headers } = {}) => {
    if (String(url).endsWith('/pkranges')) {
      return answer({
        PartitionKeyRanges: ranges.map(({ id, min, max }) => ({ id, minInclusive: min, maxExclusive: max })),
      });
    }
    return header.isQueryPlan in (headers as object) ? answer(plan) : page();
  };
  const environment = { ...systemEnvironment(), fetch };
  const client = new RestClient({ endpoint: 'http://127.0.0.1:1', credential: { key: wellKnownKey }, environment });
  const target = { client, database: 'shop', container: 'orders', partitionKey };
  return explain(target, definition, { text: 'SELECT *', parameters: [] }, { itemsMax: undefined });
}

const onePage = (): Response =>
  new Response('{"Documents":[1,2],"_count":2}', {
    headers: {
      [header.charge]: '3.1',
      [header.queryMetrics]:
        'totalExecutionTimeInMs=1.50;queryCompileTimeInMs=0.25;retrievedDocumentCount=1200;retrievedDocumentSize=2048',
    },
  });

test('a plan is told in words: ranges, what is merged, what each range is asked, what a page costs', async () => {
  const queryInfo = {
    ...info,
    orderBy: ['Descending', 'Ascending'],
    orderByExpressions: ['c.a', 'c.b'],
    top: 5,
    distinctType: 'Ordered',
    rewrittenQuery: 'SELECT c._rid\nFROM c',
  };

  const found = await explained({ plan: { queryInfo, queryRanges: [{ min: '', max: 'FF' }] }, page: onePage });

  expect(explanationText(found)).toBe(
    [
      'Ranges         2 of 2: 1, 2',
      'Merged         sorted by c.a descending, c.b ascending',
      '               each different row once',
      '               TOP 5',
      'Each is asked  SELECT c._rid',
      '               FROM c',
      'One page       2 rows, 3.1 RU, 1,200 documents looked at (2.0 KiB)',
      '               1.5 ms in all: 0.25 ms understanding, 0 ms in the index, 0 ms loading, 0 ms running',
      '',
    ].join('\n'),
  );
});

test('groups and aggregates are named', async () => {
  const groups = {
    ...info,
    groupByExpressions: ['c.city'],
    groupByAliasToAggregateType: { city: null, n: 'Count', least: 'Min' },
    aggregates: [],
  };
  const values = { ...info, aggregates: ['Sum'], offset: 2, limit: 7 };

  const [grouped, summed] = await Promise.all(
    [groups, values].map((queryInfo) => explained({ plan: { queryInfo, queryRanges: [] }, page: onePage })),
  );

  expect(explanationText(grouped as Explanation)).toMatch(
    /Ranges +0 of 2: none\nMerged +grouped by c\.city\n +added up: n: Count, least: Min\nEach is asked +the query as it is\n/,
  );
  expect(explanationText(summed as Explanation)).toMatch(/Merged +added up: Sum\n +OFFSET 2\n +LIMIT 7\n/);
});

test.each([
  [[{ min: '05', max: '05', isMaxInclusive: true }], ['1']],
  [[{ min: '1F', max: '1F', isMaxInclusive: true }], ['2']],
  [[{ min: '', max: '1F', isMaxInclusive: false }], ['1']],
  [[{ min: '', max: '1F', isMaxInclusive: true }], ['1', '2']],
  [[{ min: [], max: 'Infinity' }], ['1', '2']],
])('of the key ranges %j the ranges %j are asked', async (queryRanges, asked) => {
  expect((await explained({ plan: { queryInfo: info, queryRanges }, page: onePage })).asked).toEqual(asked);
});

test('a partition key that is given decides by itself', async () => {
  const { min } = effectiveKeyPrefixRange(definition, ['ada']);
  const [range] = ranges.filter((each) => each.min <= min && min < each.max);

  const { asked } = await explained(
    { plan: { queryInfo: info, queryRanges: [{ min: '', max: 'FF' }] }, page: onePage },
    ['ada'],
  );

  expect(asked).toEqual([range?.id]);
});

test('an account that leaves the merging to its clients has a plan and no page', async () => {
  const refused = (): Response =>
    new Response('{"code":"BadRequest","message":"no"}', { status: 400, headers: { [header.substatus]: '1004' } });

  const found = await explained({ plan: { queryInfo: info, queryRanges: [{ min: '', max: 'FF' }] }, page: refused });

  expect(explanationText(found)).toContain('this account gives none: it leaves the merging to its clients');
  expect(explanationJson(found)).toMatchObject({ page: null, ranges: [{ id: '1', isAsked: true }, { id: '2' }] });
});
