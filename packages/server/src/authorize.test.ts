import { header, parseResourcePath } from '@tidemark/model';
import { expect, test } from 'vitest';
import type { SignedRequest } from './authorize.ts';
import { authorize } from './authorize.ts';
import { Keys, wellKnownKey } from './keys.ts';

// The example of the public documentation of the REST API.
const documented = {
  verb: 'GET',
  path: '/dbs/ToDoList',
  date: 'Thu, 27 Apr 2017 00:51:12 GMT',
  key: 'dsZQi3KtZmCv1ljt3VNWNm7sQUF1y5rJfC6kv5JiwvW0EndXdDku/dkKBp8/ufDToSxLzR4y+O/0H/t4bQtVNw==',
  authorization: 'type%3dmaster%26ver%3d1.0%26sig%3dc09PEVJrgp2uQRkr934kFbTqhByc7TVr3OHyqlu%2bc%2bc%3d',
} as const;

function head(authorization: string, dates: Readonly<Record<string, string>>): SignedRequest {
  const path = parseResourcePath(documented.path);
  if (path === undefined) throw new Error('the path is one');
  return { verb: documented.verb, path, headers: { authorization, ...dates } };
}

const now = Date.parse(documented.date);
const dates = { [header.date]: documented.date };

const authority = (key: string, nowMs = now): Parameters<typeof authorize>[1] => ({
  keys: new Keys({ primary: key }),
  tokens: {
    grantOf: () => ({
      kind: 'token',
      rights: 'read',
      container: 7,
      child: undefined,
      partitionKey: undefined,
      signature: '',
    }),
  },
  nowMs: () => nowMs,
});

test('[wire 3] accepts the documented example, encoded or not', () => {
  const grant = { kind: 'key', rights: 'write' };
  expect(authorize(head(documented.authorization, dates), authority(documented.key))).toEqual(grant);
  const plain = decodeURIComponent(documented.authorization);
  expect(authorize(head(plain, dates), authority(documented.key))).toEqual(grant);
  const turned = plain.replace('type=master&ver=1.0', 'ver=1.0&type=Master');
  expect(authorize(head(turned, dates), authority(documented.key))).toEqual(grant);
});

test('[wire 3] [SEC5] refuses another key, another date line, and what is no signature', () => {
  const refused = expect.objectContaining({ code: 'unauthorized' });
  expect(() => authorize(head(documented.authorization, dates), authority(wellKnownKey))).toThrow(refused);
  const httpDate = { [header.httpDate]: documented.date };
  expect(() => authorize(head(documented.authorization, httpDate), authority(documented.key))).toThrow(refused);
  for (const text of ['%', 'type=master', 'type=master&ver=1.0&sig=', 'type=master&ver=1.0&sig=é', 'Bearer x', '&&=']) {
    expect(() => authorize(head(text, dates), authority(documented.key)), text).toThrow(refused);
  }
});

test('[wire 3] leaves tokens to those who issued them, without a date', () => {
  const grant = authorize(head('type=resource&ver=1.0&sig=x;y;', {}), authority(documented.key));
  expect(grant).toMatchObject({ kind: 'token', container: 7 });
});

test('[wire 3] names the kinds of authorization that are not supported', () => {
  for (const [type, name] of [
    ['aad', 'Entra'],
    ['sas', 'shared access'],
    ['other', "'other'"],
  ] as const) {
    const refused = expect.objectContaining({ code: 'unauthorized', message: expect.stringContaining(name) });
    expect(() => authorize(head(`type=${type}&ver=1.0&sig=x`, dates), authority(documented.key))).toThrow(refused);
  }
});

test('[wire 3] [SEC5] refuses what is too old or too early by the server’s clock', () => {
  const minutes = 60_000;
  for (const shift of [-16 * minutes, 16 * minutes]) {
    const refused = expect.objectContaining({ code: 'forbidden' });
    expect(() => authorize(head(documented.authorization, dates), authority(documented.key, now + shift))).toThrow(
      refused,
    );
  }
  for (const shift of [-14 * minutes, 14 * minutes]) {
    expect(() =>
      authorize(head(documented.authorization, dates), authority(documented.key, now + shift)),
    ).not.toThrow();
  }
});
