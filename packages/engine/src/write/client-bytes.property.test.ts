import { isAscii } from 'node:buffer';
import type { PartitionKeyValues } from '@tidemark/model';
import { documentDepthMax } from '@tidemark/model';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sizeOf } from '../../../testing/src/sizes.ts';
import { ClientReader, readClientDocument } from './client-bytes.ts';
import { ObjectScanner } from './object-scanner.ts';
import { VectorScan } from './vector-scan.ts';

// Text is generated member by member, so that the oracle knows the bytes of each one; the reader must find them again.

interface MemberText {
  readonly name: string;
  readonly text: string;
}

const system = ['_rid', '_self', '_etag', '_ts', '_attachments', '_lsn'];
const space = fc.constantFrom('', '', '', ' ', '\n', '\t\r\n ');

/** The name as a JSON string, some of its characters escaped for no reason. */
const escapedName = (name: string) =>
  fc.array(fc.boolean(), { minLength: name.length, maxLength: name.length }).map((flags) => {
    const units = [...Array(name.length).keys()].map((i) =>
      flags[i] ? `\\u${name.charCodeAt(i).toString(16).padStart(4, '0')}` : JSON.stringify(name.charAt(i)).slice(1, -1),
    );
    return `"${units.join('')}"`;
  });

const nameText = (name: string) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(JSON.stringify(name)) }, escapedName(name));

const numberText = fc.oneof(
  fc.integer().map(String),
  fc.constantFrom('1.0', '-0', '1e2', '1E+3', '0.1e-7', '12345678901234567890', '1.7976931348623157e308', '1e-400'),
);

const valueText: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(
      numberText,
      fc.constantFrom('true', 'false', 'null', '"}"', '"{\\"a\\":["', '","', '"\\\\"', '"\\\\\\""', '"1e999"'),
      fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify(text)),
    ),
    fc
      .array(fc.tuple(space, tie('value'), space), { maxLength: 4 })
      .map((items) => `[${items.map((item) => item.join('')).join(',')}]`),
    fc
      .array(fc.tuple(space, fc.constantFrom('"a"', '"_rid"', '"id"', '"}"'), space, tie('value')), { maxLength: 4 })
      .map((items) => `{${items.map(([a, name, b, value]) => `${a}${name}${b}:${value}`).join(',')}}`),
  ),
})).value;

const name = fc.oneof(
  fc.constantFrom(...system),
  fc.constantFrom('a', 'b', '__proto__', '_x', '', '10', '2', 'é', '日本', '{', '"'),
  fc.string({ unit: 'grapheme', maxLength: 6 }).filter((text) => text !== 'id' && text !== 'ttl'),
);

const member: fc.Arbitrary<MemberText> = name.chain((decoded) =>
  fc
    .tuple(space, nameText(decoded), space, space, valueText, space)
    .map(([a, written, b, c, value, d]) => ({ name: decoded, text: `${a}${written}${b}:${c}${value}${d}` })),
);

const idMember: fc.Arbitrary<MemberText> = fc
  .tuple(space, nameText('id'), fc.constantFrom('"1"', '"x y"', '"é"'), space)
  .map(([a, written, value, b]) => ({ name: 'id', text: `${a}${written}:${value}${b}` }));

const members = fc
  .tuple(
    fc.array(member, { maxLength: 8 }),
    fc.array(idMember, { minLength: 1, maxLength: 2 }),
    fc.infiniteStream(fc.nat()),
  )
  .map(([others, ids, places]) => {
    const all = [...others];
    for (const id of ids) all.splice(Number(places.next().value) % (all.length + 1), 0, id);
    return all;
  });

test('[engine 4] whatever a client sends, its own members survive byte for byte and nothing else does', () => {
  fc.assert(
    fc.property(members, space, space, fc.boolean(), (sent, before, after, hasMark) => {
      const text = `${hasMark ? '\ufeff' : ''}${before}{${sent.map((each) => each.text).join(',')}}${after}`;
      const kept = sent.filter(
        (each, i) => !system.includes(each.name) && !sent.slice(i + 1).some((other) => other.name === each.name),
      );

      const document = readClientDocument(Buffer.from(text), { partitionKeyPaths: [['a', 'b']] });

      expect(document.openBytes.toString()).toBe(`{${kept.map((each) => each.text).join(',')}`);
      const parsed = JSON.parse(text.replace(/^\ufeff/, '')) as Record<string, unknown>;
      for (const each of system) delete parsed[each];
      expect(document.value).toEqual(parsed);
      expect(Object.keys(document.value)).toEqual(Object.keys(parsed));
      expect(JSON.parse(`${document.openBytes.toString()}}`)).toEqual(parsed);
      expect(document.id).toBe(parsed.id);
    }),
    { numRuns: 2000 },
  );
});

test('[engine 4] arbitrary bytes are either a document or a DatabaseError', () => {
  const fragment = fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ':', '1', 'e', '"id"', '"1"', '{"id":"1"', ' ');
  fc.assert(
    fc.property(fc.array(fragment, { maxLength: 12 }), (fragments) => {
      const text = fragments.join('');
      let isJson = true;
      try {
        JSON.parse(text);
      } catch {
        isJson = false;
      }

      const attempt = () => readClientDocument(Buffer.from(text), { partitionKeyPaths: [] });

      if (isJson && text.trim().startsWith('{"id":"1"')) expect(attempt().id).toBe('1');
      else if (!isJson) expect(attempt).toThrow(expect.objectContaining({ name: 'DatabaseError' }));
    }),
    { numRuns: 3000 },
  );
});

// The quick reader must say what the thorough one says, whatever comes: the same document or the same error.

const paths = [['a', 'b'], ['id'], ['pk']];
const reader = new ClientReader({ partitionKeyPaths: paths });

function verdict(read: () => ReturnType<typeof readClientDocument>): unknown {
  try {
    const { id, openBytes, bytes, openLength, value, ttl, partitionKey } = read();
    expect(bytes.subarray(0, openLength).equals(openBytes)).toBe(true);
    return { id, openBytes: openBytes.toString('latin1'), value: JSON.stringify(value), ttl, partitionKey };
  } catch (error) {
    const { name, code, message } = error as { name: string; code: unknown; message: string };
    return { name, code, message };
  }
}

function expectAgreement(bytes: Buffer): void {
  const thorough = verdict(() => readClientDocument(bytes, { partitionKeyPaths: paths }));
  expect(verdict(() => reader.read(bytes))).toEqual(thorough);
  expectSameKeys(bytes);
  expectSameScan(bytes);
}

const wanted = ['id', 'ttl', 'pk', 'a'];
const plain = new ObjectScanner(wanted, documentDepthMax);
const vector = VectorScan.of(
  wanted.map((name) => Buffer.from(name)),
  documentDepthMax,
);

/** With vector instructions the same is found, and the same is left to the thorough reader. */
function expectSameScan(bytes: Buffer): void {
  if (vector === undefined) throw new Error('There are no vector instructions here.');
  if (!vector.takes(bytes)) return;
  const starts = new Int32Array(wanted.length);
  const ends = new Int32Array(wanted.length);
  const from = bytes.indexOf(openBrace);
  const to = bytes.lastIndexOf(closeBrace) + 1;
  if (from < 0 || to <= from) return;
  const isAccepted = plain.endOf(bytes, from, to) === to;
  expect(vector.accepts(bytes, from, to, starts, ends)).toBe(isAccepted);
  if (!isAccepted) return;
  expect([...starts]).toEqual([...plain.starts]);
  expect([...starts.keys()].map((i) => (starts[i] === -1 ? -1 : ends[i]))).toEqual(
    [...plain.starts.keys()].map((i) => (plain.starts[i] === -1 ? -1 : plain.ends[i])),
  );
  const inside = bytes.subarray(from, to);
  expect(vector.hasEscapes).toBe(inside.includes(backslash));
  expect(vector.isAscii).toBe(isAscii(inside));
}

const openBrace = 0x7b;
const closeBrace = 0x7d;
const backslash = 0x5c;

/** Whatever key is expected, the one that is there is found; one that is expected and there is not made again. */
function expectSameKeys(bytes: Buffer): void {
  for (const keyPaths of [[['pk']], [['id'], ['pk']], paths]) {
    const ofPaths = new ClientReader({ partitionKeyPaths: keyPaths });
    const plain = verdict(() => ofPaths.read(bytes));
    if (plain === null || typeof plain !== 'object' || !('partitionKey' in plain)) continue;
    const there = plain.partitionKey as PartitionKeyValues;
    for (const known of [there, there.map(() => 'other'), there.map(String), there.slice(1), [...there, 'more']]) {
      expect(verdict(() => ofPaths.read(bytes, known))).toEqual(plain);
    }
  }
}

const ownMember: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('id', 'ttl', 'pk', 'a', 'b', 'é', '_x', 'x'),
    space,
    fc.oneof(
      valueText,
      fc.constantFrom(
        '-1',
        '60',
        '0',
        '"x"',
        '"\\ud800"',
        '"\\u00e9"',
        '{"b":1}',
        '{"b":[]}',
        '01',
        '1.',
        '.5',
        '-',
        '1e9',
      ),
      fc.constantFrom(
        '"\\x"',
        '"\\u12g4"',
        '"a\tb"',
        '"\u0001"',
        'tru',
        'nulll',
        '[1,]',
        '{"a":1,}',
        '{,}',
        '[[',
        '1e400',
      ),
    ),
    space,
  )
  .map(([name, before, value, after]) => `${before}"${name}"${after}:${before}${value}${after}`);

const documentText: fc.Arbitrary<string> = fc
  .tuple(space, fc.array(ownMember, { maxLength: 6 }), space)
  .map(([before, texts, after]) => `${before}{"id":"1"${texts.map((text) => `,${text}`).join('')}}${after}`);

const edit = fc.tuple(
  fc.nat(),
  fc.constantFrom(0, 1, 2),
  fc.oneof(
    fc.constantFrom(...Buffer.from('{}[]",:\\/ue0123456789+-.EtrfnlsaA_ \t\n\r\b\f\u0000\u001f\u007f')),
    fc.constantFrom(0x80, 0xbf, 0xc3, 0xed, 0xef, 0xf0, 0xff),
    fc.integer({ min: 0, max: 255 }),
  ),
);

function edited(bytes: Buffer, edits: readonly (readonly [number, number, number])[]): Buffer {
  let result = bytes;
  for (const [place, kind, byte] of edits) {
    const at = place % (result.length + 1);
    const rest = result.subarray(kind === 1 ? at : at + 1);
    result = Buffer.concat([result.subarray(0, at), kind === 2 ? Buffer.alloc(0) : Buffer.from([byte]), rest]);
  }
  return result;
}

test('[engine 4] the quick reader agrees with the thorough one on whatever looks like a document', () => {
  fc.assert(
    fc.property(documentText, (text) => expectAgreement(Buffer.from(text))),
    { numRuns: sizeOf('documentTexts') },
  );
});

test('[engine 4] the quick reader agrees with the thorough one on documents with wrong bytes', () => {
  const base = fc.oneof(
    documentText,
    fc.array(member, { maxLength: 5 }).map((sent) => `{"id":"1",${sent.map((each) => each.text).join(',')}}`),
  );
  fc.assert(
    fc.property(base, fc.array(edit, { minLength: 1, maxLength: 3 }), (text, edits) =>
      expectAgreement(edited(Buffer.from(text), edits)),
    ),
    { numRuns: 2 * sizeOf('documentTexts') },
  );
});

test('[engine 4] the quick reader agrees with the thorough one on depth, width and size', () => {
  const nested = (levels: number): string => `{"id":"1","a":${'[{"x":'.repeat(levels)}1${'}]'.repeat(levels)}}`;
  const wide = (names: number): string =>
    `{"id":"1"${Array.from({ length: names }, (_, i) => `,"n${i}":${i}`).join('')}}`;
  const long = (sizeBytes: number): string => `{"id":"1","x":"${'x'.repeat(sizeBytes)}"}`;
  const digits = (count: number): string => `{"id":"1","n":-${'9'.repeat(count)},"m":${'9'.repeat(count)}}`;
  for (const count of [1, 307, 308, 309, 310]) expectAgreement(Buffer.from(digits(count)));
  for (const levels of [1, 62, 63, 64, 65]) expectAgreement(Buffer.from(nested(levels)));
  for (const names of [10, 254, 255, 256, 2_000]) expectAgreement(Buffer.from(wide(names)));
  for (const extra of [-100, -18, -17, -16, 1, 70_000]) expectAgreement(Buffer.from(long(2 * 1024 * 1024 + extra)));
});
