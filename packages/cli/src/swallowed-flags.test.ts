import { expect, test } from 'vitest';
import { checkSwallowedFlags } from './swallowed-flags.ts';

const flags = ['--memory', '--key-file <FILE>', '--port <N>', '--key <JSON>'];

test('flags that npm kept to itself are named, with the way to write them', () => {
  const start = { npm_lifecycle_event: 'start' };
  expect(() => checkSwallowedFlags({ ...start, npm_config_memory: 'true' }, flags)).toThrow('npm start -- --memory');
  expect(() => checkSwallowedFlags({ ...start, npm_config_key_file: 'true' }, flags)).toThrow('-- --key-file …');
  const run = { npm_lifecycle_event: 'tidemark', npm_config_port: '7' };
  expect(() => checkSwallowedFlags(run, flags)).toThrow('npm run tidemark -- --port 7');
});

test('what npm sets on its own, and what it sets elsewhere, is no flag of ours', () => {
  const start = { npm_lifecycle_event: 'start', npm_config_key: 'null', npm_config_memory: '', npm_config_cache: '/x' };
  expect(() => checkSwallowedFlags(start, flags)).not.toThrow();
  expect(() => checkSwallowedFlags({ npm_config_memory: 'true' }, flags)).not.toThrow();
});
