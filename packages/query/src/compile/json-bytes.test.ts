// Which member has a name, however it is written in the bytes.

import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import { ByteSpan, findMember, nameBytes } from './json-bytes.ts';

test.each([
  ['as it is written', '{"a":1}', 'a', '1'],
  ['the last of several', '{"a":1, "b":2, "a":3}', 'a', '3'],
  ['none that is longer', '{"ab":1}', 'a', undefined],
  ['none that is shorter', '{"a":1}', 'ab', undefined],
  ['the empty one', '{"a":1,"":2}', '', '2'],
  ['none for the empty one', '{"a":1}', '', undefined],
  ['written with escapes', '{"\\u0061\\u0062":1}', 'ab', '1'],
  ['with an escape behind its beginning', '{"a\\u0062":1}', 'ab', '1'],
  ['with a backslash in it', '{"a\\\\":1}', 'a\\', '1'],
  ['none whose escape looks like it', '{"\\n":1}', '\\n', undefined],
  ['the line feed, written as an escape', '{"\\n":1}', '\n', '1'],
  ['more than ASCII', '{"größe":1}', 'größe', '1'],
  ['half of a pair', '{"\\ud834":1}', '\ud834', '1'],
  ['none for half of a pair', '{"\ufffd":1}', '\ud834', undefined],
  ['no half of a pair', '{"\\ud834":1}', '\ufffd', undefined],
  ['no name inside a value', '{"b":{"a":1},"c":["a"],"d":"a"}', 'a', undefined],
])('a member is found by its name: %s', (_, text, name, expected) => {
  const bytes = Buffer.from(text);
  const found = new ByteSpan();

  const isFound = findMember(bytes, 0, nameBytes(name), found);

  expect(isFound ? bytes.toString('utf8', found.from, found.to) : undefined).toBe(expected);
});
