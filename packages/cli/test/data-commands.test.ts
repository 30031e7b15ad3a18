// tail, import and export as real processes against a real server.

import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { gzipSync } from 'node:zlib';
import { RestClient } from '@tidemark/client';
import type { Container, Database } from '@tidemark/engine';
import { openDatabase } from '@tidemark/engine';
import { wellKnownKey } from '@tidemark/model';
import type { RunningServer } from '@tidemark/server';
import { startServer } from '@tidemark/server';
import { steadyPort } from '@tidemark/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Said } from './process.ts';
import { alive, launch, say, textOf } from './process.ts';

// Processes take their time to start where many tests run at once.
vi.setConfig({ testTimeout: 240_000 });

let folder: string;
let database: Database;
let server: RunningServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidemark-cli-'));
  database = await openDatabase({ memory: true });
  await database.createDatabase('db');
  server = await startServer({ database });
});
afterAll(async () => {
  await server.close();
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

let containers = 0;

async function make(
  options: { ranges?: number; historyMs?: number } = {},
): Promise<{ name: string; inside: Container }> {
  containers += 1;
  const id = `c${containers}`;
  const inside = await database.createContainer('db', { id, partitionKey: { paths: ['/pk'], version: 2 } }, options);
  return { name: `db/${id}`, inside };
}

const there = (): string[] => ['--endpoint', server.url];

function run(...args: string[]): Promise<Said> {
  return say([...args, ...there()]);
}

const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');
const ids = (text: string): string[] => lines(text).map((line) => JSON.parse(line).id);
const numbers = (count: number): string[] => Array.from({ length: count }, (_, n) => `${n}`);

function jsonl(count: number, pk: (n: number) => string = (n) => `k${n}`): string {
  return numbers(count)
    .map((id) => `${JSON.stringify({ id, pk: pk(Number(id)), n: Number(id) })}\n`)
    .join('');
}

test('tail prints what is there, and the position it prints goes on where it was', async () => {
  const { name, inside } = await make({ ranges: 3 });
  for (const id of numbers(20)) await inside.upsert({ id, pk: `k${id}`, big: 12 });

  const first = await run('tail', name, '--from', 'beginning', '--until-drained', '--json');
  expect(first.code).toBe(0);
  expect(ids(first.out).sort()).toEqual(numbers(20).sort());
  expect(lines(first.out).every((line) => JSON.parse(line)._lsn > 0)).toBe(true);
  const [, position = ''] = /--from (c1:\S+)/.exec(first.err) ?? [];
  await inside.upsert({ id: 'new', pk: 'k1' });
  expect(first.err).toMatch(/^tidemark: 20 changes/);
  const second = await run('tail', name, '--from', position, '--until-drained');
  expect(second.out).toMatch(
    /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ {2}\d:\d+ {2}is {7}\["k1"\] {2}"new" {2}\{"pk":"k1"\}\n$/,
  );
});

test('tail says when the position is ahead of the feed, and that nothing comes before the feed has passed it', async () => {
  const { name, inside } = await make();
  await inside.upsert({ id: '1', pk: 'a' });
  const end = inside.ranges[0]?.tailLsn ?? 0;
  const ahead = `The position ${end + 1} is ahead of the feed`;
  const drain = (...args: string[]): Promise<Said> => run('tail', name, ...args, '--until-drained');

  const [of, key, whole, last] = await Promise.all([
    drain('--from', `${end + 1}`),
    drain('--from', `${end + 1}`, '--key', '"a"'),
    drain('--from', `c1:FF=${end + 1}`),
    drain('--from', `${end}`),
  ]);
  await inside.upsert({ id: 'skipped', pk: 'a' });
  await inside.upsert({ id: 'shown', pk: 'a' });
  const later = await drain('--from', `${end + 1}`, '--json');

  expect(of.err).toContain(`${ahead}: range 0 has come to ${end}. Nothing comes before it has passed ${end + 1}`);
  expect(key.err).toContain(`${ahead}: its range has come to ${end}.`);
  expect(whole.err).toContain(ahead);
  expect(last.err).not.toContain('ahead');
  expect(later.err).not.toContain('ahead');
  expect(ids(later.out)).toEqual(['shown']);
});

test('[B1] tail follows: a change arrives, through a split and a merge, and Ctrl-C ends it in order', async () => {
  const { name, inside } = await make();
  const child = launch(['tail', name, '--from', 'beginning', '--json', '--poll', '20', ...there()]);
  const err = textOf(child.stderr);
  const arrived: string[] = [];
  const reader = createInterface(child.stdout);
  reader.on('line', (line) => arrived.push(JSON.parse(line).id));
  const write = async (...some: string[]): Promise<void> => {
    for (const id of some) await inside.upsert({ id, pk: `k${id}` });
    while (some.some((id) => !arrived.includes(id))) await alive(child, once(reader, 'line'));
  };

  await write('1', '2', '3', '4');
  const [left, right] = await inside.split('0');
  await write('5', '6', '7', '8');
  await inside.merge(left?.id ?? '', right?.id ?? '');
  await write('9', '10', '11', '12');

  child.kill('SIGINT');
  const [code] = (await once(child, 'exit')) as [number];
  expect(code).toBe(0);
  expect(arrived.map(Number).sort((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, n) => n + 1));
  expect(err()).toContain(`12 changes. Go on with tidemark tail ${name} ${there().join(' ')} --from c1:`);
});

test('tail outlives a server that is started again', async () => {
  const { name, inside } = await make();
  const port = await steadyPort();
  const first = await startServer({ database, port });
  const child = launch(['tail', name, '--from', 'beginning', '--json', '--endpoint', first.url]);
  const err = textOf(child.stderr);
  const reader = createInterface(child.stdout);
  const arrives = async (id: string): Promise<void> => {
    const line = alive(child, once(reader, 'line'));
    await inside.upsert({ id, pk: 'a' });
    expect(JSON.parse(String((await line)[0])).id).toBe(id);
  };

  await arrives('1');
  await first.close();
  while (!err().includes('Trying again.')) await alive(child, once(child.stderr, 'data'));
  const second = await startServer({ database, port });
  await arrives('2');

  child.kill('SIGTERM');
  expect((await once(child, 'exit'))[0]).toBe(0);
  await second.close();
});

test('[M5] a tail from now on has its place at once, and what comes after Ctrl-C is not lost', async () => {
  const { name, inside } = await make();
  await inside.upsert({ id: '0', pk: 'a' });
  const child = launch(['tail', name, ...there()]);
  const err = textOf(child.stderr);
  await expect.poll(() => database.figures.waiters, { timeout: 120_000 }).toBeGreaterThan(0);

  child.kill('SIGINT');
  await once(child, 'exit');
  const following = `tidemark: Following ${name} from now on; Ctrl-C ends it.\n`;
  expect(err()).toMatch(new RegExp(`^${following}tidemark: 0 changes`));
  const [, position = ''] = /0 changes\. Go on with .* --from (c1:\S+)\n$/.exec(err()) ?? [];
  await inside.upsert({ id: '1', pk: 'a' });

  const next = await run('tail', name, '--from', position, '--until-drained', '--json');
  expect(ids(next.out)).toEqual(['1']);
});

test('[B2] tail of all versions tells what happened; of a key and of a range only theirs; a limit ends it', async () => {
  const { name, inside } = await make({ historyMs: 600_000, ranges: 2 });
  const since = new Date(Date.now() - 60_000).toISOString();
  await inside.upsert({ id: '1', pk: 'a', v: 1 });
  await inside.upsert({ id: '1', pk: 'a', v: 2 });
  await inside.delete('1', 'a');
  for (const id of numbers(10)) await inside.upsert({ id, pk: `k${id}` });
  const range = inside.ranges[0]?.id ?? '';
  const rest = ['--until-drained', '--from', 'beginning', '--json'];

  const [versions, everything, ofKey, ofRange, limited, wrong] = await Promise.all([
    run('tail', name, '--mode', 'all-versions', '--key', '"a"', '--from', since, '--until-drained'),
    run('tail', name, '--mode', 'all-versions', '--from', 'beginning', '--until-drained'),
    run('tail', name, '--key', '"k3"', ...rest),
    run('tail', name, '--range', range, ...rest),
    run('tail', name, '--limit', '3', '--from', 'beginning', '--json'),
    run('tail', name, '--key', 'ada'),
  ]);

  expect(lines(versions.out).map((line) => line.split(/ {2,}/)[2])).toEqual(['create', 'replace', 'delete']);
  expect(lines(everything.out)).toHaveLength(13);
  expect(ids(ofKey.out)).toEqual(['3']);
  expect(ids(ofRange.out).length).toBeGreaterThan(0);
  expect(ids(ofRange.out).length).toBeLessThan(10);
  expect(ofRange.err).toContain(`--range ${range} --from `);
  expect(ids(limited.out)).toHaveLength(3);
  expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining(`--key '"ada"'`) });
});

test('[SEC19] what a document holds cannot steer the terminal', async () => {
  const { name, inside } = await make();
  await inside.upsert({ id: '\u009b2J', pk: 'a', text: '\u001b[31m' });

  const { out } = await run('tail', name, '--from', 'beginning', '--until-drained');

  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are looked for.
  expect(out).not.toMatch(/[\u0000-\u0009\u001b\u009b]/);
  expect(out).toContain('\\u009b2J');
});

test('import writes every document over many ranges, and export gives back exactly those, literals and all', async () => {
  const { name } = await make({ ranges: 4 });
  const file = join(folder, 'many.jsonl');
  const big = '{"id":"big","pk":"é","n":12345678901234567890.5,"z":1,"a":2}';
  writeFileSync(file, `\uFEFF${jsonl(1_500)}\n  \n${big}\r\n`);

  const imported = await run('import', name, file, '--json');
  const copy = join(folder, 'copy.jsonl');
  const exported = await run('export', name, copy, '--bare', '--page', '100');

  expect(JSON.parse(imported.out)).toMatchObject({ created: 1_501, replaced: 0, failed: 0, isComplete: true });
  expect(exported).toMatchObject({ code: 0, err: expect.stringContaining('1,501 documents') });
  const written = readFileSync(copy, 'utf8');
  expect(lines(written)).toContain(big);
  expect(ids(written).sort()).toEqual([...numbers(1_500), 'big'].sort());
  expect(await run('export', name, copy)).toMatchObject({ code: 2, err: expect.stringContaining('--restart') });
});

test('of lines for the same document the last one counts, however many requests are under way', async () => {
  const { name, inside } = await make({ ranges: 3 });
  const rounds = numbers(30).map((round) => jsonl(20).replaceAll('"n":', `"round":${round},"n":`));

  const { code } = await say(['import', name, ...there()], { input: rounds.join('') });

  expect(code).toBe(0);
  for (const id of numbers(20)) expect((await inside.read(id, `k${id}`))?.value).toMatchObject({ round: 29 });
});

test('import from standard input creates what is missing; what fails is told by its line', async () => {
  const input = `${jsonl(3)}not json\n[1]\n{"id":"a/b","pk":"x"}\n{"id":"1","pk":"k1"}\n`;

  const failing = await say(['import', 'made/here', '--partition-key', '/pk', '--create', ...there()], { input });

  expect(failing.code).toBe(1);
  expect(failing.out).toBe('3 documents written (3 new, 0 replaced), 4 failed\n');
  expect(failing.err).toMatch(/line 4: 400 .*JSON/);
  expect(failing.err).toContain('line 5: 400 The line is not a JSON object.');
  expect(failing.err).toMatch(/line 6: 400 .*a\/b|line 6: 400 .*'\/'/);
  expect(failing.err).toMatch(/line 7: 409/);
  const other = await say(['import', 'made/here', '--partition-key', '/other', ...there()], { input });
  expect(other).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining('has the partition key /pk, not /other'),
  });
});

test('import says what a JSON array has to become, and writes nothing of it', async () => {
  const { name, inside } = await make();
  const documents = lines(jsonl(3)).map((line) => JSON.parse(line));
  for (const text of [
    JSON.stringify(documents),
    `\uFEFF ${JSON.stringify(documents, undefined, 2)}`,
    `[\n${lines(jsonl(3)).join(',\n')}\n]`,
  ]) {
    const file = join(folder, 'array.json');
    writeFileSync(file, text);
    for (const said of [await run('import', name, file), await say(['import', name, ...there()], { input: text })]) {
      expect(said).toMatchObject({ code: 2, out: '', err: expect.stringContaining("jq -c '.[]'") });
    }
  }
  expect(await inside.read('2', 'k2')).toBeUndefined();
});

test('import says what a compressed file and a document over several lines have to become, and writes nothing', async () => {
  const { name, inside } = await make();
  const pretty = `\n${JSON.stringify({ id: '1', pk: 'a' }, undefined, 2)}\n`;
  for (const [what, bytes, filter] of [
    ['a gzip file', gzipSync(jsonl(3)), 'gunzip -c'],
    ['JSON over several lines', Buffer.from(pretty), 'jq -c .'],
    ['JSON over several lines', Buffer.from(pretty.replaceAll('\n', '\r\n')), 'jq -c .'],
  ] as const) {
    const file = join(folder, 'no-lines');
    writeFileSync(file, bytes);
    const [ofFile, ofInput] = await Promise.all([
      run('import', name, file),
      say(['import', name, ...there()], { input: bytes }),
    ]);

    const told = `This is ${what}; import takes a JSON object a line (JSONL). ${filter.split(' ')[0]} makes that of it: `;
    const words = (before: string): string => `${told}${before} | tidemark import DATABASE/CONTAINER\n`;
    expect(ofFile).toMatchObject({ code: 2, out: '', err: expect.stringContaining(words(`${filter} ${file}`)) });
    expect(ofInput).toMatchObject({ code: 2, out: '', err: expect.stringContaining(words(`… | ${filter}`)) });
  }
  expect(inside.ranges[0]?.tailLsn).toBe(0);
});

test('an import whose server has gone says that it waits, and goes on when it is back', async () => {
  const { name, inside } = await make();
  const port = await steadyPort();
  const first = await startServer({ database, port });
  const child = launch(['import', name, '--endpoint', first.url], { isInputOpen: true });
  const err = textOf(child.stderr);
  child.stdin.write(jsonl(1));
  await vi.waitFor(async () => expect(await inside.read('0', 'k0')).toBeDefined(), 60_000);
  await first.close();
  child.stdin.end(jsonl(5));
  await vi.waitFor(() => expect(err()).toContain('no answer for 3 s'), 60_000);
  const second = await startServer({ database, port });
  const [code] = (await once(child, 'close')) as [number | null];
  await second.close();

  expect(code).toBe(0);
  expect(await inside.read('4', 'k4')).toBeDefined();
});

test('import names the slash that a partition key lacks, whether the container is there or not', async () => {
  const { name } = await make();
  const importing = (container: string, key: string): Promise<Said> =>
    say(['import', container, '--partition-key', key, ...there()], { input: jsonl(1) });

  const [missing, existing, several] = await Promise.all([
    importing('made/never', 'customer'),
    importing(name, 'pk'),
    importing('made/never', 'tenant,/user'),
  ]);

  const words = (text: string) => ({
    code: 2,
    out: '',
    err: expect.stringContaining(`begins with a slash: --partition-key ${text}\n`),
  });
  expect(missing).toMatchObject(words('/customer'));
  expect(existing).toMatchObject(words('/pk'));
  expect(several).toMatchObject(words('/tenant,/user'));
});

test.each([
  ['tail'],
  ['import'],
  ['export'],
  ['split'],
  ['merge', '0', '1'],
  ['lag', '--leases', 'made/nowhere'],
  ['processor', 'status', '--leases', 'made/nowhere'],
])('%s of a container that is not there says so, and its exit code is 1', async (...command) => {
  const words = command[0] === 'processor' ? 2 : 1;

  const missing = await run(...command.slice(0, words), 'made/nowhere', ...command.slice(words));

  expect(missing).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringMatching(/there is no (?:container|database) "/i),
  });
});

test('an import that was interrupted goes on where it was, and nothing is missing', async () => {
  const { name, inside } = await make();
  const file = join(folder, 'long.jsonl');
  writeFileSync(file, jsonl(20_000));
  const child = launch(['import', name, file, ...there()]);
  const exited = once(child, 'exit');
  const err = textOf(child.stderr);
  while ((await inside.read('500', 'k500')) === undefined) await new Promise((resolve) => setImmediate(resolve));
  child.kill('SIGINT');
  const [code] = (await exited) as [number];
  expect(code).toBe(1);
  expect(err()).toContain('the same command goes on');
  const { line } = JSON.parse(readFileSync(`${file}.import-state`, 'utf8'));
  expect(line).toBeGreaterThan(0);
  expect(line).toBeLessThan(20_000);

  const { name: other } = await make();
  const refused = await run('import', other, file);
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('belongs to something else') });
  expect(refused.err).toContain('; --restart begins anew, --state FILE names another file.');
  const rest = await run('import', name, file, '--json');

  const { created, replaced } = JSON.parse(rest.out);
  expect([created, replaced]).toEqual([20_000, 0]);
  expect(rest.err).toContain(`tidemark: going on at line ${(line + 1).toLocaleString('en-US')} of ${file}, as `);
  expect(() => readFileSync(`${file}.import-state`)).toThrow();
});

test('an import of standard input ends when it is interrupted, also while nothing comes, and says what it did', async () => {
  const { name, inside } = await make();
  const child = launch(['import', name, ...there()], { isInputOpen: true });
  const exited = once(child, 'exit');
  const out = textOf(child.stdout);
  const err = textOf(child.stderr);
  // The second line is not finished, and nothing more comes.
  child.stdin.write(`${JSON.stringify({ id: '1', pk: 'a' })}\n{"id":"2","pk":"a"}`);
  while ((await inside.read('1', 'a')) === undefined) await new Promise((resolve) => setImmediate(resolve));

  child.kill('SIGINT');

  expect((await exited)[0]).toBe(1);
  expect(out()).toContain('1 document written');
  expect(err()).toContain('Interrupted.');
  expect(await inside.read('2', 'a')).toBeUndefined();
});

test('an export goes on where its state file says, and cuts off what came after it', async () => {
  const { name, inside } = await make();
  for (const id of numbers(250)) await inside.upsert({ id, pk: 'a' });
  const file = join(folder, 'part.jsonl');
  const child = launch(['export', name, file, '--page', '1', ...there()]);
  const exited = once(child, 'exit');
  const size = (): number => {
    try {
      return readFileSync(file).length;
    } catch {
      return 0;
    }
  };
  while (size() === 0) await new Promise((resolve) => setImmediate(resolve));
  child.kill('SIGINT');
  expect((await exited)[0]).toBe(1);
  writeFileSync(file, 'torn line', { flag: 'a' });

  const rest = await run('export', name, file);

  expect(rest).toMatchObject({ code: 0, err: expect.stringContaining('250 documents') });
  expect(ids(readFileSync(file, 'utf8')).sort()).toEqual(numbers(250).sort());
});

test('what was interrupted does not go on with another container of the same name', async () => {
  const { name, inside } = await make();
  const file = join(folder, 'renewed.jsonl');
  writeFileSync(file, jsonl(20_000));
  const child = launch(['import', name, file, ...there()]);
  const exited = once(child, 'exit');
  while ((await inside.read('500', 'k500')) === undefined) await new Promise((resolve) => setImmediate(resolve));
  child.kill('SIGINT');
  await exited;
  const out = join(folder, 'renewed-out.jsonl');
  const [owner = '', id = ''] = name.split('/');
  const { rid } = inside.info;
  const state = { what: 'export', target: `${server.url} ${name}`, rid, isBare: false };
  writeFileSync(`${out}.export-state`, JSON.stringify({ ...state, documents: 1, bytes: 3, continuation: 'r1:;FF=9' }));
  writeFileSync(out, '{}\n');
  await database.deleteContainer(owner, id);
  const renewed = await database.createContainer(owner, { id, partitionKey: { paths: ['/pk'], version: 2 } });

  for (const [command, path] of [
    ['import', file],
    ['export', out],
  ] as const) {
    const refused = await run(command, name, path);
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining(`its rid is '${rid}'`) });
  }
  expect(renewed.ranges[0]?.tailLsn).toBe(0);
});

test('a file that cannot be read or written is told in a sentence', async () => {
  const { name, inside } = await make();
  await inside.create({ id: '1', pk: 'a' });
  const cases = [
    ['import', folder, 'read'],
    ['import', join(folder, 'nowhere'), 'read'],
    ['export', join(folder, 'nowhere', 'x'), 'written'],
    ['export', folder, 'written'],
  ] as const;
  for (const [command, path, word] of cases) {
    const { code, err } = await run(command, name, path, ...(command === 'export' ? ['--restart'] : []));
    expect([code, err]).toEqual([2, expect.stringContaining(`cannot be ${word}`)]);
    expect(err).not.toContain('    at ');
  }
});

test('an export into a folder names a file in it', async () => {
  const { name, inside } = await make();

  const refused = await run('export', name, folder);

  const file = join(folder, `${inside.id}.jsonl`);
  expect(refused).toMatchObject({
    code: 2,
    err: expect.stringContaining(`${folder} is a folder; name a file in it, as ${file}\n`),
  });
});

test('export and import are a pipe', async () => {
  const { name, inside } = await make({ ranges: 2 });
  for (const id of numbers(30)) await inside.upsert({ id, pk: `k${id}` });

  const { out, code } = await run('export', name);
  expect(code).toBe(0);
  const copied = await say(['import', 'db/copied', '--partition-key', '/pk', ...there()], { input: out });

  expect(copied.out).toBe('30 documents written (30 new, 0 replaced), 0 failed\n');
});

test('[B8] faults of every kind, and a split in the middle, cost time and nothing else', async () => {
  const troubled = await startServer({ database, chaos: true });
  const client = new RestClient({ endpoint: troubled.url, credential: { key: wellKnownKey } });
  const operations = ['bulk', 'list', 'feed', 'ranges'];
  const faults = [
    { kind: '429', retryAfterMs: 5, probability: 0.2, operation: operations },
    { kind: '503', when: 'before', probability: 0.1, operation: operations },
    { kind: '503', when: 'after', probability: 0.1, operation: ['bulk', 'feed', 'list'] },
    { kind: 'reset', when: 'after', probability: 0.05, operation: ['bulk', 'feed', 'list'] },
    { kind: '449', probability: 0.1, operation: ['bulk'] },
    { kind: '410', probability: 0.1, operation: ['bulk', 'feed'] },
  ];
  const { name, inside } = await make({ ranges: 2 });
  // The first contact of a command is one try: whether there is a server at all is to be known at once.
  for (const fault of faults)
    await client.admin('POST', ['faults'], { ...fault, seed: 3, container: inside.id, database: 'db' });
  const file = join(folder, 'troubled.jsonl');
  writeFileSync(file, jsonl(3_000));
  const there = ['--endpoint', troubled.url];

  const importing = say(['import', name, file, '--json', ...there]);
  while ((await inside.read('1000', 'k1000')) === undefined) await new Promise((resolve) => setImmediate(resolve));
  await inside.split(inside.ranges[0]?.id ?? '');
  const imported = await importing;
  const [exported, tailed] = await Promise.all([
    say(['export', name, '--page', '100', ...there]),
    say(['tail', name, '--from', 'beginning', '--until-drained', '--json', ...there]),
  ]);

  expect(JSON.parse(imported.out)).toMatchObject({ failed: 0, isComplete: true });
  expect(ids(exported.out).sort()).toEqual(numbers(3_000).sort());
  expect(ids(tailed.out).sort()).toEqual(numbers(3_000).sort());
  const listed = Object((await client.admin('GET', ['faults'])).json());
  expect(listed.faults.every(({ hits }: { hits: number }) => hits > 0)).toBe(true);
  await troubled.close();
});

test('a server that is not there, a wrong key and a missing container are told in a sentence', async () => {
  const closed = await startServer({ database });
  await closed.close();
  const nowhere = ['--endpoint', closed.url];
  const key = Buffer.alloc(64, 1).toString('base64');
  const own = await startServer({ memory: true, key });
  const [gone, wrong, missing, remote, named, bare, unset] = await Promise.all([
    say(['tail', 'db/c', ...nowhere]),
    say(['tail', 'db/c', ...there()], { env: { TIDEMARK_KEY: key } }),
    say(['tail', 'db/nothing', ...there()]),
    say(['tail', 'db/c', '--endpoint', 'https://192.0.2.1']),
    say(['tail', 'db', ...there()]),
    say(['tail', 'db/c', '--endpoint', 'localhost:8081']),
    say(['tail', 'db/c', '--endpoint', own.url]),
  ]);
  await own.close();

  expect(gone.code).toBe(1);
  expect(gone.err).toMatch(`tidemark: ${closed.url} cannot be reached: ECONNREFUSED. Is a server running there?`);
  expect(bare).toMatchObject({ code: 2, err: expect.stringContaining('begins with http:// or https://') });
  expect(unset).toMatchObject({ code: 1, err: expect.stringContaining('TIDEMARK_KEY is not set') });
  expect(wrong.err).not.toContain('TIDEMARK_KEY is not set');
  expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining('authorization') });
  expect(wrong.err).not.toContain(key);
  expect(missing).toMatchObject({ code: 1, err: expect.stringContaining('nothing') });
  expect(remote).toMatchObject({ code: 2, err: expect.stringContaining('TIDEMARK_KEY') });
  expect(named).toMatchObject({ code: 2, err: expect.stringContaining('DATABASE/CONTAINER') });
});
