// Requests that are right, one of each kind: what a hostile one is made of. Their names and ids come from a small set, so
// that what one creates the next one finds.

import { offerRid } from '@tidemark/model';
import type { SeededRandom } from '@tidemark/testing';

export interface Draft {
  verb: string;
  /** By segments, not yet encoded. */
  path: string[];
  headers: [name: string, value: string][];
  body: Buffer | undefined;
}

/** Creates what the others are about. */
export function firstRequests(): Draft[] {
  const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
  const drafts: Draft[] = [];
  for (const database of ['db0', 'db1']) {
    drafts.push({ verb: 'POST', path: ['dbs'], headers: [], body: json({ id: database }) });
    for (const id of ['c0', 'c1', 'c2']) {
      const body = json({ id, partitionKey: { paths: ['/pk'], version: 2 } });
      drafts.push({ verb: 'POST', path: ['dbs', database, 'colls'], headers: [], body });
    }
  }
  return drafts;
}

const feedModes = ['Incremental Feed', 'Incremental feed', 'Full-Fidelity Feed'] as const;

export function validRequest(random: SeededRandom): Draft {
  const n = (max: number): number => random.int(max);
  const database = `db${n(2)}`;
  const container = `c${n(3)}`;
  const number = n(20);
  const id = `d${number}`;
  const key = `p${number % 5}`;
  const docs = ['dbs', database, 'colls', container, 'docs'];
  const pk: [string, string] = ['x-ms-documentdb-partitionkey', JSON.stringify([key])];
  const document = { id, pk: key, n: n(1000), nested: { list: [1, 'two', null, true], text: 'a "quoted" é' } };
  const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
  const draft = (verb: string, path: string[], headers: Draft['headers'] = [], body?: Buffer): Draft => ({
    verb,
    path,
    headers,
    body,
  });
  const query: Draft['headers'] = [
    ['content-type', 'application/query+json'],
    ['x-ms-documentdb-isquery', 'true'],
    ['x-ms-documentdb-query-enablecrosspartition', 'true'],
  ];
  const makers: (() => Draft)[] = [
    () => draft('GET', []),
    () => draft('POST', ['dbs'], [], json({ id: database })),
    () => draft('GET', ['dbs']),
    () => draft('GET', ['dbs', database]),
    () =>
      draft(
        'POST',
        ['dbs', database, 'colls'],
        [],
        json({ id: container, partitionKey: { paths: ['/pk'], version: 2 } }),
      ),
    () => draft('GET', ['dbs', database, 'colls', container]),
    () => draft('PUT', ['dbs', database, 'colls', container], [], json({ id: container, defaultTtl: -1 })),
    () => draft('GET', ['dbs', database, 'colls', container, 'pkranges']),
    () => draft('POST', docs, [pk, ['x-ms-documentdb-is-upsert', 'true']], json(document)),
    () => draft('POST', docs, [pk], json(document)),
    () => draft('GET', [...docs, id], [pk]),
    () => draft('PUT', [...docs, id], [pk, ['if-match', random.pick(['*', '"stale"'])]], json(document)),
    () => draft('PATCH', [...docs, id], [pk], json({ operations: [{ op: 'incr', path: '/n', value: 1 }] })),
    () => draft('DELETE', [...docs, id], [pk]),
    () => draft('GET', docs, [['x-ms-max-item-count', '10']]),
    () =>
      draft('GET', docs, [
        ['a-im', random.pick(feedModes)],
        ['x-ms-documentdb-partitionkeyrangeid', '0'],
      ]),
    () => draft('GET', docs, [['a-im', random.pick(feedModes)], ['if-none-match', `"${n(100)}"`], pk]),
    () =>
      draft('GET', docs, [
        ['a-im', 'Incremental Feed'],
        ['if-modified-since', new Date(0).toUTCString()],
      ]),
    () =>
      draft(
        'POST',
        docs,
        [pk, ['x-ms-cosmos-is-batch-request', 'true'], ['x-ms-cosmos-batch-atomic', 'true']],
        json([
          { operationType: 'Upsert', resourceBody: document },
          { operationType: 'Read', id },
        ]),
      ),
    () =>
      draft(
        'POST',
        docs,
        [
          ['x-ms-cosmos-is-batch-request', 'true'],
          ['x-ms-cosmos-batch-atomic', 'false'],
          ['x-ms-documentdb-partitionkeyrangeid', '0'],
        ],
        json([{ operationType: 'Upsert', partitionKey: JSON.stringify([key]), resourceBody: document }]),
      ),
    () => draft('POST', docs, query, json({ query: 'SELECT * FROM c', parameters: [] })),
    () => draft('POST', docs, [...query, pk], json({ query: 'SELECT * FROM c WHERE STARTSWITH(c.id, "d1")' })),
    () => draft('POST', ['dbs', database, 'colls', container, 'operations', 'partitionkeydelete'], [pk]),
    () => draft('GET', ['offers']),
    () => draft('POST', ['offers'], query, json({ query: 'SELECT * from root where root.resource = "x"' })),
    () => draft('PUT', ['offers', offerRid(1 + n(40))], [], json({ content: { offerThroughput: 400 + 100 * n(70) } })),
    () => draft('POST', ['dbs'], [['x-ms-offer-throughput', '400']], json({ id: database })),
    () =>
      draft(
        'POST',
        ['dbs', database, 'colls'],
        [['x-ms-cosmos-offer-autopilot-settings', '{"maxThroughput":4000}']],
        json({ id: container, partitionKey: { paths: ['/pk'] } }),
      ),
    () => draft('GET', [...docs, id], [pk, ['x-ms-session-token', `0:-1#${n(100)}`]]),
    () => draft('GET', ['dbs', database, 'colls', container], [['x-ms-documentdb-populatequotainfo', 'true']]),
    () => draft('POST', ['dbs', database, 'users'], [], json({ id: 'u' })),
    () =>
      draft(
        'POST',
        ['dbs', database, 'users', 'u', 'permissions'],
        [],
        json({ id: 'p', permissionMode: 'Read', resource: `dbs/${database}/colls/${container}` }),
      ),
    () => draft('GET', ['dbs', database, 'users', 'u', 'permissions', 'p']),
    () => draft('GET', ['dbs', database, 'colls', container, 'sprocs']),
    () => draft('GET', ['_tidemark', 'health']),
    () => draft('GET', ['_tidemark', 'metrics']),
    () => draft('GET', ['_tidemark', 'ranges', database, container]),
    () => draft('DELETE', ['dbs', database, 'colls', `c${2 + n(2)}`]),
  ];
  return random.pick(makers)();
}
