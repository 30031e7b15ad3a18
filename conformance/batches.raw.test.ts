// Batches and bulks as no SDK sends them: answers many times the size of what was asked, ranges in the spelling of .NET.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RawResponse } from './harness.ts';
import { World } from './harness.ts';
import type { Made } from './raw.ts';
import { feedOf, inRange, makeIn, pk, putIn } from './raw.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const isBatch = { 'x-ms-cosmos-is-batch-request': 'true' };

function batch(made: Made, body: object): Promise<RawResponse> {
  return world.fetch('POST', made.docs, {
    headers: { ...isBatch, 'x-ms-cosmos-batch-atomic': 'true', ...pk('a') },
    body,
  });
}

function bulk(made: Made, body: object, more: Readonly<Record<string, string>> = {}): Promise<RawResponse> {
  const headers = { ...isBatch, 'x-ms-cosmos-batch-atomic': 'false', 'x-ms-cosmos-batch-continue-on-error': 'true' };
  return world.fetch('POST', made.docs, { headers: { ...headers, ...inRange('0'), ...more }, body });
}

interface Result {
  readonly statusCode: number;
  readonly subStatusCode?: number;
}

const codes = ({ json }: RawResponse): string[] =>
  (json as Result[]).map(({ statusCode, subStatusCode }) => `${statusCode}/${subStatusCode ?? ''}`);
const many = (operation: object): object[] => Array.from({ length: 100 }, () => operation);
const said = ({ headers }: RawResponse) =>
  ['x-ms-documentdb-partitionkeyrangeid', 'x-ms-session-token'].map((name) => headers.get(name));
const upsert = (key: string, id: string) => ({
  operationType: 'Upsert',
  resourceBody: { id, pk: key },
  partitionKey: JSON.stringify([key]),
});

/** The same container from the inside, and a partition key in one of its ranges. */
function inside(made: Made) {
  const container = world.database.container('db', made.id);
  const rangeOf = (key: string): string =>
    world.database.engine.rangeOf(container.info.number, container.partitionKey(key).epk);
  const keyIn = (range: string): string =>
    Array.from({ length: 100 }, (_, i) => `key ${i}`).find((key) => rangeOf(key) === range) as string;
  return { container, keyIn };
}

const large = { id: 'large', pk: 'a', pad: 'x'.repeat(1_500_000) };
const answerBytesMax = 4 * 1024 * 1024;

test('[wire 8] more operations than a batch may have are refused once, with the limit and their number', async () => {
  const made = await makeIn(world);
  const body = [...many({ operationType: 'Read', id: '1', partitionKey: '["a"]' }), { operationType: 'Read', id: '1' }];

  for (const refused of [await batch(made, body), await bulk(made, body)]) {
    expect(refused.status).toBe(400);
    expect(refused.json.message).toBe('A batch may have at most 100 operations; this one has 101.');
  }
});

describe('many operations on a large document', () => {
  test('[wire 5] [wire 8] a batch whose answer would be too large is refused with 413/3402 and changes nothing', async () => {
    const made = await makeIn(world);
    await putIn(world, made, large);
    const { headers } = await feedOf(world, made, inRange('0'));
    for (const operation of [
      { operationType: 'Read', id: 'large' },
      { operationType: 'Patch', id: 'large', resourceBody: { operations: [{ op: 'incr', path: '/n', value: 1 }] } },
    ]) {
      const refused = await batch(made, [
        { operationType: 'Create', resourceBody: { id: 'x', pk: 'a' } },
        ...many(operation).slice(1),
      ]);
      expect(refused.status).toBe(207);
      expect(new Set(codes(refused))).toEqual(new Set(['413/3402', '424/']));
      expect(refused.text.length).toBeLessThan(answerBytesMax);
      const after = await feedOf(world, made, inRange('0'));
      expect(after.headers.get('etag')).toBe(headers.get('etag'));
    }
    const two = await batch(made, many({ operationType: 'Read', id: 'large' }).slice(0, 2));
    expect(codes(two)).toEqual(['200/', '200/']);
  });

  test('[wire 5] [wire 8] of a bulk those are refused with 413/3402 and not done for which there is no room', async () => {
    const made = await makeIn(world);
    await putIn(world, made, large);
    const reads = await bulk(made, many({ operationType: 'Read', id: 'large', partitionKey: '["a"]' }));
    expect(reads.status).toBe(207);
    expect(new Set(codes(reads))).toEqual(new Set(['200/', '413/3402']));
    expect(reads.text.length).toBeLessThan(6 * answerBytesMax);
    const resourceBody = { operations: [{ op: 'incr', path: '/n', value: 1 }] };
    const patches = await bulk(
      made,
      many({ operationType: 'Patch', id: 'large', partitionKey: '["a"]', resourceBody }),
    );
    const done = codes(patches).filter((code) => code === '200/').length;
    expect(done).toBeLessThan(100);
    const read = await world.fetch('GET', `${made.docs}/large`, { headers: pk('a') });
    expect(read.json.n).toBe(done);
  });
});

describe('the range of a bulk', () => {
  test('[wire 8] may stand behind the rid of its container, as .NET writes it', async () => {
    const made = await makeIn(world);
    const rid = world.database.container('db', made.id).info.rid;
    const create = { operationType: 'Create', resourceBody: { id: '1', pk: 'a' }, partitionKey: '["a"]' };
    const own = await bulk(made, [create], inRange(`${rid},0`));
    expect([own.status, codes(own)]).toEqual([200, ['201/']]);
    expect(own.headers.get('x-ms-session-token')).toBe('0:-1#1');
    const other = await bulk(made, [create], inRange('AAAAAAAAAAA=,0'));
    expect([other.status, other.headers.get('x-ms-substatus')]).toEqual([410, '1002']);
  });

  test('[wire 8] [wire 13] that lives may be another than that of its keys: the answer names one where something was done', async () => {
    const made = await makeIn(world, { throughput: 18_000 });
    const { container, keyIn } = inside(made);
    const [first, second, third] = container.ranges.map(({ id }) => id) as [string, string, string];
    const create = (range: string, id: string) => ({ ...upsert(keyIn(range), id), operationType: 'Create' });

    const own = await bulk(made, [create(first, '1'), create(first, '2')], inRange(first));
    const other = await bulk(made, [create(third, '1')], inRange(first));
    const both = await bulk(made, [create(second, '1'), create(third, '2')], inRange(third));
    const none = await bulk(made, [create(second, '2'), create(third, '3')], { ...inRange('') });
    const failed = await bulk(made, [{ ...create(second, '3'), operationType: 'None' }], inRange(third));

    expect([own, other, both, none].flatMap(codes)).toEqual(new Array(7).fill('201/'));
    expect([own, other, both, none].map(said)).toEqual([
      [first, `${first}:-1#2`],
      [third, `${third}:-1#1`],
      [third, `${third}:-1#2`],
      [second, `${second}:-1#2`],
    ]);
    expect([codes(failed), said(failed)]).toEqual([['400/'], [second, `${second}:-1#2`]]);
    for (const [range, tail] of [
      [first, 2],
      [second, 2],
      [third, 3],
    ] as const) {
      expect(container.ranges.find(({ id }) => id === range)).toMatchObject({ tailLsn: tail, documents: tail });
    }
  });

  test('[wire 8] [wire 10] that is gone changes nothing, and is 410/1002 until the ranges are read again', async () => {
    const made = await makeIn(world);
    const { container, keyIn } = inside(made);
    await container.split('0');
    const operations = container.ranges.map(({ id }) => upsert(keyIn(id), id));

    const refused = await bulk(made, operations);

    expect([refused.status, refused.headers.get('x-ms-substatus'), said(refused)]).toEqual([410, '1002', [null, null]]);
    expect(container.ranges.map(({ documents }) => documents)).toEqual([0, 0]);
    for (const [i, { id }] of container.ranges.entries()) {
      const done = await bulk(made, [operations[i] as object], inRange(id));
      expect([codes(done), said(done)[0]]).toEqual([['201/'], id]);
    }
  });

  test('[wire 8] [wire 13] may be split while it is done: the answer names a range that lives', async () => {
    const made = await makeIn(world);
    const { container } = inside(made);
    const operations = Array.from({ length: 100 }, (_, i) => upsert(`k${i}`, `${i}`));

    const answers = await Promise.all([bulk(made, operations), container.split('0')]).then(([answer]) => answer);

    if (answers.status === 410) expect(container.ranges.map(({ documents }) => documents)).toEqual([0, 0]);
    else
      expect([answers.status, container.ranges.map(({ id }) => id)]).toEqual([
        200,
        expect.arrayContaining([said(answers)[0]]),
      ]);
  });
});
