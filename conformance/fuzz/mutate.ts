// What makes a right request wrong. Each mutation is a small one, and several may come together.

import { header } from '@tidemark/model';
import type { SeededRandom } from '@tidemark/testing';
import type { Draft } from './valid-requests.ts';

type Mutation = (draft: Draft, random: SeededRandom) => void;

const strangeTexts: readonly string[] = [
  '',
  ' ',
  '*',
  '0',
  '-1',
  '1e309',
  'NaN',
  'null',
  '[]',
  '[null]',
  '[{}]',
  '["a","b","c","d"]',
  '[[[[[]]]]]',
  '{"a":1}',
  '["\\ud800"]',
  '"',
  '""',
  '"-5"',
  '"9999999999999999999999"',
  '%',
  '%zz',
  '%00',
  '%ff%fe',
  '..',
  '../..',
  'a/b',
  'a\\b',
  '__proto__',
  'constructor',
  'toString',
  'True',
  'Thu, 01 Jan 1970 00:00:00 GMT',
  'Invalid Date',
  'r1:;FF=0',
  'r1:FF;00=1',
  '\u00e9\u00ff',
  'x'.repeat(300),
  'x'.repeat(5_000),
  '💥',
];

const strangeBodies: readonly Buffer[] = [
  Buffer.alloc(0),
  Buffer.from(' '),
  Buffer.from('{'),
  Buffer.from('}'),
  Buffer.from('[]'),
  Buffer.from('null'),
  Buffer.from('"text"'),
  Buffer.from('1e999'),
  Buffer.from('{"id":1}'),
  Buffer.from('{"id":""}'),
  Buffer.from('{"id":"a/b","pk":"p1"}'),
  Buffer.from('{"id":"a","id":"b","pk":"p1","pk":2}'),
  Buffer.from('{"id":"a","pk":"p1","ttl":0}'),
  Buffer.from('{"id":"a","pk":"p1","n":1e400}'),
  Buffer.from('{"id":"\\ud800","pk":"p1"}'),
  Buffer.from('{"id":"a","pk":{"x":1}}'),
  Buffer.from('{"id":"a","__proto__":{"x":1},"pk":"p1"}'),
  Buffer.from('\ufeff{"id":"bom","pk":"p1"}'),
  Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
  Buffer.from([0xc0, 0x80, 0x00, 0x1f]),
  Buffer.from('['.repeat(50_000)),
  Buffer.from(`${'{"a":'.repeat(500)}1${'}'.repeat(500)}`),
  Buffer.from(`{"id":"${'i'.repeat(2_000)}","pk":"p1"}`),
  Buffer.from('{"operations":[{"op":"add"}]}'),
  Buffer.from('{"operations":[{"op":"remove","path":"/id"}]}'),
  Buffer.from(
    `{"operations":${JSON.stringify(Array.from({ length: 20 }, () => ({ op: 'incr', path: '/n', value: 1 })))}}`,
  ),
  Buffer.from('[{"operationType":"Nonsense"}]'),
  Buffer.from('[{"operationType":"Create","resourceBody":[]}]'),
  Buffer.from(JSON.stringify(Array.from({ length: 101 }, () => ({ operationType: 'Read', id: 'a' })))),
  Buffer.from('{"query":"SELECT * FROM c WHERE c.x = 1"}'),
  Buffer.from('{"query":{"query":1},"parameters":7}'),
  Buffer.from('{"id":"c9","partitionKey":{"paths":"pk"}}'),
  Buffer.from('{"id":"c9","partitionKey":{"paths":["/a/*"],"kind":"Range","version":7}}'),
  Buffer.from('{"id":"c9","partitionKey":{"paths":["/a","/b","/c","/d"],"kind":"MultiHash","version":2}}'),
  Buffer.from('{"id":"c9","defaultTtl":"soon","uniqueKeyPolicy":{"uniqueKeys":[{"paths":[]}]}}'),
];

const largeBodies: readonly Buffer[] = [
  Buffer.from(`{"id":"large","pk":"p1","text":"${'x'.repeat(2_200_000)}"}`),
  Buffer.alloc(4_000_000, 0x20),
];

const verbs: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE'];
const headerNames: readonly string[] = Object.values(header);
const kinds: readonly string[] = [
  'dbs',
  'colls',
  'docs',
  'pkranges',
  'sprocs',
  'udfs',
  'triggers',
  'users',
  'offers',
  'conflicts',
  'attachments',
  'media',
  'addresses',
  '_tidemark',
  'nonsense',
];

const mutations: readonly Mutation[] = [
  (draft, random) => {
    draft.verb = random.pick(verbs);
  },
  (draft, random) => {
    draft.path.splice(random.int(draft.path.length + 1), 0, random.pick(strangeTexts));
  },
  (draft, random) => {
    if (draft.path.length > 0) draft.path[random.int(draft.path.length)] = random.pick(strangeTexts);
  },
  (draft, random) => {
    draft.path.splice(random.int(draft.path.length + 1), 0, random.pick(kinds));
  },
  (draft) => {
    draft.path.pop();
  },
  (draft, random) => {
    draft.headers.push([random.pick(headerNames), random.pick(strangeTexts)]);
  },
  (draft, random) => {
    const at = random.int(Math.max(0, draft.headers.length - 1) + 1);
    const [name] = draft.headers[at] ?? ['x-ms-version', ''];
    draft.headers[at] = [name, random.pick(strangeTexts)];
  },
  (draft, random) => {
    for (const name of headerNames) draft.headers.push([name, random.pick(strangeTexts)]);
  },
  (draft) => {
    draft.headers = [];
  },
  (draft, random) => {
    draft.body = random.pick(strangeBodies);
  },
  (draft, random) => {
    if (draft.body !== undefined) draft.body = draft.body.subarray(0, random.int(draft.body.length + 1));
  },
  (draft, random) => {
    if (draft.body === undefined || draft.body.length === 0) return;
    draft.body = Buffer.from(draft.body);
    for (let i = 0; i < 3; i += 1) draft.body[random.int(draft.body.length)] = random.int(256);
  },
  (draft) => {
    draft.body = draft.body === undefined ? undefined : Buffer.concat([draft.body, draft.body]);
  },
  (draft, random) => {
    // Large ones are slow to send: a few are enough.
    if (random.int(40) === 0) draft.body = random.pick(largeBodies);
  },
  (draft, random) => {
    draft.headers.push(['content-encoding', random.pick(['gzip', 'br', 'deflate', 'identity', 'nonsense'])]);
  },
  (draft, random) => {
    draft.headers.push(['x-ms-version', random.pick(['2014-01-01', '2016-07-11', '2018-06-18', '9999-99-99', 'x'])]);
  },
];

export function mutate(draft: Draft, random: SeededRandom): void {
  const count = random.int(4);
  for (let i = 0; i < count; i += 1) random.pick(mutations)(draft, random);
}
