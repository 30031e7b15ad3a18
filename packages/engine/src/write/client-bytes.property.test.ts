import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readClientDocument } from './client-bytes.ts';

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
