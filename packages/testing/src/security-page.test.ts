// docs/security.md claims nothing that is not required to have a test, and nothing is required that it does not claim.

import { expect, test } from 'vitest';
import { readText } from './source-tree.ts';

const [, table = ''] = /<!-- claims -->([\s\S]*?)<!-- \/claims -->/.exec(readText('docs/security.md')) ?? [];
const claims = [...table.matchAll(/^\| (SEC\d+) \| (.+)\. \|$/gm)].map(([, id = '', title = '']) => ({ id, title }));
const required: readonly { id: string; title: string }[] = JSON.parse(readText('packages/testing/required-ids.json'));

test('every claim of the page about security is required to have a test, in the same words', () => {
  expect(claims.length).toBeGreaterThan(0);
  expect(claims).toEqual(required.filter(({ id }) => /^SEC\d+$/.test(id)));
});

test('what the page says beside the table refers to claims that there are', () => {
  const named = new Set([...readText('docs/security.md').matchAll(/SEC\d+/g)].map(([id]) => id));

  expect([...named].filter((id) => !claims.some((claim) => claim.id === id))).toEqual([]);
});

test('[SEC20] every package comes with its digest, and runs nothing while it is installed', () => {
  const lock: { packages: Record<string, { integrity?: string; link?: boolean }> } = JSON.parse(
    readText('package-lock.json'),
  );
  const fetched = Object.entries(lock.packages).filter(
    ([path, { link }]) => path.includes('node_modules/') && link !== true,
  );

  expect(
    fetched.filter(([, { integrity }]) => integrity?.startsWith('sha512-') !== true).map(([path]) => path),
  ).toEqual([]);
  expect(readText('.npmrc')).toMatch(/^ignore-scripts=true$/m);
});
