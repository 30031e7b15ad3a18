import { describe, expect, test } from 'vitest';
import { readBatchBody } from './batch-body.ts';

function read(text: string): [type: string, resource: string | undefined][] {
  return readBatchBody(Buffer.from(text)).map(({ type, resource }) => [type, resource?.toString().trim()]);
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
