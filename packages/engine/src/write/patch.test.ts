import { isDatabaseError } from '@tidemark/model';
import { expect, test } from 'vitest';
import type { PatchOperation } from './command.ts';
import { applyPatch } from './patch.ts';

const system = ',"_rid":"r==","_self":"dbs/x/","_etag":"\\"e\\"","_attachments":"attachments/","_ts":5,"_lsn":9';

/** The client's members after the patch, without the document's id and partition key. */
function patch(members: string, ...operations: PatchOperation[]): string {
  const stored = Buffer.from(`{"id":"1","pk":"p","k":{"deep":"q"}${members === '' ? '' : `,${members}`}${system}}`);
  const document = applyPatch(stored, operations, [['pk'], ['k', 'deep']]);
  return document.openBytes.toString().replace(/^\{"id":"1","pk":"p","k":\{"deep":"q"\},?/, '');
}

function codeOf(members: string, ...operations: PatchOperation[]): string {
  try {
    patch(members, ...operations);
  } catch (error) {
    if (isDatabaseError(error)) return error.code;
    throw error;
  }
  return 'applied';
}

test.each<[string, string, PatchOperation, string]>([
  ['add: a new property', '', { op: 'add', path: '/a', value: 1 }, '"a":1'],
  ['add: an existing one is replaced', '"a":1', { op: 'add', path: '/a', value: 2 }, '"a":2'],
  ['add: inside an object', '"a":{"b":1}', { op: 'add', path: '/a/c', value: null }, '"a":{"b":1,"c":null}'],
  ['add: inserts into an array', '"a":[1,2]', { op: 'add', path: '/a/1', value: 9 }, '"a":[1,9,2]'],
  ['add: an index at the end', '"a":[1,2]', { op: 'add', path: '/a/2', value: 9 }, '"a":[1,2,9]'],
  ['add: -', '"a":[1,2]', { op: 'add', path: '/a/-', value: [3] }, '"a":[1,2,[3]]'],
  ['add: a property called -', '"a":{}', { op: 'add', path: '/a/-', value: 1 }, '"a":{"-":1}'],
  ['add: a property called 0', '"a":{}', { op: 'add', path: '/a/0', value: 1 }, '"a":{"0":1}'],
  ['add: escaped names', '', { op: 'add', path: '/a~1b~0c~01', value: 1 }, '"a/b~c~1":1'],
  ['add: the empty name', '', { op: 'add', path: '/', value: 1 }, '"":1'],
  ['add: the name __proto__', '', { op: 'add', path: '/__proto__', value: { x: 1 } }, '"__proto__":{"x":1}'],
  ['set: a new property', '', { op: 'set', path: '/a', value: 1 }, '"a":1'],
  ['set: an existing one', '"a":1', { op: 'set', path: '/a', value: 'x' }, '"a":"x"'],
  ['set: replaces in an array', '"a":[1,2]', { op: 'set', path: '/a/1', value: 9 }, '"a":[1,9]'],
  ['set: an index at the end', '"a":[1,2]', { op: 'set', path: '/a/2', value: 9 }, '"a":[1,2,9]'],
  ['set: -', '"a":[1]', { op: 'set', path: '/a/-', value: 9 }, '"a":[1,9]'],
  ['replace: a property', '"a":1', { op: 'replace', path: '/a', value: 2 }, '"a":2'],
  ['replace: an element', '"a":[1,2]', { op: 'replace', path: '/a/0', value: 9 }, '"a":[9,2]'],
  ['replace: what is null', '"a":null', { op: 'replace', path: '/a', value: 0 }, '"a":0'],
  ['remove: a property', '"a":1,"b":2', { op: 'remove', path: '/a' }, '"b":2'],
  ['remove: an element', '"a":[1,2,3]', { op: 'remove', path: '/a/1' }, '"a":[1,3]'],
  ['remove: deep down', '"a":[{"b":{"c":1}}]', { op: 'remove', path: '/a/0/b/c' }, '"a":[{"b":{}}]'],
  ['remove: the name __proto__', '"__proto__":1,"a":1', { op: 'remove', path: '/__proto__' }, '"a":1'],
  ['incr: a number', '"a":1.5', { op: 'incr', path: '/a', value: 2 }, '"a":3.5'],
  ['incr: downwards', '"a":1', { op: 'incr', path: '/a', value: -2 }, '"a":-1'],
  ['incr: an element', '"a":[1]', { op: 'incr', path: '/a/0', value: 2 }, '"a":[3]'],
  ['incr: creates', '', { op: 'incr', path: '/a', value: 5 }, '"a":5'],
  ['move: to a new name', '"a":1.0,"b":2', { op: 'move', from: '/a', path: '/c' }, '"b":2,"c":1'],
  ['move: onto another', '"a":1,"b":2', { op: 'move', from: '/a', path: '/b' }, '"b":1'],
  ['move: into an object', '"a":1,"b":{}', { op: 'move', from: '/a', path: '/b/c' }, '"b":{"c":1}'],
  ['move: out of it', '"a":{"b":{"c":1}}', { op: 'move', from: '/a/b', path: '/a' }, '"a":{"c":1}'],
  ['move: within an array', '"a":[1,2,3]', { op: 'move', from: '/a/0', path: '/a/2' }, '"a":[2,3,1]'],
  ['move: onto itself', '"a":1', { op: 'move', from: '/a', path: '/a' }, '"a":1'],
])('[wire 7] patch %s', (_title, before, operation, after) => {
  expect(patch(before, operation)).toBe(after);
});

test.each<[string, string, PatchOperation]>([
  ['add to a missing parent', '', { op: 'add', path: '/a/b', value: 1 }],
  ['add - to a missing array', '', { op: 'add', path: '/a/-', value: 1 }],
  ['add below a number', '"a":1', { op: 'add', path: '/a/b', value: 1 }],
  ['add below null', '"a":null', { op: 'add', path: '/a/b', value: 1 }],
  ['add beyond the end', '"a":[1]', { op: 'add', path: '/a/2', value: 1 }],
  ['add at no index', '"a":[1]', { op: 'add', path: '/a/x', value: 1 }],
  ['add at 01', '"a":[1,2]', { op: 'add', path: '/a/01', value: 1 }],
  ['add at -1', '"a":[1,2]', { op: 'add', path: '/a/-1', value: 1 }],
  ['add through an inherited name', '', { op: 'add', path: '/constructor/x', value: 1 }],
  ['add through __proto__', '', { op: 'add', path: '/__proto__/x', value: 1 }],
  ['set beyond the end', '"a":[1]', { op: 'set', path: '/a/5', value: 1 }],
  ['set below a missing parent', '', { op: 'set', path: '/a/b', value: 1 }],
  ['replace of nothing', '', { op: 'replace', path: '/a', value: 1 }],
  ['replace of -', '"a":[1]', { op: 'replace', path: '/a/-', value: 1 }],
  ['replace beyond the end', '"a":[1]', { op: 'replace', path: '/a/1', value: 1 }],
  ['remove of nothing', '', { op: 'remove', path: '/a' }],
  ['remove beyond the end', '"a":[1]', { op: 'remove', path: '/a/1' }],
  ['incr of text', '"a":"1"', { op: 'incr', path: '/a', value: 1 }],
  ['incr of null', '"a":null', { op: 'incr', path: '/a', value: 1 }],
  ['incr by text', '"a":1', { op: 'incr', path: '/a', value: '1' }],
  ['incr beyond a double', '"a":1.7e308', { op: 'incr', path: '/a', value: 1.7e308 }],
  ['move of nothing', '', { op: 'move', from: '/a', path: '/b' }],
  ['move into itself', '"a":{}', { op: 'move', from: '/a', path: '/a/b' }],
  ['move without from', '"a":{}', { op: 'move', path: '/b' }],
  ['move to a missing parent', '"a":1', { op: 'move', from: '/a', path: '/b/c' }],
  ['no slash', '', { op: 'add', path: 'a', value: 1 }],
  ['the whole document', '', { op: 'set', path: '', value: {} }],
  ['a bad escape', '', { op: 'add', path: '/a~2', value: 1 }],
  ['no value', '', { op: 'add', path: '/a' }],
  ['an infinite value', '', { op: 'add', path: '/a', value: [Number.POSITIVE_INFINITY] }],
  ['the id', '', { op: 'set', path: '/id', value: '2' }],
  ['below the id', '', { op: 'set', path: '/id/x', value: '2' }],
  ['the partition key', '', { op: 'set', path: '/pk', value: 'p' }],
  ['a deep partition key', '', { op: 'remove', path: '/k/deep' }],
  ['above a partition key', '', { op: 'remove', path: '/k' }],
  ['below a partition key', '', { op: 'add', path: '/pk/x', value: 1 }],
  ['a move of the partition key', '', { op: 'move', from: '/pk', path: '/a' }],
  ['a move onto the partition key', '"a":1', { op: 'move', from: '/a', path: '/k/deep' }],
  ['_ts', '', { op: 'set', path: '/_ts', value: 1 }],
  ['_etag', '', { op: 'remove', path: '/_etag' }],
  ['_lsn', '', { op: 'incr', path: '/_lsn', value: 1 }],
])('[wire 7] patch refuses %s', (_title, before, operation) => {
  expect(codeOf(before, operation)).toBe('invalid-patch');
});

test('[wire 7] what no operation touches keeps its bytes and its place, and system members go', () => {
  const members = '"n" : 1.50, "big":12345678901234567890,"a":{"x": 1.0},"\\u0062":1,"last":[ 1 ]';

  expect(
    patch(
      members,
      { op: 'set', path: '/new', value: 1 },
      { op: 'set', path: '/a/y', value: 2 },
      { op: 'set', path: '/b', value: 3 },
    ),
  ).toBe('"n" : 1.50, "big":12345678901234567890,"a":{"x":1,"y":2},"b":3,"last":[ 1 ],"new":1');
});

test('[wire 7] operations see what earlier ones did', () => {
  expect(
    patch(
      '"old":1',
      { op: 'add', path: '/o', value: {} },
      { op: 'add', path: '/o/l', value: [] },
      { op: 'add', path: '/o/l/-', value: 1 },
      { op: 'incr', path: '/o/l/0', value: 1 },
      { op: 'move', from: '/old', path: '/o/was' },
      { op: 'add', path: '/temporary', value: 1 },
      { op: 'remove', path: '/temporary' },
    ),
  ).toBe('"o":{"l":[2],"was":1}');
});

test('[wire 7] the same object given twice stays two objects', () => {
  const value = { n: 1 };

  const after = patch(
    '',
    { op: 'add', path: '/a', value },
    { op: 'add', path: '/b', value },
    { op: 'incr', path: '/a/n', value: 1 },
  );

  expect(after).toBe('"a":{"n":2},"b":{"n":1}');
  expect(value).toEqual({ n: 1 });
});

test('[wire 7] a patch has one to ten operations', () => {
  const operations = (count: number) =>
    Array.from({ length: count }, (): PatchOperation => ({ op: 'incr', path: '/a', value: 1 }));

  expect(codeOf('')).toBe('invalid-patch');
  expect(patch('', ...operations(10))).toBe('"a":10');
  expect(codeOf('', ...operations(11))).toBe('invalid-patch');
});

test('[wire 6] [wire 7] a ttl can be patched and is checked afterwards', () => {
  expect(patch('', { op: 'set', path: '/ttl', value: 60 })).toBe('"ttl":60');
  expect(codeOf('', { op: 'set', path: '/ttl', value: 0 })).toBe('invalid-ttl');
  expect(codeOf('"ttl":1', { op: 'incr', path: '/ttl', value: -1 })).toBe('invalid-ttl');
  expect(patch('"ttl":5', { op: 'remove', path: '/ttl' })).toBe('');
});

test('[wire 7] the limits of documents hold for the result', () => {
  const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)]);
  const half = 'x'.repeat(1024 * 1024);

  expect(codeOf('', { op: 'set', path: '/a', value: deep(127) })).toBe('applied');
  expect(codeOf('', { op: 'set', path: '/a', value: deep(128) })).toBe('document-too-deep');
  expect(codeOf('', { op: 'set', path: '/a', value: deep(5000) })).toBe('document-too-deep');
  expect(codeOf(`"a":"${half}"`, { op: 'set', path: '/b', value: half })).toBe('document-too-large');
});

test('[engine 4] a patched document has its own parsed value', () => {
  const document = applyPatch(Buffer.from('{"id":"1","ttl":4,"_ts":5}'), [{ op: 'add', path: '/a', value: 1 }], []);

  expect(document).toMatchObject({ id: '1', ttl: 4, value: { id: '1', ttl: 4, a: 1 } });
  expect(Object.keys(document.value)).toEqual(['id', 'ttl', 'a']);
});
