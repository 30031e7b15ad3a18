import { expect, test } from 'vitest';
import { parseQuery } from '../syntax/parser.ts';
import type { Expression } from '../syntax/tree.ts';
import { bindQuery } from './binder.ts';
import { noFacts } from './container-facts.ts';
import { GroupKeys } from './group-keys.ts';

test('[query 2.6] an expression is a key where it says the same, however it is written', () => {
  const keys = new GroupKeys(
    ['c.a', 'c.a + 1', 'c["b"]', '(c.a)', 'c.x[0]', '-0', '"1"', '{a: [1]}'].map(expressionOf),
  );
  const placeOf = (text: string): number | undefined => keys.placeOf(expressionOf(text));

  expect(placeOf('c [ "a" ]')).toBe(0);
  expect(placeOf('((c.a) + 1)')).toBe(1);
  expect(placeOf('c.b')).toBe(2);
  expect(placeOf('c.x[ 0 ]')).toBe(4);
  expect(placeOf('-0')).toBe(5);
  expect(placeOf("'1'")).toBe(6);
  expect(placeOf('{"a": [ 1 ]}')).toBe(7);
});

test('[query 2.6] it is none where it says something else', () => {
  const keys = new GroupKeys(
    ['c.a + 1', 'c.x[0]', '0', '"1"', '[1, 2]', 'f.g', 'EXISTS(SELECT VALUE 1)'].map(expressionOf),
  );
  const others = [
    'c.a + "1"',
    'c.a - 1',
    '1 + c.a',
    'c.x["0"]',
    '1',
    'true',
    '[1]',
    '[12]',
    '[2, 1]',
    '[[1], 2]',
    'f',
    '{g: f}',
  ];

  for (const text of others) expect(keys.placeOf(expressionOf(text)), text).toBeUndefined();
  expect(keys.placeOf(expressionOf('ARRAY(SELECT VALUE 1)'))).toBeUndefined();
  expect(new GroupKeys([]).placeOf(expressionOf('c.a'))).toBeUndefined();
});

test('[query 2.6] no key is compared with each column', () => {
  const names = Array.from({ length: 2_000 }, (_, at) => `c.a${at}`);
  const query = parseQuery(`SELECT ${names.map((name, at) => `${name} AS b${at}`)} FROM c GROUP BY ${names}`);
  let looks = 0;
  const groupBy = new Proxy(query.groupBy, {
    get: (keys, name, receiver) => {
      looks += 1;
      return Reflect.get(keys, name, receiver) as unknown;
    },
  });

  const { block } = bindQuery({ ...query, groupBy }, [], noFacts);

  const places = block.selection.kind === 'list' ? block.selection.items.map(({ expression }) => expression) : [];
  expect(places).toEqual(names.map((_, place) => ({ kind: 'group-key', place })));
  expect(looks).toBeLessThan(10 * names.length);
});

function expressionOf(text: string): Expression {
  const { selection } = parseQuery(`SELECT VALUE ${text}`);
  if (selection.kind !== 'value') throw new Error('it is a value');
  return selection.expression;
}
