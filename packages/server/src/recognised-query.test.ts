import { expect, test } from 'vitest';
import { recogniseQuery } from './recognised-query.ts';

const of = (query: string, parameters?: object[]): unknown =>
  recogniseQuery({ query, ...(parameters && { parameters }) });

test.each([
  'SELECT * FROM c',
  'SELECT * from c',
  'select  *\n\tfrom root',
  'SELECT * FROM root r',
  'SELECT * FROM root AS r',
])('[wire 12] %j asks for everything', (query) => {
  expect(of(query)).toEqual({ kind: 'all' });
});

test('[wire 12] a query for ids that begin with something is recognised with a literal or a parameter', () => {
  expect(of("SELECT * FROM c WHERE STARTSWITH(c.id, 'host.a')")).toEqual({ kind: 'id-prefix', prefix: 'host.a' });
  expect(of('select * from c where startswith( c.id , "a\\"b\'\\u0041" )')).toEqual({
    kind: 'id-prefix',
    prefix: 'a"b\'A',
  });
  expect(of("SELECT * FROM c WHERE STARTSWITH(c.id, 'it\\'s')")).toEqual({ kind: 'id-prefix', prefix: "it's" });
  const parameters = [{ name: '@p', value: 'x.' }];
  expect(of('SELECT * FROM root r WHERE STARTSWITH(r.id, @p)', parameters)).toEqual({
    kind: 'id-prefix',
    prefix: 'x.',
  });
});

test('[wire 6] the offer of a resource is recognised', () => {
  const query = 'SELECT * from root where root.resource = "dbs/AAAAAA==/colls/AAAAAIAAAAA=/"';
  expect(of(query)).toEqual({ kind: 'resource', resource: 'dbs/AAAAAA==/colls/AAAAAIAAAAA=/' });
});

test.each([
  'SELECT',
  'SELECT * FROM',
  'SELECT * FROM WHERE',
  'SELECT c.id FROM c',
  'SELECT VALUE c FROM c',
  'SELECT TOP 1 * FROM c',
  'SELECT * FROM c ORDER BY c.x',
  'SELECT * FROM c WHERE c.id = "a"',
  "SELECT * FROM c WHERE STARTSWITH(c.name, 'a')",
  "SELECT * FROM c WHERE STARTSWITH(d.id, 'a')",
  "SELECT * FROM c WHERE STARTSWITH(c.id, 'a', true)",
  "SELECT * FROM c WHERE STARTSWITH(c.id, 'a') AND true",
  "SELECT * FROM c WHERE NOT STARTSWITH(c.id, 'a')",
  'SELECT * FROM c WHERE STARTSWITH(c.id, @missing)',
  "SELECT * FROM c WHERE STARTSWITH(c.ID, 'a')",
  'SELECT * FROM c JOIN t IN c.tags',
  'SELECT * FROM c; DROP TABLE c',
  "SELECT * FROM c WHERE STARTSWITH(c.id, 'open",
])('%j is refused by a message that says what is missing', (query) => {
  expect(() => of(query)).toThrow(/SQL queries are not supported yet/);
});

test.each(['SELECT * FROM c;', 'SELECT * FROM c ; \n', "SELECT * FROM c WHERE STARTSWITH(c.id, 'a');"])(
  '%j is refused by a message that names the semicolon',
  (query) => {
    expect(() => of(query)).toThrow(/^A query has no semicolon at its end\. SQL queries are not supported yet/);
  },
);

test('the message says what to call instead, with an SDK and without one', () => {
  expect(() => of('SELECT VALUE COUNT(1) FROM c')).toThrow(
    /^SQL queries.*read\(\).*GET of its path.*readAll\(\).*docs/,
  );
});

test.each([undefined, null, 'SELECT * FROM c', {}, { query: 1 }, { query: 'SELECT * FROM c', parameters: {} }, []])(
  'the body %j is no query',
  (body) => {
    expect(() => recogniseQuery(body)).toThrow(/A query has the form/);
  },
);

test('a parameter without a name is refused', () => {
  expect(() => of('SELECT * FROM c', [{ value: 1 }])).toThrow(/"name"/);
});
