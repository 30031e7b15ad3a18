import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { wellKnownKey } from '@tidemark/model';
import { afterAll, expect, test } from 'vitest';
import { readKeys } from './keys.ts';

const folder = mkdtempSync(join(tmpdir(), 'tidemark-keys-'));
afterAll(() => rmSync(folder, { recursive: true }));

const key = (letter: string): string => Buffer.from(letter.repeat(32)).toString('base64');

function keyFile(name: string, content: string, mode: number): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

test('[M18] without keys of one’s own it is the well-known one', () => {
  expect(readKeys(undefined, {})).toMatchObject({ keys: { primary: wellKnownKey }, isWellKnown: true });
});

test('[M18] [SEC7] keys come from the environment', () => {
  const environment = { TIDEMARK_KEY: key('a'), TIDEMARK_KEY_READONLY: key('b'), TIDEMARK_KEY_SECONDARY: '' };

  const source = readKeys(undefined, environment);

  expect(source).toMatchObject({ keys: { primary: key('a'), readOnlyPrimary: key('b') }, origin: 'TIDEMARK_KEY' });
  expect(source).toMatchObject({ isWellKnown: false, warning: undefined });
});

test('[M18] [SEC7] keys come from a file, and one that others can read is warned about', () => {
  const content = JSON.stringify({ primary: key('a'), secondary: key('b') });

  expect(readKeys(keyFile('good.json', content, 0o600), {})).toMatchObject({
    keys: { secondary: key('b') },
    warning: undefined,
  });
  expect(readKeys(keyFile('open.json', content, 0o644), {}).warning).toContain('chmod 600');
});

test.each([
  ['{"primary":"topsecret",', 'not valid JSON'],
  ['[]', 'must be a JSON object'],
  ['{"primary":1}', 'at least 32 bytes in base64'],
  ['{"primary":"topsecret"}', 'at least 32 bytes in base64'],
  ['{"primry":"topsecret"}', 'There is no key "primry"'],
])('the key file %j is refused without showing what is in it', (content, message) => {
  const path = keyFile('bad.json', content, 0o600);
  expect(() => readKeys(path, {})).toThrow(message);
  expect(() => readKeys(path, {})).not.toThrow('topsecret');
});

test('two sources, a missing file and a missing primary key are errors', () => {
  const path = keyFile('both.json', JSON.stringify({ primary: key('a') }), 0o600);
  expect(() => readKeys(path, { TIDEMARK_KEY: key('b') })).toThrow('not in both');
  expect(() => readKeys(join(folder, 'none.json'), {})).toThrow('cannot be read');
  expect(() => readKeys(undefined, { TIDEMARK_KEY_SECONDARY: key('b') })).toThrow('TIDEMARK_KEY is missing');
});
