import { expect, test } from 'vitest';
import { readFlags } from './flags.ts';

test('the defaults are the emulator’s port, this machine, and a folder here', () => {
  const flags = { port: 8081, host: '127.0.0.1', data: './tidemark-data' };
  expect(readFlags([])).toEqual({ kind: 'serve', flags });
});

test('flags may be written with a space or with an equals sign', () => {
  const flags = { port: 0, host: '::1', data: undefined };
  expect(readFlags(['--port=0', '--host', '::1', '--memory'])).toEqual({ kind: 'serve', flags });
});

test.each([
  [['--por', '1'], 'Did you mean --port?'],
  [['--momery'], 'Did you mean --memory?'],
  [['--something-else'], 'There is no flag --something-else.'],
  [['--port', '70000'], 'from 0 to 65535'],
  [['--port='], 'from 0 to 65535'],
  [['--data='], 'need a value'],
  [['--memory', '--data', 'x'], 'not both'],
  [['here'], "'here'"],
  [['18081'], 'npm start -- --port'],
])('%j is wrong', (args, message) => {
  expect(readFlags(args)).toMatchObject({ kind: 'wrong', message: expect.stringContaining(message) });
});
