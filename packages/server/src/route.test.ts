import { readFileSync } from 'node:fs';
import type { ResourceKind } from '@tidemark/model';
import { formatResourcePath, header, parseResourcePath } from '@tidemark/model';
import { describe, expect, test } from 'vitest';
import type { RequestHead } from './request.ts';
import { routeOf, routes } from './route.ts';

function head(verb: string, url: string, headers: Readonly<Record<string, string>> = {}): RequestHead {
  const path = parseResourcePath(url);
  if (path === undefined) throw new Error(`${url} is a path`);
  return { verb, path, headers, apiVersion: undefined, isSecure: false };
}

function errorOf(verb: string, url: string): { code: string; message: string } {
  try {
    routeOf(head(verb, url));
  } catch (error) {
    return error as { code: string; message: string };
  }
  throw new Error('there is a route');
}

/** What stands for the ids in the paths of the reference; of everything else it is a container and something in it. */
const namesOf: Readonly<Partial<Record<ResourceKind, readonly string[]>>> = {
  account: [],
  database: ['{db}'],
  container: ['{db}', '{c}'],
  user: ['{db}', '{user}'],
  permission: ['{db}', '{user}', '{permission}'],
  'client-encryption-key': ['{db}', '{key}'],
  offer: ['{rid}'],
  attachment: ['{db}', '{c}', '{id}', '{attachment}'],
  media: ['{media}'],
};

describe('the route table', () => {
  test('headers tell apart what shares a verb and a path', () => {
    const name = (headers: Readonly<Record<string, string>>, verb = 'POST'): string =>
      routeOf(head(verb, '/dbs/d/colls/c/docs', headers)).handle.name;
    expect(name({})).toBe('createDocument');
    expect(name({ [header.isBatch]: 'True', [header.isBatchAtomic]: 'True' })).toBe('commitBatch');
    expect(name({ [header.isBatch]: 'true', [header.isBatchAtomic]: 'false' })).toBe('commitBulk');
    expect(name({ [header.contentType]: 'application/query+json' })).toBe('queryDocuments');
    expect(name({ [header.isQueryPlan]: 'True' })).toBe('planQuery');
    expect(name({}, 'GET')).toBe('listDocuments');
    expect(name({ [header.changeFeed]: 'x' }, 'GET')).toBe('readChanges');
  });

  test('what writes documents says so, for their own limit counts', () => {
    const documents = '/dbs/d/colls/c/docs';
    const bodyOf = (verb: string, url: string, headers: Readonly<Record<string, string>> = {}) =>
      routeOf(head(verb, url, headers)).bodyOf;

    expect(bodyOf('POST', documents)).toBe('document');
    expect(bodyOf('POST', documents, { [header.isUpsert]: 'True' })).toBe('document');
    expect(bodyOf('PUT', `${documents}/1`)).toBe('document');
    expect(bodyOf('PATCH', `${documents}/1`)).toBe('document');
    expect(bodyOf('POST', documents, { [header.isBatch]: 'True', [header.isBatchAtomic]: 'True' })).toBe('batch');
    expect(bodyOf('POST', documents, { [header.isBatch]: 'True' })).toBe('batch');
    expect(bodyOf('POST', documents, { [header.contentType]: 'application/query+json' })).toBeUndefined();
    expect(bodyOf('POST', '/dbs')).toBeUndefined();
  });

  test('what is missing is named', () => {
    expect(errorOf('GET', '/dbs/d/colls/c/docs/1/attachments')).toMatchObject({ code: 'not-supported' });
    expect(errorOf('GET', '/dbs/d/colls/c/docs/1/attachments').message).toContain('attachment');
    expect(errorOf('GET', '/media/1').message).toContain('media');
    expect(errorOf('GET', '/addresses').message).toContain('address');
    expect(errorOf('POST', '/dbs/d/colls/c/operations/other').message).toContain("'other'");
    expect(errorOf('PATCH', '/dbs/d')).toMatchObject({ code: 'method-not-allowed' });
    expect(errorOf('PATCH', '/dbs/d').message).toContain('GET, DELETE');
  });

  test('docs/reference/server.md names every route', () => {
    const page = readFileSync(new URL('../../../docs/reference/server.md', import.meta.url), 'utf8');
    for (const { verb, kind, isFeed } of routes) {
      const names = namesOf[kind] ?? ['{db}', '{c}', '{id}'];
      const ids = isFeed ? names.slice(0, -1) : names;
      // The only thing that a container is sent by POST.
      const operation = verb === 'POST' && kind === 'container' && !isFeed ? 'partitionkeydelete' : undefined;
      const path = decodeURIComponent(formatResourcePath({ kind, isFeed, ids, operation }));
      expect(page, `${verb} ${path}`).toContain(`\`${verb} ${path}\``);
    }
  });
});
