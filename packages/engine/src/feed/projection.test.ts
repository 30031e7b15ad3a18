import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import { pathTreeOf } from '../path-tree.ts';
import { projected } from './projection.ts';

const document =
  '{"id":"1","n":1.0e2, "nested" : { "a":{"b":1,"c":[{"d":2}]},"e":null },"ü":"\\u00fc","version":3,"list":[1]}';

test.each([
  ['nothing', [], '{}'],
  ['a member, as it is written', ['/n'], '{"n":1.0e2}'],
  ['members in the order of the document', ['/version', '/id'], '{"id":"1","version":3}'],
  ['an object', ['/nested'], '{ "nested" : { "a":{"b":1,"c":[{"d":2}]},"e":null }}'],
  ['a part of an object', ['/nested/a/b', '/nested/e'], '{ "nested" : { "a":{"b":1},"e":null }}'],
  [
    'of a path and one below it the whole',
    ['/nested/a/b', '/nested', '/nested/e'],
    '{ "nested" : { "a":{"b":1,"c":[{"d":2}]},"e":null }}',
  ],
  ['what is not there', ['/missing', '/nested/missing', '/id/below', '/list/0'], '{ "nested" : {}}'],
  ['a name with other letters', ['/ü', '/"version"'], '{"ü":"\\u00fc","version":3}'],
])('[wire 11.7] a projection has %s', (_, paths, expected) => {
  const tree = pathTreeOf(paths);
  const shown = projected(Buffer.from(document), tree ?? new Map()).toString('utf8');
  expect(JSON.parse(shown)).toEqual(JSON.parse(expected));
  expect(shown.replaceAll(' ', '')).toBe(expected.replaceAll(' ', ''));
});

test.each([[['nested']], [['/']], [['/a/']], [['']], [[1]], [[null]], [['/a', '/*']], ['/a'], [{}], [7]])(
  '%j is no list of paths',
  (paths) => {
    expect(pathTreeOf(paths)).toBeNull();
  },
);
