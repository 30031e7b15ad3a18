import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runs } from './run-table.ts';

test('every run has a short one among the tests and a row in the guide', () => {
  const guide = readFileSync(fileURLToPath(new URL('../docs/guides/reliability.md', import.meta.url)), 'utf8');
  for (const [name, { meaning }] of Object.entries(runs)) {
    expect(existsSync(fileURLToPath(new URL(`./${name}/${name}.test.ts`, import.meta.url))), name).toBe(true);
    expect(guide).toContain(`| \`${name}\` |`);
    expect(meaning.length).toBeLessThan(130);
  }
});
