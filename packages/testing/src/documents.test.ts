// The documents show code: this is where they are held to it.

import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startServer, wellKnownKey } from '@tidemark/server';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { commandLine } from './programs.ts';
import { snippetOf, snippetsOf } from './snippets.ts';
import { readText, repositoryRoot } from './source-tree.ts';
import { steadyPort } from './steady-port.ts';

/** A script starts a dozen processes, one after the other. */
const shellMsMax = 4 * 60_000;

/** What of a browser the page needs; it ends with the first event that shows something. */
const eventSourceStandIn = `
class EventSource {
  constructor(address) {
    void this.#read(address);
  }
  async #read(address) {
    let text = '';
    for await (const piece of (await fetch(address, { headers: { accept: 'text/event-stream' } })).body) {
      text += Buffer.from(piece).toString();
      const data = /^data: (.*)$/m.exec(text.slice(0, text.lastIndexOf('\\n')));
      if (data === null) continue;
      this.onmessage({ data: data[1] });
      process.exit();
    }
  }
}`;

let folder: string;

// Inside the repository, so that the snippets find the packages they import.
beforeEach(() => {
  folder = mkdtempSync(join(repositoryRoot, 'node_modules', '.snippet-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

test('[B11] the snippet that embeds the engine runs as it stands in README', async () => {
  const output = await run('embed.mts', embedding());

  expect(output).toContain("customer: 'ada'");
  expect(output).toContain('_lsn: 1');
});

test('the snippets of the guide to embedding are one program that runs as it stands, also after that of README', async () => {
  await run('embed.mts', embedding());

  const output = await run('guide.mts', snippetsOf('docs/guides/embedding.md', 'ts').join('\n'));

  expect(output).toContain('total: 15');
  expect(output).toContain('unique-key-violation');
  expect(output).toMatch(/^ada 20$/m);
  expect(output).toContain("status: 'ok'");
  expect(output).toContain('isClean: true');
});

test('[B9] [F33] the snippets of the guide to testing handlers run as they stand, and show what is wrong and what is right', async () => {
  const output = await run('handlers.mts', snippetsOf('docs/guides/testing-handlers.md', 'ts').join('\n'));

  const naive = /^naive: (\d+)$/m.exec(output)?.[1];
  expect(Number(naive)).toBeGreaterThan(2000);
  expect(output.match(/^idempotent, seed \d: 2000$/gm)).toHaveLength(5);
});

describe('the guide to local development', () => {
  const page = 'docs/guides/local-development.md';

  test('its test runs as it stands', async () => {
    const output = await run('guide.test.mjs', snippetOf(page, 'js', 'node:test'));

    expect(output).toMatch(/pass 1\n/);
  });

  test.each(['http', 'https'])('its client connects by %s', async (scheme) => {
    await using server = await startServer({ memory: true });
    const authority = join(folder, 'ca.pem');
    writeFileSync(authority, server.ca ?? '');
    const endpoint = `${scheme}://localhost:${server.port}/`;
    const environment = { TIDEMARK_ENDPOINT: endpoint, TIDEMARK_KEY: wellKnownKey, NODE_EXTRA_CA_CERTS: authority };

    const output = await run('client.mjs', snippetOf(page, 'js', 'TIDEMARK_ENDPOINT'), environment);

    expect(output).toBe(`${endpoint}\n`);
  });

  test('the lines of its CI job start a server and wait for it', { timeout: shellMsMax }, async () => {
    const [start = '', wait = ''] = [...readText(page).matchAll(/^ {2}- run: (.+)$/gm)].map((match) => match[1] ?? '');
    symlinkSync(repositoryRoot, join(folder, 'tidemark'));
    const port = await steadyPort();

    const output = await shell(`${start}\nSERVER=$!\n${wait}\nkill $SERVER\nwait $SERVER`, {
      TIDEMARK_PORT: String(port),
      TIDEMARK_MEMORY: 'true',
    });

    expect(output).toBe('{"status":"ok"}');
  });
});

test('the guide to the change feed runs as it stands, also after README: its program, its shell lines, its page', async () => {
  const page = 'docs/guides/change-feed.md';
  await using server = await startServer({ memory: true });
  const environment = { TIDEMARK_ENDPOINT: server.url, TIDEMARK_KEY: wellKnownKey };
  await run('sdk.mjs', snippetOf('README.md', 'js', 'CosmosClient'), {
    COSMOS_CONNECTION_STRING: `AccountEndpoint=${server.url}/;AccountKey=${wellKnownKey};`,
  });

  const output = await run('feed.mjs', snippetsOf(page, 'js').join('\n'), environment);
  const lines = output.trimEnd().split('\n');
  const token = lines.pop() ?? '';
  const answer = await shell(`${token}\n${snippetsOf(page, 'sh').join('\n')}`, environment);
  const script = /<script>\n([\s\S]*)<\/script>/.exec(snippetOf(page, 'html', 'EventSource'))?.[1] ?? '';
  const shown = await run(
    'page.mjs',
    `${eventSourceStandIn}\nconst ${token};\n${script}`
      .replace('const TOKEN', 'const token')
      .replace('http://127.0.0.1:8081', server.url),
  );

  expect(lines).toEqual(['latest 1 10', 'replace 12 undefined', 'delete undefined 12']);
  expect(answer).toMatch(/^HTTP\/1\.1 304 /);
  expect(answer.toLowerCase()).toContain('preference-applied: wait=1\r\n');
  expect(answer).toMatch(/etag: ".+"/i);
  expect(answer).toMatch(/^data: .*"id":"2"/m);
  expect(shown).toBe('2\n');
});

test('[M10] [B5] [B6] the guide to the processor is one program that runs as it stands, and its shell lines after it', async () => {
  await using server = await startServer({ memory: true });
  const environment = { TIDEMARK_ENDPOINT: server.url, TIDEMARK_KEY: wellKnownKey };

  const output = await run('processor.mjs', snippetsOf('docs/guides/processor.md', 'js').join('\n'), environment);

  const command = `npx() { shift; '${process.execPath}' '${commandLine}' "$@" || [ $? = 1 ]; }`;
  const shown = await shell(`${command}\n${snippetsOf('docs/guides/processor.md', 'sh').join('\n')}`, environment);

  expect(shown).toContain('0 dead letters.\nThere are no dead letters.\n');
  expect(shown).toContain('In all: 0 changes, 0 seconds behind.');
  expect(shown).toMatch(/^group +invoices$/m);
  const lines = output.trimEnd().split('\n');
  expect(lines).toContain('bill ada: 10');
  expect(lines).toContain('parked 2: a negative total, 3 attempts');
  expect(lines).toContain('behind: 0 changes, 0 seconds');
  expect(lines).toContain('1 range, 0 hosts: No host of the group is running.');
  expect(lines).toContainEqual(expect.stringMatching(/^audit \d changes$/));
  expect(lines.filter((line) => line.startsWith('bill bob'))).toEqual(['bill bob: -1', 'bill bob: 12']);
});

test('the guide to operating is one script that runs as it stands', { timeout: shellMsMax }, async () => {
  const command = `tidemark() { '${process.execPath}' '${commandLine}' "$@"; }`;
  const port = String(await steadyPort());
  const script = snippetsOf('docs/guides/operating.md', 'sh').join('\n').replaceAll('8081', port);

  const output = await shell(`${command}\n${script}`, { TIDEMARK_KEY: '' });

  expect(output).toContain('{"status":"ok"}');
  expect(output).toContain('tidemark_healthy 1');
  expect(output).toContain('"customer":"bob"');
  expect(readFileSync(join(folder, 'copy.jsonl'), 'utf8').trimEnd().split('\n').sort()).toEqual([
    '{"id":"1","customer":"ada"}',
    '{"id":"2","customer":"bob"}',
  ]);
});

/** README's. Its feed never ends; the first change is enough. */
function embedding(): string {
  const snippet = snippetOf('README.md', 'ts', 'openDatabase');
  const bounded = snippet.replace('console.log(order);', '{ console.log(order); break; }');
  expect(bounded).not.toBe(snippet);
  return bounded;
}

async function run(name: string, code: string, environment: NodeJS.ProcessEnv = {}): Promise<string> {
  const path = join(folder, name);
  writeFileSync(path, code);
  const args = [...(name.endsWith('.mts') ? ['--import', 'tsx'] : []), path];
  const env = { ...process.env, ...environment };
  // A test runner that runs inside another one reports to it and not to us.
  delete env['NODE_TEST_CONTEXT'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, timeout: shellMsMax, env });
  return stdout;
}

/** Stops at the first line that fails, and leaves nothing running. */
async function shell(script: string, environment: NodeJS.ProcessEnv): Promise<string> {
  const tidy = `trap 'for job in $(jobs -p) $SERVER; do kill $job 2> /dev/null || true; done' EXIT`;
  const args = ['-e', '-o', 'pipefail', '-c', `${tidy}\n${script}`];
  const env = { ...process.env, ...environment };
  const { stdout } = await promisify(execFile)('bash', args, { cwd: folder, timeout: shellMsMax, env });
  return stdout;
}
