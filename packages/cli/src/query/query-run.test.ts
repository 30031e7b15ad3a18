import { RestClient, systemEnvironment } from '@tidemark/client';
import { header, wellKnownKey } from '@tidemark/model';
import { expect, test } from 'vitest';
import { Progress } from '../progress.ts';
import type { Target } from './ask.ts';
import type { QueryOutcome } from './query-run.ts';
import { reachedText, runQuery } from './query-run.ts';

interface Asked {
  readonly body: { readonly query: string; readonly parameters: readonly unknown[] };
  readonly headers: Readonly<Record<string, string>>;
}

type Page = (asked: Asked, count: number) => Response | undefined;

/** A page that is undefined never comes. */
function accountOf(page: Page): { target: Target; asked: Asked[] } {
  const asked: Asked[] = [];
  const fetch: typeof globalThis.fetch = async (_url, { body, headers, signal } = {}) => {
    const request = { body: JSON.parse(String(body)), headers: headers as Record<string, string> };
    asked.push(request);
    const answer = page(request, asked.length);
    if (answer !== undefined) return answer;
    return new Promise((_, reject) => {
      if (signal?.aborted) reject(signal.reason);
      signal?.addEventListener('abort', () => reject(signal.reason));
    });
  };
  const environment = { ...systemEnvironment(), fetch };
  const client = new RestClient({ endpoint: 'http://127.0.0.1:1', credential: { key: wellKnownKey }, environment });
  return { target: { client, database: 'shop', container: 'orders', partitionKey: undefined }, asked };
}

function pageOf(rows: readonly unknown[], more: Readonly<Record<string, string>> = {}): Response {
  const headers = { [header.charge]: '2.5', [header.activityId]: 'a', ...more };
  return new Response(JSON.stringify({ Documents: rows, _count: rows.length }), { headers });
}

interface Wanted {
  readonly limit?: number;
  readonly itemsMax?: number;
  readonly signal?: AbortSignal;
  onRows?(): void;
}

async function ask(
  target: Target,
  { limit, itemsMax, signal, onRows }: Wanted = {},
): Promise<[QueryOutcome, string[]]> {
  const rows: string[] = [];
  const outcome = await runQuery({
    target,
    question: { text: 'SELECT *', parameters: [{ name: '@n', json: '12345678901234567890' }] },
    writer: {
      async write(page) {
        rows.push(...page.map(String));
        onRows?.();
      },
      leftOut: () => '',
    },
    progress: new Progress('query'),
    itemsMax,
    limit: limit ?? Number.POSITIVE_INFINITY,
    signal: signal ?? new AbortController().signal,
  });
  return [outcome, rows];
}

test('pages are asked for until there is no continuation, empty ones included, and their costs are added up', async () => {
  const metrics = { [header.queryMetrics]: 'totalExecutionTimeInMs=1.00;retrievedDocumentCount=100' };
  const pages = [
    pageOf([1], { ...metrics, [header.continuation]: 'first' }),
    pageOf([], { ...metrics, [header.continuation]: 'second' }),
    pageOf([{ a: 1 }, null], metrics),
  ];
  const { target, asked } = accountOf((_, count) => pages[count - 1] as Response);

  const [outcome, rows] = await ask(target);

  expect(rows).toEqual(['1', '{"a":1}', 'null']);
  expect(asked.map(({ headers }) => headers[header.continuation])).toEqual([undefined, 'first', 'second']);
  expect(asked[0]?.headers).toMatchObject({ [header.itemsMax]: '-1', [header.enableCrossPartition]: 'True' });
  expect(outcome).toMatchObject({ rows: 3, documents: 300, charge: 7.5, isComplete: true });
  expect(reachedText(outcome)).toBe('3 rows, 300 documents looked at, 7.5 RU');
});

test('the limit asks for no more rows than are left, and shows no more where more come', async () => {
  const { target, asked } = accountOf(() => pageOf([1, 2], { [header.continuation]: 'more' }));

  const [outcome, rows] = await ask(target, { limit: 3, itemsMax: 2 });

  expect(rows).toEqual(['1', '2', '1']);
  expect(asked.map(({ headers }) => headers[header.itemsMax])).toEqual(['2', '1']);
  expect(outcome.isComplete).toBe(true);
});

test('an account that tells no metrics is believed to have looked at nobody knows what', async () => {
  const { target } = accountOf(() => pageOf([1]));

  const [outcome] = await ask(target);

  expect(outcome.documents).toBeUndefined();
  expect(reachedText(outcome)).toBe('1 row, 2.5 RU');
});

test('a parameter goes out as it was written', async () => {
  let text = '';
  const environment = {
    ...systemEnvironment(),
    fetch: (async (_url, { body } = {}) => {
      text = String(body);
      return pageOf([]);
    }) as typeof globalThis.fetch,
  };
  const client = new RestClient({ endpoint: 'http://127.0.0.1:1', credential: { key: wellKnownKey }, environment });

  await ask({ client, database: 'shop', container: 'orders', partitionKey: undefined });

  expect(text).toBe('{"query":"SELECT *","parameters":[{"name":"@n","value":12345678901234567890}]}');
});

test('what is stopped ends with the rows that are there, while a page is under way and between two', async () => {
  const stop = new AbortController();
  const silent = accountOf((_, count) => {
    if (count === 1) return pageOf([1], { [header.continuation]: 'more' });
    stop.abort();
    return undefined;
  });
  const between = new AbortController();
  const endless = accountOf(() => pageOf([1], { [header.continuation]: 'more' }));

  const [first, rows] = await ask(silent.target, { signal: stop.signal });
  const [second] = await ask(endless.target, { signal: between.signal, onRows: () => between.abort() });

  expect(rows).toEqual(['1']);
  expect([first, second].map(({ rows: count, isComplete }) => [count, isComplete])).toEqual([
    [1, false],
    [1, false],
  ]);
});
