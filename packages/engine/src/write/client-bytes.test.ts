import { isDatabaseError } from '@tidemark/model';
import { expect, test } from 'vitest';
import { ClientReader, readClientDocument } from './client-bytes.ts';

const options = { partitionKeyPaths: [['pk']] };

function read(input: Uint8Array | string | object) {
  return readClientDocument(input, options);
}

function open(input: Uint8Array | string | object): string {
  return read(input).openBytes.toString();
}

function codeOf(input: Uint8Array | string | object): string {
  try {
    read(input);
  } catch (error) {
    if (isDatabaseError(error)) return error.code;
    throw error;
  }
  return 'accepted';
}

/** A document whose JSON has exactly this many bytes. */
function ofSize(sizeBytes: number, tail = ''): string {
  const frame = '{"id":"1","s":""}';
  return `{"id":"1","s":"${'x'.repeat(sizeBytes - frame.length)}"${tail}}`;
}

/** Levels in all, the document itself included. */
function ofDepth(levels: number): string {
  return `{"id":"1","a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
}

test('[engine 4] the quick reader sees a control character or an escape wherever it stands in a string', () => {
  const quick = new ClientReader(options);
  const attempt = (reader: () => { openBytes: Buffer; value: unknown }): unknown => {
    try {
      const { openBytes, value } = reader();
      return { open: openBytes.toString('latin1'), value };
    } catch (error) {
      return isDatabaseError(error) ? error.code : error;
    }
  };
  let refused = 0;
  for (const sizeBytes of [60, 300, 8 * 1024 - 1, 8 * 1024, 8 * 1024 + 1]) {
    const first = '{"id":"1","s":"'.length;
    for (const at of [first, first + 31, first + 32, first + 33, sizeBytes >> 1, sizeBytes - 3]) {
      for (const byte of [...Array(0x21).keys(), 0x5c, 0x7f, 0xc3]) {
        const bytes = Buffer.from(ofSize(sizeBytes));
        bytes[at] = byte;

        const verdict = attempt(() => quick.read(bytes));

        expect(verdict, `byte ${byte} at ${at} of ${sizeBytes}`).toEqual(attempt(() => read(bytes)));
        if (byte < 0x20) expect(verdict).toBe('invalid-document');
        if (verdict === 'invalid-document') refused += 1;
      }
    }
  }
  expect(refused).toBeGreaterThan(5 * 6 * 0x20);
});

test('[engine 4] bytes that need no cut are not copied', () => {
  const bytes = Buffer.from('{"id":"1","n":1.0}');

  const document = read(bytes);

  expect(document.openBytes.buffer).toBe(bytes.buffer);
  expect(document.openBytes.byteOffset).toBe(bytes.byteOffset);
  expect(document.openBytes.toString()).toBe('{"id":"1","n":1.0');
  expect(document).toMatchObject({ id: '1', ttl: undefined, value: { id: '1', n: 1 } });
});

test('[engine 4] system members at the end, as a read gives them, are cut without a copy', () => {
  const bytes = Buffer.from(
    '{"id":"1","n":1e2,"_rid":"r","_self":"s","_etag":"e","_attachments":"a","_ts":1,"_lsn":2}',
  );

  const document = read(bytes);

  expect(document.openBytes.buffer).toBe(bytes.buffer);
  expect(document.openBytes.toString()).toBe('{"id":"1","n":1e2');
  expect(document.value).toEqual({ id: '1', n: 100 });
});

test.each([
  ['outer white space', ' \r\n\t{"id":"1"} \n', '{"id":"1"'],
  ['inner white space stays', '{ "id" : "1" , "a" : [ 1 ] }', '{ "id" : "1" , "a" : [ 1 ] '],
  [
    'number literals and order',
    '{"z":1.50,"id":"1","a":12345678901234567890}',
    '{"z":1.50,"id":"1","a":12345678901234567890',
  ],
  ['a system member first', '{"_ts":5,"id":"1","a":2}', '{"id":"1","a":2'],
  ['a system member between', '{"id":"1", "_etag":"x", "a":2}', '{"id":"1", "a":2'],
  ['several runs', '{"_ts":1,"id":"1","_rid":{"}":"]"},"b":[",",{}],"_lsn":0}', '{"id":"1","b":[",",{}]'],
  ['an escaped system name', '{"id":"1","\\u005frid":1}', '{"id":"1"'],
  [
    'names that only look like it',
    '{"id":"1","_ridx":1,"_":2,"\\u005fts2":3}',
    '{"id":"1","_ridx":1,"_":2,"\\u005fts2":3',
  ],
  ['system names deeper down', '{"id":"1","a":{"_rid":1,"_rid":2}}', '{"id":"1","a":{"_rid":1,"_rid":2}'],
  ['the last of equal names', '{"id":"0","a":1,"id":"1","a":2}', '{"id":"1","a":2'],
  ['equal names decoded', '{"id":"0","\\u0069d":"1"}', '{"\\u0069d":"1"'],
  ['the name __proto__', '{"id":"1","__proto__":{"ttl":0}}', '{"id":"1","__proto__":{"ttl":0}'],
  ['duplicates of __proto__', '{"id":"1","__proto__":1,"__proto__":2}', '{"id":"1","__proto__":2'],
  ['quotes and braces in strings', '{"id":"1","s":"\\"}{][,\\\\","_ts":1}', '{"id":"1","s":"\\"}{][,\\\\"'],
  ['beyond ASCII', '{"id":"é","_ts":1,"ü":"日本 😀"}', '{"id":"é","ü":"日本 😀"'],
])('[engine 4] client bytes: %s', (_title, input, expected) => {
  expect(open(input)).toBe(expected);
  expect(open(Buffer.from(input))).toBe(expected);
});

test('[engine 4] a byte-order mark is stripped', () => {
  expect(open(Buffer.from('\ufeff {"id":"1"}'))).toBe('{"id":"1"');
});

test('[engine 4] a Uint8Array inside a larger buffer is read at its place', () => {
  const whole = new Uint8Array(Buffer.from('xx{"id":"1"}yy'));

  expect(open(whole.subarray(2, 12))).toBe('{"id":"1"');
});

test('[engine 4] an object is taken as the JSON it writes, detached from the caller', () => {
  const object = { id: '1', at: new Date(0), gone: undefined, deep: { n: 1 }, _ts: 7 };

  const document = read(object);
  object.deep.n = 2;

  expect(document.openBytes.toString()).toBe('{"id":"1","at":"1970-01-01T00:00:00.000Z","deep":{"n":1}');
  expect(document.value).toEqual({ id: '1', at: '1970-01-01T00:00:00.000Z', deep: { n: 1 } });
});

test('[engine 4] the value is the parsed document without system members, own properties only', () => {
  const { value } = read('{"_rid":1,"id":"0","__proto__":{"pk":"no"},"id":"1"}');

  expect(Object.keys(value)).toEqual(['id', '__proto__']);
  expect(value.id).toBe('1');
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
});

const cycle: Record<string, unknown> = { id: '1' };
cycle.self = cycle;

test.each<[string, string, Uint8Array | string | object]>([
  ['nothing', 'invalid-document', ''],
  ['only white space', 'invalid-document', '  '],
  ['an array', 'invalid-document', '[{"id":"1"}]'],
  ['a number', 'invalid-document', '17'],
  ['an array as object', 'invalid-document', []],
  ['text after the end', 'invalid-document', '{"id":"1"}}'],
  ['two objects', 'invalid-document', '{"id":"1"}{"id":"1"}'],
  ['a trailing comma', 'invalid-document', '{"id":"1",}'],
  ['an unfinished string', 'invalid-document', '{"id":"1","a":"x'],
  ['an unfinished escape', 'invalid-document', '{"id":"1","a":"x\\'],
  ['an unfinished object', 'invalid-document', '{"id":"1"'],
  ['rubbish in a system member', 'invalid-document', '{"id":"1","_ts":rubbish}'],
  ['bytes that are not UTF-8', 'invalid-document', Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d])],
  ['a surrogate encoded as bytes', 'invalid-document', Buffer.from('7b226964223a22eda080227d', 'hex')],
  ['a string with a lone surrogate', 'invalid-document', '{"id":"1","a":"\ud800"}'],
  ['a cycle', 'invalid-document', cycle],
  ['a BigInt', 'invalid-document', { id: '1', n: 1n }],
  ['an overflow by exponent', 'invalid-document', '{"id":"1","a":[{"b":1e400}]}'],
  ['a negative overflow', 'invalid-document', '{"id":"1","a":-2E+309}'],
  ['an overflow by digits', 'invalid-document', `{"id":"1","a":${'9'.repeat(310)}}`],
  ['an overflow in a system member', 'invalid-document', '{"id":"1","_ts":1e999}'],
  ['no id', 'invalid-id', '{"a":1}'],
  ['an id only by prototype', 'invalid-id', '{"__proto__":{"id":"1"}}'],
  ['an id that is a number', 'invalid-id', '{"id":1}'],
  ['an id that is null', 'invalid-id', '{"id":null}'],
  ['an empty id', 'invalid-id', '{"id":""}'],
  ['an id with a slash', 'invalid-id', '{"id":"a/b"}'],
  ['an id with a lone surrogate', 'invalid-id', '{"id":"a\\ud800"}'],
  ['a partition key with a lone surrogate', 'invalid-partition-key', '{"id":"1","pk":"\\udc00x"}'],
  ['a ttl of 0', 'invalid-ttl', '{"id":"1","ttl":0}'],
  ['a ttl of null', 'invalid-ttl', '{"id":"1","ttl":null}'],
  ['a ttl of -10', 'invalid-ttl', '{"id":"1","ttl":-10}'],
  ['a ttl of 1.5', 'invalid-ttl', '{"id":"1","ttl":1.5}'],
  ['a ttl of text', 'invalid-ttl', '{"id":"1","ttl":"5"}'],
  ['a ttl beyond 31 bits', 'invalid-ttl', '{"id":"1","ttl":2147483648}'],
  ['129 levels', 'document-too-deep', ofDepth(129)],
  ['a million brackets, none closed', 'document-too-deep', `{"a":${'['.repeat(1_000_000)}`],
  ['one byte too many', 'document-too-large', ofSize(2 * 1024 * 1024 + 1)],
  ['megabytes too many', 'document-too-large', ofSize(5 * 1024 * 1024)],
])('[wire 7] [engine 4] refuses %s with %s', (_title, code, input) => {
  expect(codeOf(input)).toBe(code);
});

test.each<[string, string]>([
  ['128 levels', ofDepth(128)],
  ['exactly the size limit', ofSize(2 * 1024 * 1024)],
  ['the size limit, and system members that go', ofSize(2 * 1024 * 1024, ',"_rid":"r","_ts":1')],
  ['the largest double', '{"id":"1","a":1.7976931348623157e308,"b":1e-400}'],
  ['308 digits', `{"id":"1","a":${'9'.repeat(308)}}`],
  ['a lone surrogate elsewhere, escaped', '{"id":"1","a":"\\ud800"}'],
  ['an overflow that is only text', '{"id":"1","a":"1e400"}'],
])('[wire 7] [engine 4] accepts %s', (_title, input) => {
  expect(codeOf(input)).toBe('accepted');
});

test.each([
  [-1, '{"id":"1","ttl":-1}'],
  [2_147_483_647, '{"id":"1","ttl":2147483647}'],
  [100, '{"id":"1","ttl":1e2}'],
])('[wire 6] reads an own ttl of %d', (ttl, input) => {
  expect(read(input).ttl).toBe(ttl);
});

test('[wire 4] a document without an id is told so', () => {
  expect(() => read('{"name":"x"}')).toThrow('has no id');
});
