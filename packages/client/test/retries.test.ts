// What is repeated and what is not, against a network that fails as written down. Time is virtual.

import { inspect } from 'node:util';
import type { Scripted } from '@tidemark/testing';
import { ScriptedNetwork } from '@tidemark/testing';
import { expect, test } from 'vitest';
import { RestClient } from '../src/rest-client.ts';
import { isRestError, RestError } from '../src/rest-error.ts';

const key: string = Buffer.alloc(32, 7).toString('base64');
const endpoint = 'https://example.test';

function clientOf(script: readonly Scripted[]): { client: RestClient; network: ScriptedNetwork } {
  const network = new ScriptedNetwork(script);
  const client = new RestClient({ endpoint, credential: { key }, timeoutMs: 5_000, environment: network.environment });
  return { client, network };
}

const ok: Scripted = { status: 200, body: '{"id":"x"}', headers: { etag: '"1"' } };
const created: Scripted = { status: 201, body: '{"id":"x"}', headers: { etag: '"1"' } };

test('[wire 5] a 429 is repeated after the pause that the server names, for every kind of request', async () => {
  const busy: Scripted = { status: 429, headers: { 'x-ms-retry-after-ms': '2500', 'x-ms-substatus': '3200' } };
  const { client, network } = clientOf([busy, busy, created]);
  const startMs = network.clock.nowMs();

  await network.run(client.container('db', 'c').createDocument(['a'], { id: '1' }));

  expect(network.asked).toHaveLength(3);
  expect(network.clock.nowMs() - startMs).toBeGreaterThanOrEqual(5_000);
});

test('a 429 that lasts ends at the deadline, with what the server said', async () => {
  const busy: Scripted = {
    status: 429,
    headers: { 'x-ms-retry-after-ms': '9000', 'x-ms-activity-id': 'abc', 'x-ms-substatus': '3200' },
    body: '{"code":"429","message":"Request rate is large."}',
  };
  const { client, network } = clientOf([busy, busy, busy, busy, busy]);

  const error: unknown = await network.run(client.account()).catch((reason: unknown) => reason);

  expect(network.asked).toHaveLength(4);
  expect(isRestError(error) && error).toMatchObject({
    code: 'too-many-requests',
    status: 429,
    substatus: 3200,
    activityId: 'abc',
    message: 'Request rate is large.',
    retryAfterMs: 9000,
  });
});

test.each<[string, Scripted]>([
  ['503', { status: 503 }],
  ['a connection that broke', { broken: 'ECONNRESET' }],
  ['no answer', 'never'],
])('%s: what may be done twice is repeated, a create is not', async (_, failure) => {
  const reading = clientOf([failure, ok]);
  await reading.network.run(reading.client.container('db', 'c').readDocument(['a'], '1'));
  expect(reading.network.asked).toHaveLength(2);

  const upserting = clientOf([failure, created]);
  await upserting.network.run(upserting.client.container('db', 'c').upsertDocument(['a'], { id: '1' }));
  expect(upserting.network.asked).toHaveLength(2);

  const creating = clientOf([failure, created]);
  const failed = creating.network.run(creating.client.container('db', 'c').createDocument(['a'], { id: '1' }));
  await expect(failed).rejects.toMatchObject({
    code: failure === 'never' || 'broken' in failure ? 'outcome-unknown' : 'unavailable',
  });
  expect(creating.network.asked).toHaveLength(1);

  const guarded = clientOf([failure, ok]);
  const replacing = guarded.client.container('db', 'c').replaceDocument(['a'], '1', { id: '1' }, { ifMatch: '"1"' });
  await expect(guarded.network.run(replacing)).rejects.toThrow();
  expect(guarded.network.asked).toHaveLength(1);
});

test('a connection that was refused carried nothing, so even a create is tried again', async () => {
  const { client, network } = clientOf([{ broken: 'ECONNREFUSED' }, { status: 449 }, created]);

  await network.run(client.container('db', 'c').createDocument(['a'], { id: '1' }));

  expect(network.asked).toHaveLength(3);
});

test('retryMsMax 0 is one try, and says what was not reached', async () => {
  const { client, network } = clientOf([{ broken: 'ECONNREFUSED' }]);

  const failed = network.run(client.account({ retryMsMax: 0 }));

  await expect(failed).rejects.toMatchObject({
    code: 'unavailable',
    message: `${endpoint} cannot be reached: ECONNREFUSED. Is a server running there?`,
  });
});

test('a certificate that is not trusted is not tried again, and the message says what to do', async () => {
  const { client, network } = clientOf([{ broken: 'SELF_SIGNED_CERT_IN_CHAIN' }]);

  await expect(network.run(client.account())).rejects.toThrow(/NODE_EXTRA_CA_CERTS/);
});

test('an abort ends a pause and a request under way, with its own reason', async () => {
  const reason = new Error('enough');
  for (const failure of [{ broken: 'ECONNRESET' }, 'never'] as const) {
    const { client, network } = clientOf([failure]);
    const stop = new AbortController();
    const call = client.account({ signal: stop.signal });
    call.catch(() => {});
    while (network.asked.length === 0) await network.clock.nextTurn();

    stop.abort(reason);

    await expect(call).rejects.toBe(reason);
    expect(network.clock.sleeperCount).toBe(0);
  }
});

test('[wire 5] the service tells by a sentence that a start lies before the retention', async () => {
  const message = 'You must read the change feed from within the retention period.';
  const { client, network } = clientOf([{ status: 400, body: JSON.stringify({ code: 'BadRequest', message }) }]);

  const refused = network.run(client.container('db', 'c').changes({ mode: 'all-versions', from: 'beginning' }));

  await expect(refused).rejects.toMatchObject({ code: 'retention-passed', status: 400 });
});

test('[wire 3] a resource token goes out as it is and without a date; a provider is asked for each request', async () => {
  const network = new ScriptedNetwork([ok, ok]);
  const token = 'type=resource&ver=1.0&sig=a+b/c==;d;';
  const { environment } = network;
  const first = new RestClient({ endpoint, credential: { resourceToken: token }, environment });
  const asked: string[] = [];
  const tokenProvider = async ({ verb, link }: { verb: string; link: string }): Promise<string> => {
    asked.push(`${verb} ${link}`);
    return 'type=aad&ver=1.0&sig=jwt';
  };
  const second = new RestClient({ endpoint, credential: { tokenProvider }, environment });

  await network.run(first.container('db', 'c').readDocument(['a'], '1'));
  await network.run(second.container('db', 'c').readDocument(['a'], '1'));

  expect(network.asked[0]?.headers.get('authorization')).toBe(encodeURIComponent(token));
  expect(network.asked[0]?.headers.has('x-ms-date')).toBe(false);
  expect(network.asked[1]?.headers.get('authorization')).toBe('type%3Daad%26ver%3D1.0%26sig%3Djwt');
  expect(network.asked[1]?.headers.has('x-ms-date')).toBe(true);
  expect(asked).toEqual(['GET dbs/db/colls/c/docs/1']);
});

const page = '<html>no such page</html>';

test.each<[string, Scripted, string]>([
  ['a page', { status: 404, body: page, isForeign: true }, 'bad-request'],
  ['nothing', { status: 404, body: '', isForeign: true }, 'bad-request'],
  [
    'JSON of its own',
    { status: 404, body: '{"message":"Cannot GET /","statusCode":404}', isForeign: true },
    'bad-request',
  ],
  ['that it does not know how', { status: 501, body: page, isForeign: true }, 'not-supported'],
  ['that the one behind it is away', { status: 502, body: page, isForeign: true }, 'internal'],
  ['another address', { status: 302, body: '', isForeign: true }, 'bad-request'],
  ['that all is well', { status: 200, body: page, isForeign: true }, 'bad-request'],
])('another program or a proxy that answers %s is told as such, with the endpoint', async (_, answer, code) => {
  const { client, network } = clientOf([answer, answer]);
  const { status } = answer as { status: number };
  const message = `The answer (${status}) of ${endpoint} is none of Cosmos DB: something else answers there, another program or a proxy.`;

  await expect(network.run(client.account())).rejects.toMatchObject({ code, message });
  // Not that the document is missing: of that it knows nothing.
  if (status !== 200) {
    await expect(network.run(client.container('db', 'c').readDocument(['a'], '1'))).rejects.toThrow(message);
  }
});

test('an answer of the protocol without a sentence is shown with its beginning', async () => {
  const { client, network } = clientOf([{ status: 500, body: 'oh' }]);

  await expect(network.run(client.account())).rejects.toThrow('The server answered 500: oh');
});

test.each([
  ['ECONNREFUSED', 'http://127.0.0.1:9', 'ECONNREFUSED. Is a server running there? npm start in the clone starts one.'],
  ['ECONNREFUSED', endpoint, 'ECONNREFUSED. Is a server running there?'],
  ['ENOTFOUND', endpoint, 'ENOTFOUND. There is no machine of this name: look at how it is written.'],
  ['UND_ERR_SOCKET', endpoint, 'the connection was closed before the answer was there.'],
  ['HPE_INVALID_CONSTANT', endpoint, 'what answers there does not speak HTTP.'],
  ['EHOSTUNREACH', endpoint, 'EHOSTUNREACH.'],
])('a connection that ends with %s is told in words, with what to do: %s', async (broken, there, said) => {
  const network = new ScriptedNetwork([{ broken }]);
  const client = new RestClient({ endpoint: there, credential: { key }, environment: network.environment });

  const failed = network.run(client.account({ retryMsMax: 0 }));

  await expect(failed).rejects.toMatchObject({ message: `${there} cannot be reached: ${said}` });
});

test('an error says each of its facts once, also when it is made of another one', () => {
  const first = new RestError('not-found', 'It is not there.', { status: 404, activityId: 'abc' });

  const text = inspect(new RestError(first.code, 'It is not there, and why.', first));

  expect(text.match(/It is not there/g)).toHaveLength(1);
  expect(text.match(/404/g)).toHaveLength(1);
  expect(text.match(/abc/g)).toHaveLength(1);
});

test('[wire 4] every part of a path is percent-encoded once', async () => {
  const { client, network } = clientOf([ok]);

  await network.run(client.container('d b', 'ü').readDocument(['a'], 'a?b%41/#'));

  expect(network.asked[0]?.url).toBe(`${endpoint}/dbs/d%20b/colls/%C3%BC/docs/a%3Fb%2541%2F%23`);
});

test('an endpoint is a URL of HTTP, and ids that no URL can carry are refused', async () => {
  const make = (text: string): RestClient => new RestClient({ endpoint: text, credential: { key } });
  expect(make('http://localhost:8081/').endpoint).toBe('http://localhost:8081');
  for (const text of ['localhost:8081', 'ftp://x', 'http://user@x', '']) expect(() => make(text), text).toThrow();
  const { client } = clientOf([]);
  await expect(client.container('db', 'c').deleteDocument(['a'], '..')).rejects.toThrow(/cannot stand in a path/);
});
