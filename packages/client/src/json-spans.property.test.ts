import fc from 'fast-check';
import { expect, test } from 'vitest';
import { elementsOfMember, onOneLine, withoutMembers } from './json-spans.ts';

test('the elements of a member are those that parsing gives, whatever the spacing', () => {
  const page = fc.record({ before: fc.jsonValue(), items: fc.array(fc.jsonValue()), after: fc.jsonValue() });
  fc.assert(
    fc.property(page, fc.constantFrom(undefined, 1, '\t', ' \n '), ({ before, items, after }, space) => {
      const text = JSON.stringify({ Documents2: before, x: 'Documents', Documents: items, last: after }, null, space);

      const elements = elementsOfMember(Buffer.from(text), 'Documents');

      expect(elements.map((element) => JSON.parse(element.toString()))).toEqual(JSON.parse(JSON.stringify(items)));
      for (const element of elements) expect(onOneLine(element).toString()).not.toMatch(/[\r\n]/);
    }),
  );
});

test('literals stay as they are written', () => {
  const body = Buffer.from('{"_rid":"x","Documents":[ {"n":12345678901234567890.10} ,{"n":1e2}],"_count":2}');

  expect(elementsOfMember(body, 'Documents').map(String)).toEqual(['{"n":12345678901234567890.10}', '{"n":1e2}']);
});

test('a page that ends in the middle is an error, one without the member is empty', () => {
  expect(() => elementsOfMember(Buffer.from('{"Documents":[{"a":1},'), 'Documents')).toThrow(/in the middle/);
  expect(elementsOfMember(Buffer.from('{"Other":[1]}'), 'Documents')).toEqual([]);
});

test('what is left without some members is the rest, as it was written', () => {
  const body = Buffer.from('{"_ts":1, "a":1.50,"\\u005fetag":"x","b":{"_ts":[2]} , "_rid":"y"}');

  expect(String(withoutMembers(body, (name) => name.startsWith('_')))).toBe('{"a":1.50,"b":{"_ts":[2]}}');
  expect(String(withoutMembers(Buffer.from('{"_ts":1}'), () => true))).toBe('{}');
  expect(String(withoutMembers(Buffer.from(' {} '), () => true))).toBe(' {}');
});
