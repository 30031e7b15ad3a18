import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { BodyOperation } from './batch-body.ts';
import { readBatchBody } from './batch-body.ts';

function read(text: string): [type: string, resource: string | undefined][] {
  return readBatchBody(Buffer.from(text)).map(({ type, resource }) => [type, resource?.toString().trim()]);
}

function comparable({ resource, ...rest }: BodyOperation): object {
  return { ...rest, resource: resource?.toString().trim() };
}

describe('the body of a batch', () => {
  test('documents are taken as they stand in the bytes', () => {
    const document = '{"id":"a,]}\\"","n":1.0,"resourceBody":{"x":[1,{"y":"}]"}]}}';
    const text = ` [ {"operationType":"Create", "resourceBody" : ${document} }
      ,{"id":"[","operationType":"Read"},{"resourceBody":1,"operationType":"Upsert","resource\\u0042ody":{"z":1e2}}] `;

    expect(read(text)).toEqual([
      ['Create', document],
      ['Read', undefined],
      ['Upsert', '{"z":1e2}'],
    ]);
  });

  test('the quick and the thorough way read the same', () => {
    const long = 'x'.repeat(99);
    const usual = [
      { operationType: 'Upsert', partitionKey: '["p\\"é"]', resourceBody: { id: '1', t: 'a"}\\b', _x: [{}] } },
      { operationType: 'Replace', id: '日本', ifMatch: '"1"', resourceBody: { id: '日本', long } },
      { operationType: 'Delete', id: 'b', ifNoneMatch: null, other: [1, { a: ']' }] },
    ].map((operation) => JSON.stringify(operation));
    // An exponent is nothing for the quick way, so the whole body goes the other.
    const unusual = '{"operationType":"Read","id":"e","n":1e2}';
    const both = readBatchBody(Buffer.from(`[${[...usual, unusual].join(' ,\n')}]`));

    expect(readBatchBody(Buffer.from(` [${usual.join(',')}]\n`)).map(comparable)).toEqual(
      both.slice(0, usual.length).map(comparable),
    );
    expect(both.map(({ id }) => id)).toEqual([undefined, '日本', 'b', 'e']);
    expect(both[0]?.partitionKey).toBe('["p\\"é"]');
    expect(both[1]?.ifMatch).toBe('"1"');
  });

  test('many operations with and without escapes are read as JSON.parse reads them', () => {
    const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('\\', '"', 'a\\', '\n', 'x'.repeat(70)));
    const operation = fc.record({
      operationType: fc.constantFrom('Upsert', 'Create'),
      id: text,
      resourceBody: fc.record({ id: text, inner: fc.array(text, { maxLength: 3 }) }),
    });
    fc.assert(
      fc.property(fc.array(operation, { minLength: 1, maxLength: 20 }), (operations) => {
        const found = readBatchBody(Buffer.from(JSON.stringify(operations)));
        const read = found.map(({ type, id, resource }) => ({
          operationType: type,
          id,
          resourceBody: JSON.parse(String(resource)),
        }));
        expect(read).toEqual(operations);
      }),
    );
  });

  test('a document that is no JSON spoils the request, whichever way it is read', () => {
    for (const document of ['{"id":"1",}', '{"id":"1"', '{"id":"\u0001"}', '{"id":01}']) {
      expect(() => read(`[{"operationType":"Create","resourceBody":${document}}]`)).toThrow('not valid JSON');
    }
    expect(() => read('[{"operationType":"Read","id":"1"}] x')).toThrow('not valid JSON');
    expect(() => read('[{"operationType":"Read","id":"1"},]')).toThrow('not valid JSON');
  });

  test.each([
    ['{}', 'array of operations'],
    ['[', 'not valid JSON'],
    ['[]', 'at least one'],
    ['[1]', 'Operation 0'],
    ['[{"operationType":"Read","id":"1"}, "x"]', 'Operation 1'],
    ['[{"operationType":"Read","id":1}]', 'must be a string'],
    ['[{"id":"1"}]', 'no operationType'],
    [`[${new Array(101).fill('{"operationType":"Read","id":"1"}').join()}]`, 'at most 100'],
    [`["${'x'.repeat(2 * 1024 * 1024)}"]`, 'at most 2097152'],
  ])('%.40s is refused', (text, message) => {
    expect(() => read(text)).toThrow(message);
  });
});
