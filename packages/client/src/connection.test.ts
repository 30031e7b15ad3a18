import { expect, test } from 'vitest';
import { parseConnectionString } from './connection.ts';

const key: string = Buffer.alloc(64, 1).toString('base64');

test('a connection string is read in any order and case, with the equals signs of the key', () => {
  const text = `accountkey=${key}; AccountEndpoint=https://localhost:8081/;`;

  expect(parseConnectionString(text)).toEqual({ endpoint: 'https://localhost:8081', key });
});

test.each([
  ['that a shell has cut', 'AccountEndpoint=https://localhost:8081/', /has no AccountKey: a shell cuts it .*'.*'$/],
  ['without an endpoint', `AccountKey=${key}`, /has no AccountEndpoint; .* AccountEndpoint=https/],
  ['that is none', 'http://localhost:8081', /is not of the form AccountEndpoint=/],
  ['in single quotes', `'AccountEndpoint=https://localhost:8081/;AccountKey=${key};'`, /has quotes around it/],
  ['in double quotes', `"AccountEndpoint=https://localhost:8081/;AccountKey=${key};"\n`, /has quotes around it/],
  ['with half a URL', `AccountEndpoint=localhost:8081;AccountKey=${key}`, /begins with .*'localhost:8081' does not/],
  ['with half a key', `AccountEndpoint=https://x/;AccountKey=${key.slice(0, 41)}`, /^The AccountKey .* is not base64/],
])('[SEC9] a connection string %s is refused with what is wrong, by its name, without the key', (_, text, said) => {
  const read = () => parseConnectionString(text, 'MY_ACCOUNT');

  expect(read).toThrow(said);
  expect(read).toThrow('MY_ACCOUNT');
  expect(read).not.toThrow(key.slice(0, 41));
});
