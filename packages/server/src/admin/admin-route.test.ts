import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { faultKinds } from '../faults.ts';
import { operations } from '../route.ts';
import { isAdminUrl } from './admin-request.ts';
import { adminRoutes, matchAdmin } from './admin-route.ts';

const head = (verb: string, ...segments: string[]) => ({ verb, segments, headers: {}, isPrivate: true });

test('a path leads to its route, with what stands for its names', () => {
  const match = matchAdmin(head('POST', '_tidemark', 'dbs', 'a b', 'colls', 'c', 'split'));

  expect(match?.route.path).toBe('/_tidemark/dbs/{db}/colls/{container}/split');
  expect(match?.parameters).toEqual({ db: 'a b', container: 'c' });
  expect(matchAdmin(head('GET', '_tidemark', 'other'))).toBeUndefined();
  expect(() => matchAdmin(head('DELETE', '_tidemark', 'health'))).toThrow('there are GET');
});

test('only what is below /_tidemark is the admin API', () => {
  expect(['/_tidemark', '/_tidemark/', '/_tidemark/health', '/_tidemark?x'].every(isAdminUrl)).toBe(true);
  expect(['/', '/_tidemarks', '/dbs/_tidemark', '/x/_tidemark/health'].some(isAdminUrl)).toBe(false);
});

test('docs/reference/admin.md names every route, every operation and every kind of fault', () => {
  const page = readFileSync(new URL('../../../../docs/reference/admin.md', import.meta.url), 'utf8');

  for (const { verb, path } of adminRoutes) expect(page).toContain(`\`${verb} ${path}\``);
  for (const operation of operations) expect(page).toContain(`\`${operation}\``);
  for (const kind of faultKinds) expect(page).toContain(`\`"${kind}"\``);
});
