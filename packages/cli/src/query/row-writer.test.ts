import { expect, test } from 'vitest';
import type { RowForm, RowWriter } from './row-writer.ts';
import { rowWriter } from './row-writer.ts';

function writerInto(form: RowForm, width = 80): { writer: RowWriter; text: () => string } {
  let text = '';
  const print = async (piece: string | Uint8Array): Promise<void> => {
    text += Buffer.from(piece as Uint8Array).toString();
  };
  return { writer: rowWriter(form, { print, width: () => width }), text: () => text };
}

const bytes = (...rows: string[]): Buffer[] => rows.map((row) => Buffer.from(row));

test('lines of JSON are the bytes that came, each on one line', async () => {
  const { writer, text } = writerInto('json');

  await writer.write(bytes('{"n":12345678901234567890,\r\n "a":[1 ]}', '"x"', 'null'));

  expect(text()).toBe('{"n":12345678901234567890,   "a":[1 ]}\n"x"\nnull\n');
  expect(writer.leftOut()).toBe('');
});

test('columns are the members of all rows of a page; numbers stand at the right, strings without quotes, the rest as JSON', async () => {
  const { writer, text } = writerInto('table');

  await writer.write(
    bytes('{"id":"a","n":7}', '{"id":"bcd","n":12345678901234567890,"tags":["x", {"y":1}]}', '{"n":null}'),
  );

  expect(text()).toBe(
    [
      'id                      n  tags',
      '---  --------------------  -------------',
      'a                       7',
      'bcd  12345678901234567890  ["x",{"y":1}]',
      '                     null',
      '',
    ].join('\n'),
  );
});

test('a later page goes on in the same columns, and has a new head where it does not fit', async () => {
  const { writer, text } = writerInto('table');

  await writer.write(bytes('{"id":"abc"}'));
  await writer.write(bytes('{"id":"x"}', '{}'));
  await writer.write(bytes('{"id":"longer","new":true}'));

  expect(text()).toBe('id\n---\nabc\nx\n\n\nid      new\n------  ----\nlonger  true\n');
});

test('values that are no objects are a column of their own', async () => {
  const { writer, text } = writerInto('table');

  await writer.write(bytes('"Brest"', '[1,2]'));

  expect(text()).toBe('value\n-----\nBrest\n[1,2]\n');
});

test('of whole documents the system properties are left out, and that is said', async () => {
  const { writer, text } = writerInto('table');

  await writer.write(
    bytes('{"id":"1","_rid":"r","_self":"s","_etag":"e","_attachments":"a","_ts":1}', '{"id":"2","_ts":3}'),
  );

  expect(text()).toBe('id  _ts\n--  ---\n1\n2     3\n');
  expect(writer.leftOut()).toBe(' System properties are left out.');
});

test('what is too wide is cut, texts before numbers; columns without room are counted', async () => {
  const narrow = writerInto('table', 20);
  await narrow.writer.write(bytes('{"text":"a text that is long","n":1234567.125}'));
  const many = writerInto('table', 20);
  await many.writer.write(
    bytes(JSON.stringify(Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`name${n}`, 'value'])))),
  );

  expect(narrow.text()).toBe('text               n\n-------  -----------\na text…  1234567.125\n');
  expect(many.text()).toContain('name0  name1  name2\n');
  expect(many.writer.leftOut()).toBe(' 6 columns have no room here; JSON has all.');
});

test('nothing in a row can steer the terminal', async () => {
  const { writer, text } = writerInto('table');

  await writer.write(bytes('{"a\\u001b[2J":"x\\u001b]0;owned\\u0007\\n"}'));

  expect(text()).not.toContain('\u001b');
  expect(text()).not.toContain('\u0007');
  expect(text()).toContain('x\\u001b]0;owned\\u0007\\u000a');
});
