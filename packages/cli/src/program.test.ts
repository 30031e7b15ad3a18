import dns from 'node:dns/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { commands } from './command-table.ts';
import { runProgram } from './program.ts';

afterEach(() => vi.restoreAllMocks());

async function say(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  let out = '';
  let err = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += text;
    return true;
  });
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    err += text;
    return true;
  });
  const code = await runProgram(args);
  vi.restoreAllMocks();
  return { code, out, err };
}

test.each(commands.map(({ name }) => [name]))('%s has a help with examples', async (name) => {
  const { code, out, err } = await say(...name.split(' '), '--help');

  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toContain(`Usage: tidemark ${name} `);
  expect(out).toMatch(/Examples:\n {2}.*tidemark/);
});

test('without arguments it says what it can do', async () => {
  const { code, out } = await say();

  expect(code).toBe(0);
  expect(out).toContain('Begin with tidemark serve');
  for (const { name } of commands) expect(out).toContain(`\n  ${name.split(' ')[0]} `);
});

test('the first help names every command and the exit codes', async () => {
  const { out } = await say('--help');

  for (const { name } of commands) expect(out).toContain(`\n  ${name.split(' ')[0]} `);
  expect(out).toContain('Exit codes: 0 done; 1 failed, or what is named is not there; 2');
});

test.each([
  [['tial', 'db/c'], 'Did you mean tail?'],
  [['tail', 'db/c', '--form', 'now'], 'Did you mean --from?'],
  [['start'], 'tidemark serve starts a server.'],
  [['tail'], "missing required argument 'container'\nA container is named DATABASE/CONTAINER"],
  [['merge', '--data', '.'], 'A container is named DATABASE/CONTAINER'],
  [['--prot', '1'], 'Did you mean --port?'],
  [['--port'], 'argument missing'],
  [['tail', 'db/c', '--port', '8081'], '--endpoint http://127.0.0.1:8081'],
  [['serve', 'here'], 'too many arguments'],
  [['query', 'db/c', 'SELECT', 'a.txt', 'b.txt', 'FROM', 'c'], 'The query is one argument, in quotes'],
  [['tail', 'db/c', '--limit', '0'], '--limit must be a number from 1'],
  [['tail', 'db/c', '--mode', 'all'], '--mode must be latest or all-versions'],
  [['tail', 'db/c', '--from', 'yesterday'], '--from must be beginning, now'],
  [['tail', 'db/c', '--from', 'c1:FF'], 'not a position'],
  [['split', 'db/c', '--at', 'xyz'], 'hexadecimal'],
])('%j is told in a sentence, with exit code 2', async (args, message) => {
  const { code, out, err } = await say(...args);

  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain(message);
  expect(err).toMatch(/^tidemark: /);
});

test('a machine that there is not is told before a key for it is asked for', async () => {
  vi.spyOn(dns, 'lookup').mockRejectedValue(Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' }));
  const nameless = await say('health', '--endpoint', 'http://loclahost:8081');
  const named = await say('health', '--endpoint', 'http://192.0.2.1:8081');

  expect(nameless.code).toBe(1);
  expect(nameless.err).toMatch(/no machine of the name in http:\/\/loclahost:8081: .* Did you mean localhost\?/);
  expect(named.code).toBe(2);
  expect(named.err).toMatch(/needs a key: set TIDEMARK_KEY.*COSMOS_CONNECTION_STRING/);
});

test('commands that need the dead letters say so in their help, and no other', async () => {
  const helps = await Promise.all(['dead-letters', 'replay', 'status'].map((name) => say('processor', name, '--help')));

  const required = helps.map(({ out }) => /--dead-letters <CONTAINER>[^-]*required/.test(out));
  expect(required).toEqual([true, true, false]);
});

test('the version is that of the package', async () => {
  expect((await say('--version')).out).toMatch(/^\d+\.\d+\.\d+\n$/);
});
