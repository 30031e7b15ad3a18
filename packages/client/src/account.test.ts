import { wellKnownKey } from '@tidemark/model';
import { expect, test } from 'vitest';
import { accountFromEnvironment } from './account.ts';

const key: string = Buffer.alloc(64, 1).toString('base64');
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

test('a slip in the name of this machine is told before a key is asked for', () => {
  const slip = () => accountFromEnvironment({ TIDEMARK_ENDPOINT: 'http://loclahost:8081' });

  expect(slip).toThrow(/^Did you mean http:\/\/localhost:8081\? .* needs a key.*COSMOS_CONNECTION_STRING/);
});

test.each([
  [{ COSMOS_CONNECTION_STRING: `AccountEndpoint=${endpoint}/` }, /^COSMOS_CONNECTION_STRING has no AccountKey/],
  [{ TIDEMARK_KEY: 'foo' }, /^TIDEMARK_KEY is not base64/],
])('what a variable has wrong is told with its name: %j', (environment, said) => {
  expect(() => accountFromEnvironment(environment)).toThrow(said);
});

test('what says two things, or nothing that can be one, is refused', () => {
  const COSMOS_CONNECTION_STRING = `AccountEndpoint=${endpoint};AccountKey=${key}`;

  expect(() => accountFromEnvironment({ COSMOS_CONNECTION_STRING, TIDEMARK_KEY: key })).toThrow(
    /TIDEMARK_KEY are both set/,
  );
  expect(() => accountFromEnvironment({ TIDEMARK_ENDPOINT: 'localhost:8081' })).toThrow(/http:\/\//);
});
