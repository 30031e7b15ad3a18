import { wellKnownKey } from '@tidemark/model';
import { expect, test } from 'vitest';
import { accountFromEnvironment } from './account.ts';

const key = 'abc==';
const endpoint = 'https://shop.documents.azure.com:443';

test.each([
  ['nothing', {}, { endpoint: 'http://127.0.0.1:8081', key: wellKnownKey }],
  [
    'an endpoint here',
    { TIDEMARK_ENDPOINT: 'http://localhost:1/' },
    { endpoint: 'http://localhost:1', key: wellKnownKey },
  ],
  ['an endpoint and a key', { TIDEMARK_ENDPOINT: endpoint, TIDEMARK_KEY: key }, { endpoint, key }],
  ['a key', { TIDEMARK_KEY: key }, { endpoint: 'http://127.0.0.1:8081', key }],
  [
    'a connection string',
    { COSMOS_CONNECTION_STRING: `AccountEndpoint=${endpoint}/;AccountKey=${key};`, TIDEMARK_KEY: '' },
    { endpoint, key },
  ],
])('an environment with %s says which account it is', (_, environment, account) => {
  expect(accountFromEnvironment(environment)).toEqual(account);
});

test('the well-known key goes nowhere but to this machine', () => {
  expect(() => accountFromEnvironment({ TIDEMARK_ENDPOINT: endpoint })).toThrow(/needs a key.*TIDEMARK_KEY/);
});

test('what says two things, or nothing that can be one, is refused', () => {
  const COSMOS_CONNECTION_STRING = `AccountEndpoint=${endpoint};AccountKey=${key}`;

  expect(() => accountFromEnvironment({ COSMOS_CONNECTION_STRING, TIDEMARK_KEY: key })).toThrow(
    /TIDEMARK_KEY are both set/,
  );
  expect(() => accountFromEnvironment({ TIDEMARK_ENDPOINT: 'localhost:8081' })).toThrow(/http:\/\//);
});
