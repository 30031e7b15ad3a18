import { wellKnownKey } from '@tidemark/model';
import { expect, test } from 'vitest';
import type { Call } from './call.ts';
import { accountOf, containerNames } from './connect.ts';
import { UsageError } from './usage-error.ts';

const call = (options: Call['options'] = {}): Call => ({ arguments: [], options });
const key: string = Buffer.alloc(64, 1).toString('base64');

test('without a word it is the server of this machine with the well-known key', () => {
  expect(accountOf(call(), {})).toEqual({ endpoint: 'http://127.0.0.1:8081', credential: { key: wellKnownKey } });
});

test('[SEC19] the well-known key goes to this machine and to no other', () => {
  for (const endpoint of ['http://localhost:1', 'https://[::1]:1', 'http://127.0.0.2']) {
    expect(accountOf(call({ endpoint }), {}).credential).toEqual({ key: wellKnownKey });
  }
  for (const endpoint of ['https://a.documents.azure.com', 'http://127.0.0.1.example.com', 'http://10.0.0.1:8081']) {
    expect(() => accountOf(call({ endpoint }), {})).toThrow('TIDEMARK_KEY');
  }
});

test('a key, a resource token or a connection string comes from the environment', () => {
  const endpoint = 'https://a.documents.azure.com';
  expect(accountOf(call(), { TIDEMARK_ENDPOINT: endpoint, TIDEMARK_KEY: key })).toEqual({
    endpoint,
    credential: { key },
  });
  const resourceToken = 'type=resource&ver=1.0&sig=x';
  expect(accountOf(call({ endpoint }), { TIDEMARK_RESOURCE_TOKEN: resourceToken }).credential).toEqual({
    resourceToken,
  });
  const variables = { AZURE: `AccountEndpoint=${endpoint}:443/;AccountKey=${key};` };
  expect(accountOf(call({ connectionStringEnv: 'AZURE' }), variables)).toEqual({
    endpoint: `${endpoint}:443`,
    credential: { key },
  });
});

test('[M18] COSMOS_CONNECTION_STRING counts where nothing else is said, as in programs', () => {
  const text = `AccountEndpoint=https://a.example:443/;AccountKey=${key};`;
  const variables = { COSMOS_CONNECTION_STRING: text, TIDEMARK_ENDPOINT: '' };

  const account = accountOf(call(), variables);
  const flag = accountOf(call({ endpoint: 'http://127.0.0.1:1' }), variables);

  expect(account).toEqual({ endpoint: 'https://a.example:443', credential: { key } });
  expect(flag).toEqual({ endpoint: 'http://127.0.0.1:1', credential: { key: wellKnownKey } });
  expect(() => accountOf(call(), { ...variables, TIDEMARK_KEY: key })).toThrow('and TIDEMARK_KEY are both set');
  // A token allows less than the key, which must not be used in its place.
  expect(() => accountOf(call(), { ...variables, TIDEMARK_RESOURCE_TOKEN: 't' })).toThrow(
    'and TIDEMARK_RESOURCE_TOKEN are both set',
  );
});

test('[SEC9] what contradicts itself or is missing is told, without the secret', () => {
  expect(() => accountOf(call({ connectionStringEnv: 'NONE' }), {})).toThrow('NONE is not set');
  expect(() => accountOf(call({ connectionStringEnv: 'A', endpoint: 'http://x' }), {})).toThrow('not both');
  const broken = { A: `AccountKey=${key}` };
  expect(() => accountOf(call({ connectionStringEnv: 'A' }), broken)).toThrow('AccountEndpoint=');
  expect(() => accountOf(call({ connectionStringEnv: 'A' }), broken)).not.toThrow(key);
});

test('what a variable has wrong is told with its name, as a mistake of the command line', () => {
  const wrong = [
    () => accountOf(call({ connectionStringEnv: 'AZURE' }), { AZURE: 'AccountEndpoint=https://a.example:443/' }),
    () => accountOf(call(), { COSMOS_CONNECTION_STRING: 'AccountEndpoint=https://a.example:443/' }),
    () => accountOf(call(), { TIDEMARK_KEY: 'foo' }),
  ];

  for (const each of wrong) expect(each).toThrow(UsageError);
  expect(wrong[0]).toThrow(/^AZURE has no AccountKey: a shell cuts it/);
  expect(wrong[1]).toThrow(/^COSMOS_CONNECTION_STRING has no AccountKey: a shell cuts it/);
  expect(wrong[2]).toThrow(/^TIDEMARK_KEY is not base64/);
});

test('the address of a page or resource is refused with the endpoint to type; a proxy may have a path', () => {
  const inVariable = { A: `AccountEndpoint=http://localhost:8081/dbs;AccountKey=${key};` };

  const typed = () => accountOf(call({ endpoint: 'http://127.0.0.1:8081/_tidemark/health' }), {});
  const inString = () => accountOf(call({ connectionStringEnv: 'A' }), inVariable);

  expect(typed).toThrow('ends after its host and port: http://127.0.0.1:8081, without /_tidemark/health');
  expect(inString).toThrow('http://localhost:8081, without /dbs');
  for (const endpoint of [
    'http://127.0.0.1:8081/',
    'http://127.0.0.1:8081/cosmos/',
    'http://127.0.0.1:8081/dbserver',
  ]) {
    expect(accountOf(call({ endpoint }), {}).endpoint).toBe(endpoint);
  }
});

test.each(['db', '/c', 'db/', 'db/c/d', ''])('%j does not name a container', (text) => {
  expect(() => containerNames(text)).toThrow('DATABASE/CONTAINER');
});
