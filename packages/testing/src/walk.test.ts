// The walk of somebody who has nothing but the README, from the first start to a restored backup. The programs and commands are
// those that stand in it, in their order, as processes of their own; only the port differs.

import type { ChildProcessByStdio } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { openGroup } from '@tidemark/processor';
import { wellKnownKey } from '@tidemark/server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commandLine } from './programs.ts';
import { snippetOf, snippetsOf } from './snippets.ts';
import { repositoryRoot } from './source-tree.ts';
import { steadyPort } from './steady-port.ts';

const walkMsMax = 5 * 60_000;

let folder: string;
const children = new Set<Program>();

beforeAll(() => {
  // Inside the repository, so that the programs find the packages they import.
  folder = mkdtempSync(join(repositoryRoot, 'node_modules', '.walk-'));
});
afterAll(async () => {
  for (const child of children) await child.end('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** The commands of README in their order, without their comments. */
const commands = snippetsOf('README.md', 'sh').flatMap((block) =>
  block
    .trim()
    .split('\n')
    .map((line) => line.replace(/ +#.*/, '')),
);

/** The one that begins like this, as the arguments of the program. */
function commandOf(beginning: string): string[] {
  const found = commands.find((line) => line.startsWith(beginning));
  if (found === undefined) throw new Error(`README has no command ${beginning}`);
  return (
    found
      .replace(/^(npm start( --)?|npx tidemark) ?/, '')
      .match(/"[^"]*"|[^ ]+/g)
      ?.map((word) => word.replaceAll('"', '')) ?? []
  );
}

test('[M1] [M4] [M10] [M20] [B6] [B8] the walk of README, from the first start to a restored backup', {
  timeout: walkMsMax,
}, async () => {
  // It ends and comes back where it was.
  const port = ['--port', String(await steadyPort())];
  const first = run([commandLine, ...commandOf('npm start'), ...port]);
  await first.says(/"ready":true/);
  const { url } = JSON.parse(first.out());
  expect(await first.end('SIGINT')).toBe(0);
  // From here on with a place for backups, as the README says further down; whoever follows it starts again there.
  const server = run([commandLine, ...commandOf('npm start -- --backup'), ...port]);
  await server.says(/"ready":true/);
  const here = { TIDEMARK_ENDPOINT: url };
  const inPrograms = { COSMOS_CONNECTION_STRING: connectionStringOf(url) };
  const tidemark = (beginning: string) => run([commandLine, ...commandOf(`npx tidemark ${beginning}`)], here);
  const save = (name: string, word: string): string => {
    const path = join(folder, name);
    writeFileSync(path, snippetOf('README.md', 'js', word));
    return path;
  };

  // Write with the SDK, and see the change.
  const feed = save('feed.mjs', 'CosmosClient');
  const write = async (): Promise<string> => {
    const program = run([feed], inPrograms);
    expect(await program.ended, program.err()).toBe(0);
    return program.out();
  };
  const order = await write();
  expect(order).toContain("customer: 'ada'");
  expect(order).toContain('_lsn: 1');
  const tail = tidemark('tail');
  // It shows what is written from its start on, and when that was only it knows.
  while (tail.out() === '') await write();
  expect(tail.out()).toContain('["ada"]  "1"  {"customer":"ada","total":10}');
  expect(await tail.end('SIGINT')).toBe(0);

  // Ask.
  const query = tidemark('query shop/orders "');
  expect(await query.ended, query.err()).toBe(0);
  expect(query.out()).toBe('{"customer":"ada","total":10}\n');
  const listed = tidemark('ls shop');
  expect(await listed.ended, listed.err()).toBe(0);
  expect(listed.out()).toContain('orders');

  // Run a processor, kill it, and run two.
  expect(snippetOf('README.md', 'js', 'createProcessor').trim().split('\n').length).toBeLessThanOrEqual(26);
  const billing = save('billing.mjs', 'createProcessor');
  const killed = run([billing, 'a'], inPrograms);
  await killed.says(/^bill ada: 10$/m);
  await killed.end('SIGKILL');
  const hosts = { a: run([billing, 'a'], inPrograms), b: run([billing, 'b'], inPrograms) };
  await write();
  await hosts.a.says(/^bill ada: 10$/m);

  // Split the range: both have one.
  const split = tidemark('split');
  expect([await split.ended, split.out()]).toEqual([0, 'Range 0 is now the ranges 1 and 2.\n']);
  const account = { endpoint: url, key: wellKnownKey, database: 'shop' };
  const source = { ...account, container: 'orders' };
  const desk = openGroup({ source, leases: { ...account, container: 'leases' }, name: 'billing' });
  const shares = async () => (await desk.status()).hosts.map(({ instance, ranges }) => `${instance} ${ranges}`).sort();
  await expect.poll(shares, { timeout: walkMsMax, interval: 250 }).toEqual(['a 1', 'b 1']);
  await write();
  const billed = () => [hosts.a, hosts.b].flatMap((host) => host.out().match(/^bill/gm) ?? []).length;
  while (billed() < 2) await Promise.race([hosts.a.more(), hosts.b.more()]);
  await expect.poll(async () => (await desk.lag()).items, { timeout: walkMsMax, interval: 250 }).toBe(0);
  const lag = tidemark('lag');
  expect(await lag.ended, lag.err()).toBe(0);
  expect(lag.out()).toMatch(/^1 +[ab] /m);
  expect(lag.out()).toMatch(/^2 +[ab] /m);
  expect(lag.out()).toContain('In all: 0 changes, 0 seconds behind.');
  for (const host of [hosts.a, hosts.b]) expect(await host.end('SIGINT'), host.err()).toBe(0);

  // Back up, restore, and go on with what was restored.
  const backup = tidemark('backup');
  expect(await backup.ended, backup.err()).toBe(0);
  const restore = tidemark('restore');
  expect(await restore.ended, restore.err()).toBe(0);
  expect(await server.end('SIGINT')).toBe(0);
  const restored = run([commandLine, ...commandOf('npm start -- --data restored'), ...port]);
  await restored.says(/"ready":true/);
  expect(await write()).toContain("customer: 'ada'");
  expect(await restored.end('SIGINT')).toBe(0);

  function run(args: readonly string[], environment: NodeJS.ProcessEnv = {}): Program {
    const program = new Program(args, environment);
    children.add(program);
    return program;
  }
});

test('the processor of README says at once that no server runs', async () => {
  const path = join(folder, 'alone.mjs');
  const url = `http://127.0.0.1:${await steadyPort()}`;
  writeFileSync(path, snippetOf('README.md', 'js', 'createProcessor'));
  const startedMs = performance.now();
  const program = new Program([path, 'a'], { TIDEMARK_ENDPOINT: url });
  children.add(program);

  expect(await program.ended).toBe(1);
  expect(program.err()).toContain(`${url} cannot be reached: ECONNREFUSED.`);
  // Where it is tried again, that takes half a minute.
  expect(performance.now() - startedMs).toBeLessThan(25_000);
}, 60_000);

/** As the server prints it. */
function connectionStringOf(url: string): string {
  return `AccountEndpoint=${url}/;AccountKey=${wellKnownKey};`;
}

/** A process, with all that it has said. */
class Program {
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  readonly ended: Promise<number | null>;
  #out = '';
  #err = '';

  constructor(args: readonly string[], environment: NodeJS.ProcessEnv) {
    const env = { ...process.env, ...environment };
    this.#child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child.stdout.on('data', (chunk: Buffer) => {
      this.#out += chunk.toString();
    });
    this.#child.stderr.on('data', (chunk: Buffer) => {
      this.#err += chunk.toString();
    });
    this.ended = once(this.#child, 'close').then(([code]: (number | null)[]) => code ?? null);
  }

  out(): string {
    return this.#out;
  }

  err(): string {
    return this.#err;
  }

  /** Something more on standard output. */
  async more(): Promise<void> {
    const end = this.ended.then((code) => {
      throw new Error(`it ended with ${code}: ${this.#err}`);
    });
    await Promise.race([once(this.#child.stdout, 'data'), end]);
  }

  async says(wanted: RegExp): Promise<void> {
    while (!wanted.test(this.#out)) await this.more();
  }

  async end(signal: NodeJS.Signals): Promise<number | null> {
    this.#child.kill(signal);
    return this.ended;
  }
}
