import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ResourceKind } from './resource-path.ts';
import { formatResourcePath, parseResourcePath } from './resource-path.ts';

const name = fc.string({ unit: 'binary', minLength: 1, maxLength: 8 });
const depth: readonly [ResourceKind, number][] = [
  ['database', 1],
  ['container', 2],
  ['user', 2],
  ['client-encryption-key', 2],
  ['permission', 3],
  ['document', 3],
  ['stored-procedure', 3],
  ['trigger', 3],
  ['user-defined-function', 3],
  ['conflict', 3],
  ['partition-key-range', 3],
  ['schema', 3],
  ['attachment', 4],
  ['offer', 1],
  ['media', 1],
];
const names = fc.array(name, { minLength: 4, maxLength: 4 });

test('a path survives being written and parsed, with any slashes around it [wire 1]', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...depth),
      names,
      fc.boolean(),
      fc.constantFrom('', '/'),
      ([kind, levels], all, isFeed, slash) => {
        const ids = all.slice(0, isFeed ? levels - 1 : levels);
        const text = formatResourcePath({ kind, isFeed, ids, operation: undefined });

        expect(parseResourcePath(`${slash}${text}${slash}`)).toMatchObject({ kind, isFeed, ids });
      },
    ),
    { numRuns: 500 },
  );
});

test('a path as the clients encode it gives back the link they signed [wire 4]', () => {
  const id = fc.string({ unit: fc.constantFrom('a', ' ', '%', 'é', '+', '&', '=', ',', '😀', '"'), minLength: 1 });
  fc.assert(
    fc.property(id, (text) => {
      const link = `dbs/d/colls/c/docs/${text}`;

      expect(parseResourcePath(`/${encodeURI(link)}`)?.link).toBe(link);
    }),
  );
});
