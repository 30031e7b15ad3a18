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

function pageOf(rows: readonly unknown[], metrics: string, more: Readonly<Record<string, string>> = {}): Response {
  const headers = { [header.charge]: '3.1', [header.queryMetrics]: metrics, ...more };
  return new Response(JSON.stringify({ Documents: rows, _count: rows.length }), { headers });
}

const onePage = (): Response =>
  pageOf(
    [1, 2],
    'totalExecutionTimeInMs=1.50;queryCompileTimeInMs=0.25;VMExecutionTimeInMs=1.00;documentLoadTimeInMs=0.40;indexLookupTimeInMs=0.00;' +
      'retrievedDocumentCount=1200;retrievedDocumentSize=2048',
  );
const refused = (): Response =>
  new Response('{"code":"BadRequest","message":"no"}', { status: 400, headers: { [header.substatus]: '1004' } });
const everywhere = [{ min: '', max: 'FF' }];
const rewrittenQuery = 'SELECT c._rid\nFROM c\nWHERE ({documentdb-formattableorderbyquery-filter})';

test('a plan is told in words: what is read, ranges, what is merged by whom, what a page costs', async () => {
  const queryInfo = {
    ...info,
    orderBy: ['Descending', 'Ascending'],
    orderByExpressions: ['c.a', 'c.b'],
    top: 5,
    distinctType: 'Ordered',
    rewrittenQuery,
  };

  const found = await explained({ plan: { queryInfo, queryRanges: everywhere }, page: onePage });

  expect(explanationText(found)).toBe(
    [
      'Reads          all documents',
      'Ranges         2 of 2: 1, 2',
      'Merged         by the server',
      '               sorted by c.a descending, c.b ascending',
      '               each different row once',
      '               TOP 5',
      'One page       2 rows, 3.1 RU, 1,200 documents looked at (2.0 KiB)',
      '               1.5 ms in all: 0.25 ms understanding, 0.4 ms loading, 0.6 ms running, 0.25 ms the rest',
      '',
    ].join('\n'),
  );
});

test('a page that others follow says so, and one is one', async () => {
  const more = { [header.continuation]: 'more' };
  const page = (): Response => pageOf([1], 'totalExecutionTimeInMs=1;retrievedDocumentCount=1', more);

  const found = await explained({ plan: { queryInfo: info, queryRanges: everywhere }, page });

  expect(explanationText(found)).toMatch(
    /One page +1 row, 3\.1 RU, 1 document looked at \(0 bytes\)\n +1 ms in all: 1 ms the rest\n +more pages follow\n$/,
  );
  expect(explanationJson(found)).toMatchObject({ page: { rows: 1, hasMore: true } });
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
    [groups, values].map((queryInfo) => explained({ plan: { queryInfo, queryRanges: everywhere }, page: onePage })),
  );

  expect(explanationText(grouped as Explanation)).toMatch(
    /Merged +by the server\n +grouped by c\.city\n +added up: n: Count, least: Min\nOne page/,
  );
  expect(explanationText(summed as Explanation)).toMatch(/Merged .*\n +added up: Sum\n +OFFSET 2\n +LIMIT 7\n/);
});

test('of one range nothing is merged, whatever is done with its rows', async () => {
  const queryInfo = { ...info, orderBy: ['Ascending'], orderByExpressions: ['c.a'] };
  const point = [{ min: '05', max: '05', isMaxInclusive: true }];

  const [given, named] = await Promise.all([
    explained({ plan: { queryInfo, queryRanges: everywhere }, page: onePage }, ['ada']),
    explained({ plan: { queryInfo, queryRanges: point }, page: onePage }),
  ]);

  const merged = 'Merged         nothing: no more than one range is asked\nRows           sorted by c.a ascending\n';
  expect(explanationText(given)).toContain(merged);
  expect(explanationText(given)).toMatch(/^Reads +the partition key \["ada"\]\nRanges +1 of 2/);
  expect(explanationText(named)).toContain(merged);
  expect(explanationText(named)).toMatch(/^Reads +the one partition key that the query names\n/);
});

test.each([
  [[...everywhere], 'all documents'],
  [[{ min: [], max: 'Infinity' }], 'all documents'],
  [[{ min: '05', max: '06' }], 'the partition keys that the query leaves'],
  [
    [
      { min: '05', max: '05' },
      { min: '06', max: '06' },
    ],
    'the 2 partition keys that the query names',
  ],
])('of the key ranges %j are read: %s', async (queryRanges, reads) => {
  const found = await explained({ plan: { queryInfo: info, queryRanges }, page: onePage });

  expect(explanationText(found)).toMatch(new RegExp(`^Reads +${reads}\n`));
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

  const { asked } = await explained({ plan: { queryInfo: info, queryRanges: everywhere }, page: onePage }, ['ada']);

  expect(asked).toEqual([range?.id]);
});

test('an account that leaves the merging to its clients has a plan, what a first request asks, and no page', async () => {
  const queryInfo = { ...info, orderBy: ['Ascending'], orderByExpressions: ['c.a'], rewrittenQuery };

  const found = await explained({ plan: { queryInfo, queryRanges: everywhere }, page: refused });

  expect(explanationText(found)).toMatch(/Merged +by the client\n +sorted by c\.a ascending\n/);
  expect(explanationText(found)).toMatch(/Each is asked +SELECT c\._rid\n +FROM c\n +WHERE \(true\)\n/);
  expect(explanationText(found)).toContain('this account gives none: it leaves the merging to its clients');
  expect(explanationJson(found)).toMatchObject({ page: null, ranges: [{ id: '1', isAsked: true }, { id: '2' }] });
});
