import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compactJson, indentedJson } from './json-layout.ts';

test('JSON is laid out as JSON.stringify does, without being parsed', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const value: unknown = JSON.parse(text);
      const whole = JSON.stringify(value);

      expect(compactJson(JSON.stringify(value, null, 3))).toBe(whole);
      expect(indentedJson(whole)).toBe(JSON.stringify(value, null, 2));
      expect(indentedJson(indentedJson(whole))).toBe(indentedJson(whole));
    }),
  );
});

test('numbers and names stay as they are written', () => {
  const text = '{ "n": 12345678901234567890, "n": 1.0e5, "t": "a \\" b,  c" }';

  expect(compactJson(text)).toBe('{"n":12345678901234567890,"n":1.0e5,"t":"a \\" b,  c"}');
});

test('a string of megabytes is no trouble', () => {
  const text = JSON.stringify({ long: `${'\\"x'.repeat(1_000_000)}` });

  expect(compactJson(`${text} `)).toBe(text);
});
