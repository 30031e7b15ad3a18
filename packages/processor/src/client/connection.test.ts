import { expect, test } from 'vitest';
import { parseConnectionString } from './connection.ts';

test('a connection string is read in any order and case, with the equals signs of the key', () => {
  const text = 'accountkey=abc==; AccountEndpoint=https://localhost:8081/;';
  expect(parseConnectionString(text)).toEqual({ endpoint: 'https://localhost:8081', key: 'abc==' });
});

test('a connection string without a key is refused with its form', () => {
  expect(() => parseConnectionString('AccountEndpoint=https://localhost:8081/;')).toThrow(/AccountKey=…/);
});
