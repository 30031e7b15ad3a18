// What the feed over HTTP sends, and what it makes of answers that no server of ours gives on demand.

import { RestClient } from '@tidemark/client';
import { header } from '@tidemark/model';
import type { Scripted } from '@tidemark/testing';
import { ScriptedNetwork } from '@tidemark/testing';
import { expect, test } from 'vitest';
import type { FeedRead } from '../src/feed/feed-source.ts';
import type { RestFeedSourceOptions } from '../src/feed/rest-feed-source.ts';
import { RestFeedSource } from '../src/feed/rest-feed-source.ts';

const nothing: Scripted = {
  status: 304,
  headers: { etag: '"7"', [header.charge]: '1.5', date: 'Sat, 31 Jan 2026 12:00:00 GMT' },
};
const ranges: Scripted = {
  status: 200,
  body: JSON.stringify({
    PartitionKeyRanges: [
      { id: '1', minInclusive: '', maxExclusive: '1F' },
      { id: '2', minInclusive: '1F', maxExclusive: 'FF' },
    ],
  }),
};
const onwards: FeedRead = { range: '2', mode: 'latest', from: { position: '"5"' } };

function open(
  script: readonly Scripted[],
  options: RestFeedSourceOptions = {},
): { source: RestFeedSource; network: ScriptedNetwork } {
  const network = new ScriptedNetwork(script);
  const { environment } = network;
  const credential = { key: Buffer.alloc(64).toString('base64') };
  const client = new RestClient({ endpoint: 'https://account.example', credential, environment });
  return { source: new RestFeedSource(client, 'db', 'c', options), network };
}

test.each<[string, Scripted, string]>([
  ['410/1002', { status: 410, headers: { [header.substatus]: '1002' } }, 'range-gone'],
  ['410/1007', { status: 410, headers: { [header.substatus]: '1007' } }, 'range-gone'],
  ['410/1000, a replica that moves', { status: 410, headers: { [header.substatus]: '1000' } }, 'unavailable'],
  ['404', { status: 404 }, 'container-not-found'],
  ['404/1003', { status: 404, headers: { [header.substatus]: '1003' } }, 'container-not-found'],
  ['404/1002', { status: 404, headers: { [header.substatus]: '1002' } }, 'unavailable'],
  ['400', { status: 400 }, 'invalid-continuation'],
  [
    '400 with the sentence about retention',
    { status: 400, body: '{"message":"You must read the change feed from within the retention period."}' },
    'retention-passed',
  ],
  ['400/1024', { status: 400, headers: { [header.substatus]: '1024' } }, 'container-mismatch'],
  ['500', { status: 500 }, 'unavailable'],
  ['401', { status: 401 }, 'unauthorized'],
  ['429', { status: 429, headers: { [header.retryAfterMs]: '5000' } }, 'too-many-requests'],
])('[wire 5] a read that is answered with %s fails as the seam says', async (_, answer, code) => {
  const { source, network } = open([answer]);

  await expect(network.run(source.read(onwards))).rejects.toMatchObject({ code });
  expect(network.asked).toHaveLength(1);
});

test('a connection that breaks between two reads is made anew, once and at once', async () => {
  const { source, network } = open([{ broken: 'ECONNRESET' }, nothing]);

  expect(await network.run(source.read(onwards))).toMatchObject({ isDrained: true });
});

test('[wire 11.5] a page says where to go on, what it cost, and what the server takes for now', async () => {
  const { source, network } = open([nothing]);

  const page = await network.run(source.read(onwards));

  expect(page).toMatchObject({ position: '"7"', items: [], isDrained: true, isWaitApplied: false, charge: 1.5 });
  expect(page.serverTimeMs).toBe(Date.UTC(2026, 0, 31, 12));
  expect(page.tailLsn).toBeUndefined();
});

test.each<[string, FeedRead, Record<string, string | null>]>([
  ['a position', onwards, { [header.rangeId]: '2', [header.ifNoneMatch]: '"5"', [header.startEpk]: null }],
  ['now', { ...onwards, from: 'now' }, { [header.ifNoneMatch]: '*' }],
  ['the beginning', { ...onwards, from: 'beginning' }, { [header.ifNoneMatch]: null, [header.ifModifiedSince]: null }],
  [
    'a time',
    { ...onwards, from: { timeMs: Date.UTC(2026, 0, 31) } },
    { [header.ifModifiedSince]: 'Sat, 31 Jan 2026 00:00:00 GMT' },
  ],
  ['all versions', { ...onwards, mode: 'all-versions' }, { [header.changeFeed]: 'Full-Fidelity Feed' }],
  ['a wait', { ...onwards, waitMs: 20_000 }, { [header.prefer]: 'wait=20' }],
])('[wire 11.2] %s is asked for in the words of the protocol', async (_, read, headers) => {
  const { source, network } = open([nothing]);

  await network.run(source.read(read));

  for (const [name, value] of Object.entries(headers)) expect(network.asked[0]?.headers.get(name), name).toBe(value);
});

test('[wire 11.3] a part of a range is named by its keys, a whole one is not: it would cost more', async () => {
  const { source, network } = open([ranges, nothing, nothing, nothing]);
  const scope = (at: number): (string | null | undefined)[] =>
    [header.rangeId, header.startEpk, header.endEpk].map((name) => network.asked[at]?.headers.get(name));

  await network.run(source.read({ ...onwards, keys: { min: '1F', max: 'FF' } }));
  await network.run(source.read({ ...onwards, keys: { min: '2A', max: 'FF' } }));
  await network.run(source.read({ ...onwards, range: undefined, keys: { min: '05', max: '1F' } }));

  expect([1, 2, 3].map(scope)).toEqual([
    ['2', null, null],
    ['2', '2A', 'FF'],
    ['1', '05', '1F'],
  ]);
});

test('[S53] a connection that died without a word is found out by an answer that is late, not a minute later', async () => {
  const { source, network } = open(['never']);
  const startMs = network.clock.monotonicMs();

  await expect(network.run(source.read({ ...onwards, waitMs: 20_000 }))).rejects.toMatchObject({
    code: 'request-timeout',
  });

  expect(network.clock.monotonicMs() - startMs).toBeLessThanOrEqual(31_000);
});

test('[M12] a session token goes with every read', async () => {
  const { source, network } = open([nothing], { sessionToken: '0:-1#7' });

  await network.run(source.read(onwards));

  expect(network.asked[0]?.headers.get(header.sessionToken)).toBe('0:-1#7');
});
