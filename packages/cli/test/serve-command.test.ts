// `tidemark serve` as a real process: its first lines, its settings, its keys, its refusals and its end.

import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { RestClient } from '@tidemark/client';
import { wellKnownKey } from '@tidemark/model';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { alive, launch, say, serve, textOf } from './process.ts';

// Processes take their time to start where many tests run at once.
vi.setConfig({ testTimeout: 240_000 });

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidemark-serve-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const keyOf = (letter: string): string => Buffer.from(letter.repeat(64)).toString('base64');
const client = (endpoint: string, key: string): RestClient => new RestClient({ endpoint, credential: { key } });

test('the five lines that it prints work when they are pasted', async () => {
  const server = await serve(['--memory']);
  const [snippet = ''] = /( {2}import \{ CosmosClient \}(?:.*\n){5})/.exec(server.words()) ?? [];
  const here = join(folder, 'pasted');
  mkdirSync(here);
  symlinkSync(fileURLToPath(new URL('../../../node_modules', import.meta.url)), join(here, 'node_modules'), 'junction');
  writeFileSync(join(here, 'paste.mjs'), snippet);

  const { stdout } = await promisify(execFile)(process.execPath, [join(here, 'paste.mjs')]);

  expect(snippet.trimEnd().split('\n')).toHaveLength(5);
  expect(stdout).toContain('Brest');
  const [, line = ''] = /connection string +(.+)/.exec(server.words()) ?? [];
  const shell = promisify(execFile)('sh', ['-c', `${line}\nprintf %s "$COSMOS_CONNECTION_STRING"`]);
  expect((await shell).stdout).toBe(`AccountEndpoint=${server.url}/;AccountKey=${wellKnownKey};`);
  expect(server.words()).toContain('in memory: nothing is kept');
  const [, docs = ''] = /documentation +(\S+)/.exec(server.words()) ?? [];
  expect(existsSync(docs)).toBe(true);
  expect(await server.end()).toBe(0);
});

test('[SEC9] a file counts less than the environment and that less than a flag; keys are never shown', async () => {
  const here = join(folder, 'settings');
  mkdirSync(here);
  writeFileSync(
    join(here, 'tidemark.json'),
    JSON.stringify({ port: 1, host: '127.0.0.2', history: '1h', chaos: true }),
  );
  const env = { TIDEMARK_PORT: '2', TIDEMARK_HISTORY: '2h', TIDEMARK_KEY: keyOf('s') };

  const [text, json, wrong] = await Promise.all([
    say(['config', 'show', '--port', '3'], { cwd: here, env }),
    say(['config', 'show', '--port', '3', '--json'], { cwd: here, env }),
    say(['serve'], { cwd: here, env: { TIDEMARK_HISTROY: '2h' } }),
  ]);

  expect(JSON.parse(json.out)).toMatchObject({
    port: { value: 3, origin: '--port' },
    history: { value: 7_200_000, origin: 'TIDEMARK_HISTORY' },
    host: { value: '127.0.0.2', origin: 'host in tidemark.json' },
    chaos: { value: true },
    data: { value: './tidemark-data', origin: 'default' },
    keys: { value: 'primary', origin: 'TIDEMARK_KEY' },
  });
  expect(text.out).toMatch(/^port +3 +--port$/m);
  for (const { out, err } of [text, json, wrong]) expect(out + err).not.toContain(keyOf('s'));
  expect(wrong).toMatchObject({ code: 2, out: '', err: expect.stringContaining('Did you mean TIDEMARK_HISTORY?') });
});

test('[M18] [SEC7] keys of one’s own: those work, the well-known one does not, and none is ever printed', async () => {
  const env = { TIDEMARK_KEY: keyOf('p'), TIDEMARK_KEY_READONLY: keyOf('r') };
  const server = await serve(['--memory', '--host', '0.0.0.0'], { env });
  const url = `http://127.0.0.1:${server.port}`;

  await client(url, keyOf('p')).createDatabase('db');
  expect(await client(url, keyOf('r')).databases()).toHaveLength(1);
  await expect(client(url, keyOf('r')).createDatabase('other')).rejects.toMatchObject({ code: 'forbidden' });
  await expect(client(url, wellKnownKey).databases()).rejects.toMatchObject({ code: 'unauthorized' });
  expect(await server.end()).toBe(0);
  expect(server.words()).toContain('TIDEMARK_KEY');
  for (const secret of [keyOf('p'), keyOf('r')]) expect(server.words()).not.toContain(secret);
});

test('[M18] [SEC8] SIGHUP reads the key file again; one that is wrong changes nothing', async () => {
  const keyFile = join(folder, 'keys.json');
  const write = (content: string): void => writeFileSync(keyFile, content, { mode: 0o600 });
  write(JSON.stringify({ primary: keyOf('1') }));
  const server = await serve(['--memory', '--key-file', keyFile]);
  const hangUp = async (words: string): Promise<void> => {
    server.child.kill('SIGHUP');
    while (!server.words().includes(words)) await alive(server.child, once(server.child.stderr, 'data'));
  };
  await client(server.url, keyOf('1')).databases();

  write(JSON.stringify({ primary: keyOf('2'), secondary: keyOf('3') }));
  await hangUp('count from now on');
  await client(server.url, keyOf('2')).databases();
  await client(server.url, keyOf('3')).databases();
  await expect(client(server.url, keyOf('1')).databases()).rejects.toMatchObject({ code: 'unauthorized' });
  write(`{"primary":"${keyOf('4')}"`);
  await hangUp('the keys stay as they are');
  await client(server.url, keyOf('2')).databases();

  expect(await server.end()).toBe(0);
  for (const letter of ['1', '2', '3', '4']) expect(server.words()).not.toContain(keyOf(letter));
});

test('a start that is refused says why, leaves no new folder, and touches no old one', async () => {
  const server = await serve(['--memory']);
  const port = String(server.port);
  const dataOf = (name: string): string => join(folder, 'new', name, 'data');

  const [taken, exposed, badKey, swallowed, foreign] = await Promise.all([
    say(['serve', '--port', port, '--data', dataOf('a')]),
    say(['serve', '--port', '0', '--host', '0.0.0.0', '--data', dataOf('b')]),
    say(['serve', '--port', '0', '--data', dataOf('c')], { env: { TIDEMARK_KEY: 'short' } }),
    say(['--data', dataOf('d')], { env: { npm_lifecycle_event: 'start', npm_config_memory: 'true' } }),
    say(['serve', '--port', '0', '--data', fileURLToPath(new URL('.', import.meta.url))]),
  ]);

  expect(taken).toMatchObject({ code: 1, out: '', err: expect.stringContaining(`Port ${port} is taken`) });
  expect(exposed).toMatchObject({ code: 1, out: '', err: expect.stringContaining('--insecure-default-key') });
  expect(badKey).toMatchObject({ code: 2, out: '', err: expect.stringMatching(/TIDEMARK_KEY.*base64.*openssl rand/) });
  expect(badKey.err).not.toContain('short');
  expect(swallowed).toMatchObject({ code: 2, out: '', err: expect.stringContaining('npm start -- --memory') });
  expect(foreign).toMatchObject({ code: 1, err: expect.stringContaining('not a Tidemark data folder') });
  expect(existsSync(join(folder, 'new'))).toBe(false);
  expect(existsSync(fileURLToPath(import.meta.url))).toBe(true);
  expect(await server.end()).toBe(0);
});

test('a folder for backups that is a file, or lies in one, refuses the start and leaves no folder', async () => {
  const file = join(folder, 'a-file');
  writeFileSync(file, '');
  const data = join(folder, 'untouched');
  for (const backups of [file, join(file, 'inside', 'it')]) {
    const refused = await say(['serve', '--port', '0', '--data', data, '--backup-folder', backups]);

    const words = `The folder for backups, ${backups}, cannot be a folder: it, or something above it, is a file. Choose another folder.\n`;
    expect(refused).toMatchObject({ code: 1, out: '', err: `tidemark: ${words}` });
    expect(existsSync(data)).toBe(false);
  }
});

test('every flag reaches the server', async () => {
  const publicUrl = 'https://db.example:8443';
  const flags = [
    '--public-url',
    publicUrl,
    '--cors-origin',
    'https://app.example',
    '--history',
    '1h',
    '--log-level',
    'debug',
    '--consistency',
    'boundedstaleness',
  ];
  const server = await serve(['--memory', '--chaos', '--throttle', '--legacy-tls', ...flags]);
  const account = client(server.url, wellKnownKey);
  await account.createDatabase('db');
  const definition = { id: 'c', partitionKey: { paths: ['/pk'], version: 2 } };
  const container = await account.createContainer('db', definition, { throughput: 400 });

  expect(await account.account()).toMatchObject({
    writableLocations: [{ databaseAccountEndpoint: `${publicUrl}/` }],
    userConsistencyPolicy: { defaultConsistencyLevel: 'BoundedStaleness' },
  });
  expect(server.words()).toContain(`AccountEndpoint=${publicUrl}/`);
  expect(server.words()).toContain('TLS 1.0');
  const preflight = await fetch(server.url, { method: 'OPTIONS', headers: { origin: 'https://app.example' } });
  expect(preflight.headers.get('access-control-allow-origin')).toBe('https://app.example');
  expect((await container.changes({ mode: 'all-versions', from: 'beginning' })).isDrained).toBe(true);
  expect((await account.admin('GET', ['faults'])).status).toBe(200);
  // Each costs more than a second's worth; how fast they come is the machine's business.
  const large = 'x'.repeat(1024 * 1024);
  const statuses: (number | undefined)[] = [];
  while (!statuses.includes(429)) {
    const writes = ['1', '2', '3', '4'].map((id) =>
      container.upsertDocument(['a'], { id, pk: 'a', large }, { retryMsMax: 0 }).then(
        () => 201,
        (error: { status?: number }) => error.status,
      ),
    );
    statuses.push(...(await Promise.all(writes)));
  }
  const logged = server
    .words()
    .split('\n')
    .filter((line) => line.startsWith('{'));
  expect(logged.some((line) => JSON.parse(line).operation === 'upsert')).toBe(true);
  expect(await server.end()).toBe(0);
});

test('[SEC6] the well-known key beyond loopback is allowed only in so many words, and then warned about', async () => {
  const server = await serve(['--memory', '--host', '0.0.0.0', '--insecure-default-key']);

  expect(server.words()).toContain('whoever reaches the port may do everything');
  expect(await client(`http://127.0.0.1:${server.port}`, wellKnownKey).databases()).toEqual([]);
  expect(await server.end()).toBe(0);
});

test('a certificate is not looked for in a file', async () => {
  const data = join(folder, 'a-file');
  writeFileSync(data, 'not a folder');

  const { code, err } = await say(['cert', '--data', data]);

  expect(code).toBe(2);
  expect(err).toContain(`The certificate cannot be read or made in ${data}: `);
  expect(err).not.toContain('    at ');
});

test('HTTPS with the certificate that `tidemark cert` prints; --https-only answers nothing else', async () => {
  const data = join(folder, 'tls-data');
  const server = await serve(['--data', data, '--https-only']);
  const { path, pem } = JSON.parse((await say(['cert', '--data', data, '--json'])).out);
  const endpoint = ['--endpoint', `https://localhost:${server.port}`];

  const [trusted, untrusted, plain, printed, help, fresh] = await Promise.all([
    say(['health', ...endpoint], { env: { NODE_EXTRA_CA_CERTS: path } }),
    say(['health', ...endpoint]),
    say(['health', '--endpoint', `http://localhost:${server.port}`]),
    say(['cert', '--data', data, '--pem']),
    say(['cert', '--data', data, '--port', String(server.port)]),
    say(['cert', '--data', join(folder, 'misspelt')]),
  ]);

  expect(server.url).toMatch(/^https:/);
  expect(trusted).toMatchObject({ code: 0, out: expect.stringMatching(/^status +ok/) });
  expect(untrusted).toMatchObject({ code: 1, err: expect.stringMatching(/NODE_EXTRA_CA_CERTS.*tidemark cert/) });
  expect(help.err).toBe('');
  expect(help.out).toContain(`https://localhost:${server.port}/\n`);
  expect(fresh).toMatchObject({ code: 0, err: expect.stringContaining('made just now') });
  expect(plain.code).toBe(1);
  expect(printed.out).toBe(pem);
  for (const word of ['Node', 'Java', '.NET', 'Python', 'curl', 'browser', path]) expect(help.out).toContain(word);
  expect(await server.end()).toBe(0);
});

test('in a terminal it greets people, and names commands that they can type', async () => {
  const data = join(folder, 'greeting');
  const terminal = join(folder, 'terminal.cjs');
  writeFileSync(terminal, 'process.stdout.isTTY = true;\nprocess.stderr.isTTY = true;\n');
  const env = { NODE_OPTIONS: `--require ${terminal}`, npm_command: 'start' };
  const child = launch(['serve', '--port', '0', '--data', data], { env });
  const [out, err] = [textOf(child.stdout), textOf(child.stderr)];

  while (!err().includes('Ctrl-C stops it.')) await alive(child, once(child.stderr, 'data'));
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');

  expect({ code, out: out() }).toEqual({ code: 0, out: '' });
  expect(err()).toMatch(/^\nTidemark is ready\.\n/);
  const [, port] = /endpoint +http:\/\/127\.0\.0\.1:(\d+)\n/.exec(err()) ?? [];
  expect(err()).toContain(`see npx tidemark cert --data ${data} --port ${port}\n`);
});

test('a second signal ends it at once, whatever is under way', async () => {
  const server = await serve(['--memory']);
  const socket = connect(server.port, '127.0.0.1');
  socket.on('error', () => {});
  // A request whose body never comes keeps the drain waiting.
  const date = new Date().toUTCString();
  const key = Buffer.from(wellKnownKey, 'base64');
  const signature = createHmac('sha256', key).update(`post\ndbs\n\n${date.toLowerCase()}\n\n`).digest('base64');
  const authorization = encodeURIComponent(`type=master&ver=1.0&sig=${signature}`);
  const head = [`authorization: ${authorization}`, `x-ms-date: ${date}`, 'content-length: 10', 'expect: 100-continue'];
  socket.write(`POST /dbs HTTP/1.1\r\nhost: x\r\n${head.join('\r\n')}\r\n\r\n`);
  // The server asks for the body: the request is under way.
  expect(String((await once(socket, 'data'))[0])).toContain('100 Continue');
  const exited = once(server.child, 'exit');
  let code: number | null | undefined;
  exited.then(([value]) => {
    code = value;
  });

  // The first starts the drain; the ones right after it are taken for the same keystroke.
  while (code === undefined) {
    server.child.kill('SIGINT');
    await Promise.race([exited, new Promise((resolve) => setTimeout(resolve, 50))]);
  }

  expect(code).toBe(1);
  socket.destroy();
});
