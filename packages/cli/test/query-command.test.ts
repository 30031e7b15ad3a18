// `tidemark query` as a real process against a real server: in pipes and in a terminal.

import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Container, Database } from '@tidemark/engine';
import { openDatabase } from '@tidemark/engine';
import type { RunningServer } from '@tidemark/server';
import { startServer } from '@tidemark/server';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Said } from './process.ts';
import { alive, launch, say, textOf } from './process.ts';
import { hasTerminals, openTerminal } from './pseudo-terminal.ts';

// Processes take their time to start where many tests run at once.
vi.setConfig({ testTimeout: 240_000 });

let folder: string;
let database: Database;
let server: RunningServer;
let planning: RunningServer;

const ports = ['Brest', 'Saint-Malo', '大阪'];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidemark-query-'));
  database = await openDatabase({ memory: true });
  await database.createDatabase('sea');
  const tides = await database.createContainer(
    'sea',
    { id: 'tides', partitionKey: { paths: ['/port'], version: 2 } },
    { ranges: 4 },
  );
  await fill(tides);
  server = await startServer({ database });
  planning = await startServer({ database, planQueries: true });
});
afterAll(async () => {
  await Promise.all([server.close(), planning.close()]);
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

async function fill(tides: Container): Promise<void> {
  for (let n = 0; n < 30; n += 1) {
    await tides.create({
      id: String(n),
      port: ports[n % 3],
      metres: n / 4,
      extra: { n, list: [n, 'a "quoted" word'] },
    });
  }
}

const query = (...args: string[]): Promise<Said> => say(['query', ...args, '--endpoint', server.url]);
const rows = (text: string): unknown[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

test('in a pipe rows are lines of JSON, and what it has cost goes to the other stream', async () => {
  const { code, out, err } = await query(
    'sea/tides',
    'SELECT VALUE c.metres FROM c WHERE c.port = @p AND c.metres < @max',
    '--param',
    'p=大阪',
    '--param',
    '@max=3',
  );

  expect(code).toBe(0);
  expect(rows(out)).toEqual([0.5, 1.25, 2, 2.75]);
  expect(err).toMatch(/^tidemark: 4 rows, 10 documents looked at, [\d.]+ RU, [\d,]+ ms\.\n$/);
});

test('what several ranges have is sorted, grouped and counted by the server; pages and a limit are as they are wanted', async () => {
  const [sorted, grouped, limited] = await Promise.all([
    query('sea/tides', 'SELECT VALUE c.id FROM c ORDER BY c.metres DESC', '--page', '7'),
    query('sea/tides', 'SELECT c.port, COUNT(1) AS n FROM c GROUP BY c.port', '--table'),
    query('sea/tides', 'SELECT VALUE c.id FROM c ORDER BY c.metres', '--page', '2', '--limit', '5'),
  ]);

  expect(rows(sorted.out)).toEqual(Array.from({ length: 30 }, (_, n) => String(29 - n)));
  expect(grouped.out).toBe('port         n\n----------  --\nBrest       10\nSaint-Malo  10\n大阪        10\n');
  expect(rows(limited.out)).toEqual(['0', '1', '2', '3', '4']);
});

test('queries come over standard input as well, with semicolons between them', async () => {
  const input = "-- two of them;\nSELECT VALUE 'a;b';\nSELECT VALUE COUNT(1)\nFROM c\n;\n";

  const [two, none] = await Promise.all([
    say(['query', 'sea/tides', '--endpoint', server.url], { input }),
    say(['query', 'sea/tides', '--endpoint', server.url], { input: ' -- nothing\n' }),
  ]);

  expect(rows(two.out)).toEqual(['a;b', 30]);
  expect(none).toMatchObject({ code: 2, err: expect.stringContaining('There is no query') });
});

test('a mistake is shown with its place, and the exit code is 1', async () => {
  const [syntax, unknown, twice] = await Promise.all([
    query('sea/tides', 'SELECT *\nFORM c'),
    query('sea/tides', 'SELECT c.id FROM c WHERE wrong(c.id)'),
    query('sea/tides', 'SELECT c.id, COUNT(1) + 1 FROM c'),
  ]);

  expect([syntax.code, unknown.code, twice.code]).toEqual([1, 1, 1]);
  expect(syntax.err).toContain(
    "line 2: Syntax error, incorrect syntax near 'FORM'. (SC1001)\n  FORM c\n  ^^^^\nDid you mean FROM?\n",
  );
  expect(unknown.err).toContain('SELECT c.id FROM c WHERE wrong(c.id)\n                           ^^^^^^^^^^^\n');
  expect(twice.err).not.toContain('{"');
});

test('words that are wrong are told before anything is asked', async () => {
  const said = await Promise.all([
    query('SELECT * FROM c'),
    query('sea', 'SELECT 1'),
    query('sea/tides', 'SELECT 1', '--param', 'seven'),
    query('sea/tides', 'SELECT 1', '--param', 'n=1', '--param', '@n=2'),
    query('sea/tides', 'SELECT @least', '--param', 'lest=1'),
    query('sea/tides', 'SELECT 1', '--partition-key', '["a","b"]'),
    query('sea/tides', 'SELECT 1', '--json', '--table'),
    query(),
  ]);

  expect(said.map(({ code }) => code)).toEqual(said.map(() => 2));
  const messages = [
    "query DATABASE/CONTAINER 'SELECT * FROM c'",
    'DATABASE/CONTAINER',
    'NAME=JSON',
    'given twice',
    'The query has no @lest. Did you mean @least?',
    '2 component(s)',
    'not both',
    'Name the container',
  ];
  for (const [at, message] of messages.entries()) expect(said[at]?.err).toContain(message);
});

test('a container that is not there is the one that was probably meant', async () => {
  const { code, err } = await query('sea/tydes', 'SELECT 1');

  expect(code).toBe(1);
  expect(err).toContain('Did you mean sea/tides?');
});

test('an account that leaves the merging to its clients says what to do, and does it within one partition', async () => {
  const ask = (...args: string[]): Promise<Said> =>
    say([
      'query',
      'sea/tides',
      'SELECT TOP 2 VALUE c.id FROM c ORDER BY c.metres',
      ...args,
      '--endpoint',
      planning.url,
    ]);

  const [everywhere, inside, plan] = await Promise.all([ask(), ask('--partition-key', 'Saint-Malo'), ask('--explain')]);

  expect(everywhere).toMatchObject({
    code: 1,
    err: expect.stringMatching(/one partition only: name it with --partition-key/),
  });
  expect(rows(inside.out)).toEqual(['1', '4']);
  expect(plan.out).toMatch(/Merged +by the client\n/);
  expect(plan.out).toContain('WHERE ((true) AND IS_DEFINED(c.id))');
  expect(plan.out).toContain('it leaves the merging to its clients');
});

test('--explain says which ranges are asked, what is merged, and what a page costs', async () => {
  const sql = "SELECT c.id FROM c WHERE c.port = 'Brest' ORDER BY c.metres";
  const [text, json, whole, sorted] = await Promise.all([
    query('sea/tides', sql, '--explain'),
    query('sea/tides', sql, '--explain', '--json'),
    query('sea/tides', 'SELECT * FROM c', '--explain'),
    query('sea/tides', 'SELECT c.id FROM c ORDER BY c.metres', '--explain', '--page', '1'),
  ]);

  expect(text.out).toMatch(
    /^Reads +the one partition key that the query names\nRanges +1 of 4: \d\nMerged +nothing: .*\nRows +sorted by c\.metres ascending\n/,
  );
  expect(text.out).toMatch(/One page +10 rows, [\d.]+ RU, 10 documents looked at/);
  expect(JSON.parse(json.out)).toMatchObject({
    plan: { queryInfo: {} },
    page: { rows: 10, retrievedDocumentCount: 10 },
  });
  expect(whole.out).toMatch(/^Reads +all documents\nRanges +4 of 4: .*\nMerged +nothing: /);
  expect(sorted.out).toMatch(/\nMerged +by the server\n +sorted by c\.metres ascending\nOne page +1 row, /);
  expect(sorted.out).toContain('more pages follow');
});

/** Answers a first page of a query and never the second one. */
async function stalling(): Promise<{ url: string; server: Server; stalled: Promise<void> }> {
  let isAsked = (): void => {};
  const stalled = new Promise<void>((resolve) => {
    isAsked = resolve;
  });
  const slow = createServer((request, response) => {
    const headers = { 'x-ms-activity-id': 'a', 'x-ms-request-charge': '1' };
    if (request.method === 'GET')
      response.writeHead(200, headers).end('{"partitionKey":{"paths":["/pk"],"version":2}}');
    else if (request.headers['x-ms-continuation'] !== undefined) isAsked();
    else
      response.writeHead(200, { ...headers, 'x-ms-continuation': 'more' }).end('{"Documents":[{"id":"1"}],"_count":1}');
  });
  await once(slow.listen(0, '127.0.0.1'), 'listening');
  // A server that listens on a port has such an address.
  return { url: `http://127.0.0.1:${(slow.address() as AddressInfo).port}`, server: slow, stalled };
}

test('Ctrl-C ends a long query in order, with the rows that were printed', async () => {
  const { url, server: slow, stalled } = await stalling();
  const child = launch(['query', 'sea/tides', 'SELECT * FROM c', '--endpoint', url]);
  const [out, err] = [textOf(child.stdout), textOf(child.stderr)];

  await alive(child, stalled);
  while (!out().includes('\n')) await alive(child, once(child.stdout, 'data'));
  child.kill('SIGINT');
  const [code] = (await once(child, 'close')) as [number];

  expect({ code, out: out(), err: err() }).toEqual({
    code: 1,
    out: '{"id":"1"}\n',
    err: expect.stringMatching(/^tidemark: Interrupted: 1 row, 1 RU, \d+ ms\.\n$/),
  });
  slow.closeAllConnections();
  slow.close();
});

test.skipIf(!hasTerminals)(
  'in a terminal rows are a table that fits, and the system properties are left out',
  async () => {
    const terminal = openTerminal(
      ['query', 'sea/tides', "SELECT * FROM c WHERE c.id = '4'", '--endpoint', server.url],
      {},
      44,
    );

    const code = await terminal.exitCode;

    expect(code).toBe(0);
    expect(terminal.text()).toContain('id  port        metres  extra\r\n--  ----------  ------  ');
    expect(terminal.text()).toContain('4   Saint-Malo       1  {"n":4,"list":[4,"a…\r\n');
    expect(terminal.text()).toContain('System properties are left out.');
  },
);

test.skipIf(!hasTerminals)(
  'at the prompt one asks, looks around, makes mistakes and finds what was typed the time before',
  async () => {
    const state = join(folder, 'state');
    const env = { XDG_STATE_HOME: state };
    const first = openTerminal(['query', '--endpoint', server.url], env);
    await first.shows('tidemark> ');
    first.type('SELECT 1;\r');
    await first.shows('No container is opened: \\use DATABASE/CONTAINER');
    first.type('\\ls sea\r');
    await first.shows('tides');
    first.type('\\use sea/tydes\r');
    await first.shows('Did you mean sea/tides?');
    first.type('\\use sea/tides\r');
    await first.shows('sea/tides> ');
    first.type('\\param least=7\rSELECT VALUE c.id\rFROM c WHERE c.metres > @least;\r');
    await first.shows('value\r\n-----\r\n29\r\n');
    first.type('SELECT * FORM c;\r');
    await first.shows('^^^^');
    first.type('\\explain SELECT * FROM c;\r');
    await first.shows('4 of 4');
    first.type('\\jsn\r');
    await first.shows('Did you mean \\json?');
    first.type('\\key Brest\r');
    await first.shows('Only the partition key ["Brest"].');
    await first.shows('sea/tides ["Brest"]> ');
    first.type('SELECT VALUE COUNT(1)\r\\key -\r');
    await first.shows('All partition keys.');
    first.type('FROM c;\r');
    await first.shows('30\r\n');
    first.type('exit\r');
    expect(await first.exitCode).toBe(0);

    const second = openTerminal(
      ['query', 'sea/tides', '--json', '--param', 'least=7.1', '--endpoint', server.url],
      env,
    );
    await second.shows('sea/tides> ');
    second.type('\u001b[A'.repeat(7));
    await second.shows('SELECT VALUE c.id FROM c WHERE c.metres > @least;');
    second.type('\r');
    await second.shows('"29"\r\n');
    second.type('\u0004');

    expect(await second.exitCode).toBe(0);
    expect(readFileSync(join(state, 'tidemark', 'query-history'), 'utf8')).toContain(
      '\nSELECT VALUE c.id FROM c WHERE c.metres > @least;\n',
    );
  },
);

test.skipIf(!hasTerminals)('Ctrl-C at the prompt stops the query and not the prompt', async () => {
  const { url, server: slow, stalled } = await stalling();
  const terminal = openTerminal(['query', 'sea/tides', '--endpoint', url], { XDG_STATE_HOME: join(folder, 'other') });
  await terminal.shows('sea/tides> ');

  terminal.type('SELECT * FROM c;\r');
  await stalled;
  await terminal.shows('waiting for the next page');
  terminal.type('\u0003');
  await terminal.shows('Interrupted: 1 row');
  await terminal.shows('sea/tides> ');
  terminal.type('\\q\r');

  expect(await terminal.exitCode).toBe(0);
  slow.closeAllConnections();
  slow.close();
});
