import { expect, test } from 'vitest';
import { ObjectScanner } from './object-scanner.ts';

// What it accepts by mistake is found by the property tests of client-bytes; here is what it must not leave to the slow way.

function found(text: string): (string | undefined)[] | undefined {
  const bytes = Buffer.from(text);
  const scanner = new ObjectScanner(['id', 'pk', 'none'], 4);
  if (!scanner.accepts(bytes, 0, bytes.length)) return undefined;
  return [0, 1, 2].map((name) => {
    const start = scanner.starts[name] as number;
    return start < 0 ? undefined : bytes.toString('utf8', start, scanner.ends[name]);
  });
}

test.each([
  ['nothing in it', '{}', [undefined, undefined, undefined]],
  ['the usual', '{"id":"1","pk":"a","n":-1.5,"b":[true,false,null,{}],"o":{"id":2}}', ['"1"', '"a"', undefined]],
  ['white space', '{ "id" : "1" ,\n\t"pk" : { "x" : [ ] } }', ['"1"', '{ "x" : [ ] }', undefined]],
  ['escapes in values', '{"id":"\\u00e9\\n","t":"a\\"}"}', ['"\\u00e9\\n"', undefined, undefined]],
  ['characters of several bytes', '{"id":"日本","é":1}', ['"日本"', undefined, undefined]],
  ['names that differ in one letter', '{"a":1,"b":2,"aa":3,"ab":4,"id":"1"}', ['"1"', undefined, undefined]],
])('[engine 4] accepts a document with %s and finds its members', (_title, text, members) => {
  expect(found(text)).toEqual(members);
});

test.each([
  ['a name with an underscore in front', '{"_rid":"x"}'],
  ['a name with an escape', '{"\\u0061":1}'],
  ['a name that stands twice', '{"a":1,"b":2,"a":3}'],
  ['an exponent', '{"a":1e2}'],
  ['a level too many', '{"a":[[[[1]]]]}'],
  ['a control character in a string', '{"a":"\u0001"}'],
  ['something behind it', '{"a":1}}'],
])('[engine 4] leaves a document with %s to the thorough reader', (_title, text) => {
  expect(found(text)).toBeUndefined();
});

test('[engine 4] finds a control character anywhere in a string, however the bytes lie in memory', () => {
  const scanner = new ObjectScanner(['id'], 4);
  const text = `{"id":"${'x~\u007f é'.repeat(16)}"}`;
  const length = Buffer.byteLength(text);
  const missed: string[] = [];
  for (let shift = 0; shift < 4; shift += 1) {
    const bytes = Buffer.alloc(length + shift).subarray(shift);
    bytes.write(text);
    expect(scanner.accepts(bytes, 0, length)).toBe(true);
    for (let at = 7; at < length - 2; at += 1) {
      const before = bytes[at] as number;
      bytes[at] = at % 0x20;
      if (scanner.accepts(bytes, 0, length)) missed.push(`${shift}:${at}`);
      bytes[at] = before;
    }
  }

  expect(missed).toEqual([]);
});
