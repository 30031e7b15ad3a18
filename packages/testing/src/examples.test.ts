// Runs every example, so that documentation cannot rot: those for a server against one in a process of its own, twice, because
// whoever tries an example tries it again. That the packed packages run theirs too is shown by scripts/check-packages.mjs.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { wellKnownKey } from '@tidemark/model';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { commandLine } from './programs.ts';
import { readText, repositoryRoot } from './source-tree.ts';

// Processes take their time to start where many tests run at once.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const folder = join(repositoryRoot, 'examples');
const examples = readdirSync(folder).filter((name) => /\.(ts|mjs)$/.test(name));
const exampleLinesMax = 79;

/** By what they are about. */
const printedPrograms = [
  'ReadDocumentFeedAsync',
  'ReadPartitionKeyRangeFeedAsync',
  'GetChanges',
  'CreateDocumentChangeFeedQuery',
  'ChangeFeedHostOptions',
  'ChangeFeedEventHost',
  'DocumentFeedObserver',
  'DocumentFeedObserverFactory',
  'ChangeFeedProcessorBuilder',
  'readDocuments',
];

/** What the observer that the documents print says of three orders. */
const observed = [
  'Observer opened for partition Key Range: 0',
  'Change feed: PartitionId 0 total 3 doc(s)',
  'order 1',
  'order 2',
  'order 3',
  'Observer closed, 0',
  'Reason for shutdown, Shutdown',
];

/** What each of them prints: the first time, and once more on what it left. */
const expected: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'change-feed.mjs': [
    ['Lisbon (LSN 1), Oslo (LSN 2), Quito (LSN 3)', 'next one: Oslo, 23 m'],
    ['Lisbon (LSN 5), Oslo (LSN 6), Quito (LSN 7)', 'next one: Oslo, 23 m'],
  ],
  'device-alerts.mjs': [
    ['alert: furnace has 93 °C', 'alert: press has 81 °C', 'dead letter pump-1: celsius is "warm", not a number'],
    // The reading was sent again, and each version of it is a letter of its own.
    [
      'no new alert: that of furnace-2 is there already',
      'no new alert: that of press-1 is there already',
      'dead letter pump-1 of an earlier run: celsius is "warm", not a number',
      'dead letter pump-1: celsius is "warm", not a number',
    ],
  ],
  'leaderboard.mjs': [
    ['asteroids: cleo 990, ada 700, dora 610', 'breakout: bob 12'],
    ['asteroids: cleo 990, ada 700, dora 610', 'breakout: bob 12'],
  ],
  'repartition.mjs': [['0 orders missing, 0 stale', 'close behind: the shop goes over']],
  'read-document-feed.ts': [
    ['60 documents, one range after the other', '60 documents by 4 readers, one for each range'],
    ['60 documents, one range after the other', '60 documents by 4 readers, one for each range'],
  ],
  'get-changes.ts': [
    [
      'all: xsensr-1 20 Celsius, xsensr-2 990 psi',
      'created since: xsensr-201 1000 Celsius, xsensr-212 1000 psi',
      'too hot: xsensr-201 1200 Celsius',
      'of the last minutes: xsensr-1 20 Celsius, xsensr-2 990 psi, xsensr-201 1200 Celsius, xsensr-212 1200 psi',
      'of one device: xsensr-212 1200 psi',
    ],
    [
      'all: xsensr-201 1200 Celsius, xsensr-212 1200 psi, xsensr-1 20 Celsius, xsensr-2 990 psi',
      'created since: xsensr-201 1000 Celsius, xsensr-212 1000 psi',
      'too hot: xsensr-201 1200 Celsius',
      'of the last minutes: xsensr-1 20 Celsius, xsensr-2 990 psi, xsensr-201 1200 Celsius, xsensr-212 1200 psi',
      'of one device: xsensr-212 1200 psi',
    ],
  ],
  'change-feed-event-host.ts': [
    ['Running...', 'in London: Ada, Mary'],
    ['Running...', 'in London: Ada, Mary'],
  ],
  'change-feed-processor-builder.ts': [observed, observed],
  'embedded.ts': [['1: 15 (LSN 3)', '2: 20 (LSN 2)', '3: 30 (LSN 4)', 'after "4": order 2 is 25 now']],
  'model.ts': [
    [
      '… 0FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF',
      '0FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF … 1FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF',
      '1FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF … 2FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF  ← here',
      '2FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF … FF',
      'redmond hashes to 22E342F38A486A088463DFF7838A5963',
    ],
  ],
  'processor.ts': [['1000 changes handled, 0 of them twice', 'host-1 has 2 ranges', 'host-2 has 2 ranges']],
};

let url: string;
let stop: () => Promise<void>;

beforeAll(async () => {
  const args = [commandLine, 'serve', '--memory', '--port', '0'];
  const child = spawn(process.execPath, args, { cwd: repositoryRoot, stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await Promise.race([
    once(createInterface(child.stdout), 'line'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`the server ended with ${code}`))),
  ])) as [string];
  ({ url } = JSON.parse(line));
  stop = async () => {
    const exited = once(child, 'exit');
    child.kill();
    await exited;
  };
});
afterAll(() => stop());

test('examples are short enough to be read at once', () => {
  const lines = examples.map((name) => ({ name, lines: readText(`examples/${name}`).trimEnd().split('\n').length }));

  expect(lines.filter((example) => example.lines > exampleLinesMax)).toEqual([]);
});

test('every example has its line in examples/README.md and what it prints here', () => {
  const listed = [...readText('examples/README.md').matchAll(/^\| \[(.+?)\]\(\1\)/gm)].map((match) => match[1]);

  expect(listed.sort()).toEqual([...examples].sort());
  expect(Object.keys(expected).sort()).toEqual([...examples].sort());
});

test.each(examples)('examples/%s prints what it should', async (name) => {
  for (const lines of expected[name] ?? []) {
    const loader = name.endsWith('.ts') ? ['--import', 'tsx'] : [];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [...loader, join(folder, name)], {
      cwd: repositoryRoot,
      env: environmentOf(url),
    });

    // Devices and ranges are independent of each other: their lines come in any order.
    // What a processor says of itself is not of the example; a problem would be.
    const troubles = stderr.split('\n').filter((line) => !/^(?:|tidemark \S+: (?!\S+-\S+: ).*)$/.test(line));
    expect({ lines: linesOf(stdout), troubles }).toEqual({ lines: [...lines].sort(), troubles: [] });
  }
});

test('an example without a server says what to do', async () => {
  const run = promisify(execFile)(process.execPath, [join(folder, 'change-feed.mjs')], {
    cwd: repositoryRoot,
    env: environmentOf('http://127.0.0.1:1'),
  });

  await expect(run).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('npm start') });
});

test('the example of the official SDK takes its account as every other does, and refuses the same', async () => {
  const account = `AccountEndpoint=http://127.0.0.1:1/;AccountKey=${wellKnownKey};`;
  const run = (variables: NodeJS.ProcessEnv) =>
    promisify(execFile)(process.execPath, [join(folder, 'change-feed.mjs')], {
      cwd: repositoryRoot,
      env: { ...environmentOf(undefined), ...variables },
    });

  const refused = (words: string): object => ({ code: 1, stderr: expect.stringContaining(words) });

  await expect(run({ COSMOS_CONNECTION_STRING: account })).rejects.toMatchObject(refused('Nobody listens there'));
  const both = { COSMOS_CONNECTION_STRING: account, TIDEMARK_ENDPOINT: 'http://127.0.0.1:1' };
  await expect(run(both)).rejects.toMatchObject(refused('are both set'));
});

test('[M14] every program that the documents print has its port', () => {
  const [, table = ''] = readText('examples/README.md').split('| printed | here |');
  const ports = [...table.matchAll(/^\| (.+?) \| (.+) \|$/gm)].map(([, printed = '', here = '']) => {
    const links = [...here.matchAll(/\]\((.+?)\)/g)].map(([, link = '']) => link);
    return { printed, links, found: links.filter((link) => existsSync(join(folder, link))) };
  });
  const names = ports.flatMap(({ printed }) => [...printed.matchAll(/`(.+?)`/g)].map(([, name]) => name));

  expect(names).toEqual(expect.arrayContaining(printedPrograms));
  expect(ports.filter(({ links, found }) => links.length === 0 || found.length < links.length)).toEqual([]);
});

test('no program has a key in its code, here and in README.md', () => {
  const programs = [...examples.map((name) => `examples/${name}`), 'README.md'];

  for (const name of programs) expect(readText(name), name).not.toMatch(/[A-Za-z0-9+/]{60,}=*|AccountKey=\w/);
});

/** They know the key of a server of this machine. */
function environmentOf(endpoint: string | undefined): NodeJS.ProcessEnv {
  return { ...process.env, TIDEMARK_ENDPOINT: endpoint, TIDEMARK_KEY: undefined, COSMOS_CONNECTION_STRING: undefined };
}

function linesOf(text: string): string[] {
  return text
    .trim()
    .split('\n')
    .map((line) => line.trim())
    .sort();
}
