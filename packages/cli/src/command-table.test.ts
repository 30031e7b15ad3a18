import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commands } from './command-table.ts';
import { otherVariables } from './config.ts';
import { flagOf, settingNames, settings, variableOf } from './settings.ts';

const page = readFileSync(new URL('../../../docs/reference/cli.md', import.meta.url), 'utf8');

/** `--poll <MS>` as the page writes it. */
const written = (flags: string): string => flags.replaceAll(/[<>]/g, '');

test('docs/reference/cli.md has every command with every flag', () => {
  for (const { name, options } of commands) {
    expect(page).toContain(`tidemark ${name}`);
    for (const { flags } of options) expect(page, `${name} ${flags}`).toContain(written(flags));
  }
});

test('docs/reference/cli.md has every setting with its variable, its name in a file and its meaning', () => {
  for (const name of settingNames) {
    const { argument, meaning } = settings[name];
    const flag = argument === undefined ? flagOf(name) : `${flagOf(name)} ${argument}`;
    expect(page).toContain(`| \`${flag}\` | \`${variableOf(name)}\` | \`${name}\` | ${meaning} |`);
  }
  for (const variable of otherVariables) expect(page).toContain(variable);
});

test('docs/reference/cli.md names no flag and no variable that is not there', () => {
  const flags = new Set(commands.flatMap(({ options }) => options.map((option) => option.flags.split(' ')[0])));
  const variables = new Set([...settingNames.map(variableOf), ...otherVariables]);

  const unknownFlags = [...page.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)]
    .map(([flag]) => flag)
    .filter((flag) => !flags.has(flag));
  const unknownVariables = [...page.matchAll(/TIDEMARK_[A-Z_]+/g)]
    .map(([name]) => name)
    .filter((name) => !variables.has(name));

  expect([...new Set(unknownFlags)]).toEqual(['--help']);
  expect(unknownVariables).toEqual([]);
});
