import { expect, test } from 'vitest';
import { allRows } from './all-pages.ts';

const documents = [{ id: '1', a: [1, 2, 3] }];

test.each([
  ['SELECT TOP @n * FROM c', 'SC2060'],
  ['SELECT VALUE ARRAY(SELECT TOP @n VALUE x FROM x IN c.a) FROM c', 'SC2060'],
  ['SELECT VALUE c.id FROM c WHERE EXISTS(SELECT VALUE x FROM x IN c.a OFFSET 0 LIMIT @n)', 'SC2061'],
  ['SELECT VALUE x FROM c JOIN (SELECT VALUE y FROM y IN c.a OFFSET @n LIMIT 1) AS x', 'SC2062'],
])('[wire 12] a parameter that is no count is refused wherever it stands: %s', (query, code) => {
  for (const value of ['abc', -1, 0.5, null, undefined, 2 ** 32]) {
    const rows = () => allRows({ query, documents, parameters: [{ name: '@n', value }] });

    expect(rows).toThrow(expect.objectContaining({ problems: [expect.objectContaining({ code })] }));
  }
});
