import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { ConfigSources } from './config.ts';
import { readConfig } from './config.ts';
import { flagOf, settingNames, variableOf } from './settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'tidemark-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;

function fileOf(content: unknown): string {
  files += 1;
  const path = join(folder, `${files}.json`);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

function read(sources: Partial<ConfigSources>) {
  return readConfig({ flags: {}, environment: {}, file: fileOf({}), ...sources });
}

test('without anything the defaults are the emulator’s port, this machine, and a folder here', () => {
  const { settings, origins } = read({});

  expect(settings).toMatchObject({ port: 8081, host: '127.0.0.1', data: './tidemark-data', memory: false, history: 0 });
  expect(new Set(Object.values(origins).map(({ kind }) => kind))).toEqual(new Set(['default']));
});

test('a file counts less than the environment, and that less than a flag', () => {
  const file = fileOf({ port: 1, host: '::1', throttle: true, logLevel: 'info' });
  const environment = { TIDEMARK_PORT: '2', TIDEMARK_LOG_LEVEL: 'debug', TIDEMARK_CHAOS: 'true', TIDEMARK_DATA: '' };

  const { settings, origins } = read({ file, environment, flags: { port: '3', history: '24h' } });

  expect(settings).toMatchObject({ port: 3, host: '::1', logLevel: 'debug', chaos: true, throttle: true });
  expect(settings.history).toBe(86_400_000);
  expect([origins.port.name, origins.logLevel.name, origins.host.name, origins.data.name]).toEqual([
    '--port',
    'TIDEMARK_LOG_LEVEL',
    `host in ${file}`,
    'default',
  ]);
});

test('a consistency is taken in any case', () => {
  expect(read({}).settings.consistency).toBe('Session');
  expect(read({ environment: { TIDEMARK_CONSISTENCY: 'eventual' } }).settings.consistency).toBe('Eventual');
  expect(read({ file: fileOf({ consistency: 'Strong' }) }).settings.consistency).toBe('Strong');
});

test('every setting has a flag and a variable of its own', () => {
  expect(flagOf('httpsOnly')).toBe('--https-only');
  expect(variableOf('httpsOnly')).toBe('TIDEMARK_HTTPS_ONLY');
  expect(new Set(settingNames.map(variableOf)).size).toBe(settingNames.length);
});

test('a variable may name the file', () => {
  const environment = { TIDEMARK_CONFIG: fileOf({ port: 7 }) };
  expect(readConfig({ flags: {}, environment, file: undefined }).settings.port).toBe(7);
});

test.each<[string, Partial<ConfigSources>, string]>([
  ['an unknown name in a file', { file: fileOf({ prot: 1 }) }, 'There is no setting "prot"'],
  ['its neighbour', { file: fileOf({ prot: 1 }) }, 'Did you mean port?'],
  ['a key in a file', { file: fileOf({ secondaryKey: 'secret-value' }) }, 'file of their own'],
  ['an unknown variable', { environment: { TIDEMARK_HTTP_ONLY: 'true' } }, 'Did you mean TIDEMARK_HTTPS_ONLY?'],
  [
    'a port that is none',
    { environment: { TIDEMARK_PORT: '70000' } },
    'TIDEMARK_PORT must be a number from 0 to 65535',
  ],
  ['a port in a file', { file: fileOf({ port: 'x' }) }, "must be a number from 0 to 65535, not 'x'"],
  ['nothing as a folder', { flags: { data: '' } }, '--data must be something'],
  ['a duration without a unit', { flags: { history: '7' } }, '90s, 15m, 24h or 7d'],
  ['a level that is none', { flags: { logLevel: 'loud' } }, 'silent, error, warn, info, debug'],
  [
    'a consistency that is none',
    { environment: { TIDEMARK_CONSISTENCY: 'Stronger' } },
    'Strong, BoundedStaleness, Session, ConsistentPrefix, Eventual',
  ],
  ['a switch that is neither', { environment: { TIDEMARK_CHAOS: 'yes' } }, 'true or false'],
  ['an origin with a path', { flags: { corsOrigin: 'https://a.example/x' } }, 'origins such as'],
  ['a URL with a path', { flags: { publicUrl: 'https://a.example/x' } }, 'a URL such as'],
  ['a certificate without its key', { flags: { certificate: 'a.pem' } }, 'come together'],
  ['two places', { flags: { data: 'x', memory: true } }, 'not both'],
  ['broken JSON', { file: fileOf('{') }, 'not valid JSON'],
  ['an array', { file: fileOf([]) }, 'must hold a JSON object'],
  ['a missing file', { file: join(folder, 'none.json') }, 'There is no config file'],
])('%s is an error that says what to do', (_, sources, message) => {
  expect(() => read(sources)).toThrow(message);
  expect(() => read(sources)).not.toThrow('secret-value');
});

test('of a folder and memory in two places the one that counts more decides', () => {
  const environment = { TIDEMARK_DATA: '/x' };
  expect(read({ environment, flags: { memory: true } }).settings.memory).toBe(true);
  expect(read({ file: fileOf({ memory: true }), environment }).settings).toMatchObject({ memory: false, data: '/x' });
});

test('the variables of a cluster’s service named tidemark are not taken for settings', () => {
  const environment = {
    TIDEMARK_SERVICE_HOST: '10.0.0.1',
    TIDEMARK_SERVICE_PORT: '8081',
    TIDEMARK_PORT: 'tcp://10.0.0.1:8081',
    TIDEMARK_PORT_8081_TCP_ADDR: '10.0.0.1',
  };

  expect(read({ environment }).settings.port).toBe(8081);
});
