import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import wabt from 'wabt';
import { checksumMemory, moduleMemory } from '../log/checksum.ts';
import { ClientReader, readClientDocument } from './client-bytes.ts';
import { moduleText } from './object-scan-module.ts';
import { ObjectScanner } from './object-scanner.ts';
import { VectorScan } from './vector-scan.ts';

// What it accepts and finds is held against the plain scanner by the property tests of client-bytes.

const names = [
  'id',
  'pk',
  'a name of more than sixteen bytes',
  'a name of more than thirty-two bytes, if one counts them',
];

function scanOf(wanted: readonly string[], depthMax = 128): VectorScan {
  const scan = VectorScan.of(
    wanted.map((name) => Buffer.from(name)),
    depthMax,
  );
  if (scan === undefined) throw new Error('There are no vector instructions here.');
  return scan;
}

/** The values that are found; undefined where the document is not accepted. */
function foundBy(scan: VectorScan, wanted: readonly string[], text: string): (string | undefined)[] | undefined {
  const bytes = Buffer.from(text);
  const starts = new Int32Array(wanted.length);
  const ends = new Int32Array(wanted.length);
  if (!scan.accepts(bytes, 0, bytes.length, starts, ends)) return undefined;
  return wanted.map((_, i) => (starts[i] === -1 ? undefined : bytes.toString('utf8', starts[i], ends[i])));
}

test('the module is what its text says [engine 4]', async () => {
  const text = readFileSync(new URL('object-scan.wat', import.meta.url), 'utf8');
  const { parseWat } = await wabt();
  const { buffer } = parseWat('object-scan.wat', text, { simd: true }).toBinary({});
  expect(Buffer.from(buffer).toString('base64')).toBe(moduleText);
});

test('names of any length are told apart from those that begin, end or are hashed like them [engine 4]', () => {
  const scan = scanOf(names);
  for (const name of names) {
    const others = [name.slice(1), name.slice(0, -1), `${name}x`, `x${name}`, name.toUpperCase(), ''];
    const members = [...others, name].map((each, i) => `${JSON.stringify(each)}:${i}`);
    expect(foundBy(scan, names, `{${members.join(',')}}`)).toEqual(
      names.map((each) => (each === name ? '6' : undefined)),
    );
    expect(foundBy(scan, names, `{${members.slice(0, -1).join(',')}}`)).toEqual(names.map(() => undefined));
  }
});

test('two that take turns do not find the names of each other [engine 4]', () => {
  const [one, other] = [scanOf(['a', 'b']), scanOf(['b', 'c', 'd'])];
  for (let turn = 0; turn < 3; turn += 1) {
    expect(foundBy(one, ['a', 'b'], '{"a":1,"b":2,"c":3}')).toEqual(['1', '2']);
    expect(foundBy(other, ['b', 'c', 'd'], '{"a":1,"b":2,"c":3}')).toEqual(['2', '3', undefined]);
  }
});

test('the 256th name is looked at like the first, and one more is left to others [engine 4]', () => {
  const scan = scanOf(['id', 'n0', 'n254']);
  const wide = (count: number): string =>
    `{"id":"1"${Array.from({ length: count - 1 }, (_, i) => `,"n${i}":${i}`).join('')}}`;
  expect(foundBy(scan, ['id', 'n0', 'n254'], wide(256))).toEqual(['"1"', '0', '254']);
  expect(foundBy(scan, ['id', 'n0', 'n254'], wide(257))).toBeUndefined();
  expect(foundBy(scan, ['id', 'n0', 'n254'], wide(256).replace('"n200"', '"n100"'))).toBeUndefined();
});

test.each(['{"id":"1"', '{"id":"1', '{"id":tru', '{"id":12', '{"id":"\\u00', '{"id"', '{'])(
  'does not look behind %s, at what somebody before has left there [engine 4]',
  (text) => {
    const scan = scanOf(['id']);
    checksumMemory.fill('1e00","x":true}}}');
    checksumMemory.fill('}', 0, 64);

    expect(foundBy(scan, ['id'], text)).toBeUndefined();
  },
);

test('takes documents up to the size of its memory, and looks at the last byte of them [engine 4]', () => {
  const scan = scanOf(['id']);
  const bytes = Buffer.from(`{"id":"${'x'.repeat(checksumMemory.length - 9)}"}`);
  const [starts, ends] = [new Int32Array(1), new Int32Array(1)];
  expect(scan.takes(bytes)).toBe(true);
  expect(scan.accepts(bytes, 0, bytes.length, starts, ends)).toBe(true);
  bytes[bytes.length - 1] = 0x5d;
  expect(scan.accepts(bytes, 0, bytes.length, starts, ends)).toBe(false);
  expect(scan.takes(Buffer.alloc(checksumMemory.length + 1))).toBe(false);
});

test('a document is read as the thorough reader reads it where wanted names have one hash [engine 4]', () => {
  const bytes = Buffer.from('{"id":"1","tenant":"t1"}');
  for (const partitionKeyPaths of [[['tenant'], ['21aaaaaanNOMN0ef']], [['10aaaaaartX5PHOh']]]) {
    const thorough = readClientDocument(bytes, { partitionKeyPaths });
    const quick = new ClientReader({ partitionKeyPaths }).read(bytes);
    expect([quick.id, quick.partitionKey]).toEqual([thorough.id, thorough.partitionKey]);
  }
});

test('when the looks are counted from the beginning again, names are still told apart [engine 4]', () => {
  const scan = scanOf(['id']);
  if (moduleMemory === undefined) throw new Error('There are no vector instructions here.');
  const looks = new Int32Array(moduleMemory.buffer, 33_024, 1);
  new Int32Array(moduleMemory.buffer, 36_864, 2_048).fill(0);
  looks[0] = -1;

  expect(foundBy(scan, ['id'], '{"id":1,"b":2,"":3}')).toEqual(['1']);
  expect(foundBy(scan, ['id'], '{"id":1,"b":2,"b":3}')).toBeUndefined();
});

test.each([
  ['no names', []],
  ['a name with a quote', ['a"b', 'n16']],
  ['a name with a backslash', ['a\\b', 'n16']],
  ['a name that is longer than its memory', ['p'.repeat(8_193), 'n16']],
  ['names with one hash', ['tenant', '21aaaaaanNOMN0ef', 'n16']],
  ['seventeen names', Array.from({ length: 17 }, (_, i) => `n${i}`)],
])('leaves %s to the plain scanner [engine 4]', (_title, wanted) => {
  expect(
    VectorScan.of(
      wanted.map((name) => Buffer.from(name)),
      128,
    ),
  ).toBeUndefined();
  const bytes = Buffer.from('{"n16":1}');
  const scanner = new ObjectScanner(wanted, 128);
  expect(scanner.accepts(bytes, 0, bytes.length)).toBe(true);
  expect(scanner.starts.at(-1)).toBe(wanted.length === 0 ? undefined : 7);
});
