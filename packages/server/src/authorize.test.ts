import { header, parseResourcePath } from '@tidemark/model';
import { expect, test } from 'vitest';
import { authorize, wellKnownKey } from './authorize.ts';
import type { RequestHead } from './request.ts';

// The example of the public documentation of the REST API.
const documented = {
  verb: 'GET',
  path: '/dbs/ToDoList',
  date: 'Thu, 27 Apr 2017 00:51:12 GMT',
  key: 'dsZQi3KtZmCv1ljt3VNWNm7sQUF1y5rJfC6kv5JiwvW0EndXdDku/dkKBp8/ufDToSxLzR4y+O/0H/t4bQtVNw==',
  authorization: 'type%3dmaster%26ver%3d1.0%26sig%3dc09PEVJrgp2uQRkr934kFbTqhByc7TVr3OHyqlu%2bc%2bc%3d',
} as const;

function head(authorization: string, dates: Readonly<Record<string, string>>): RequestHead {
  const path = parseResourcePath(documented.path);
  if (path === undefined) throw new Error('the path is one');
  return { verb: documented.verb, path, headers: { authorization, ...dates }, apiVersion: undefined };
}

const key: Buffer = Buffer.from(documented.key, 'base64');
const now = Date.parse(documented.date);

test('accepts the documented example, encoded or not', () => {
  const dates = { [header.date]: documented.date };
  expect(() => authorize(head(documented.authorization, dates), key, now)).not.toThrow();
  expect(() => authorize(head(decodeURIComponent(documented.authorization), dates), key, now)).not.toThrow();
});

test('refuses another key, another date line, and what is no signature', () => {
  const dates = { [header.date]: documented.date };
  const other = Buffer.from(wellKnownKey, 'base64');
  const refused = { code: 'unauthorized' };
  expect(() => authorize(head(documented.authorization, dates), other, now)).toThrow(expect.objectContaining(refused));
  const httpDate = { [header.httpDate]: documented.date };
  expect(() => authorize(head(documented.authorization, httpDate), key, now)).toThrow(expect.objectContaining(refused));
  for (const text of ['%', 'type=master', 'type=master&ver=1.0&sig=', 'type=resource&ver=1.0&sig=x', 'Bearer x']) {
    expect(() => authorize(head(text, dates), key, now), text).toThrow(expect.objectContaining(refused));
  }
});

test('refuses what is too old or too early by the server’s clock', () => {
  const dates = { [header.date]: documented.date };
  const minutes = 60_000;
  for (const shift of [-16 * minutes, 16 * minutes]) {
    const refused = expect.objectContaining({ code: 'forbidden' });
    expect(() => authorize(head(documented.authorization, dates), key, now + shift)).toThrow(refused);
  }
});
