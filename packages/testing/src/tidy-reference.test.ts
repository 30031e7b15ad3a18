// The reference is held to the code: what is made from it is not stale, and what is written by hand leaves nothing out.

import { readdirSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { header } from '@tidemark/model';
import { describe, expect, test } from 'vitest';
import { amount, reasonsOf } from '../../../scripts/docs/limits.ts';
import { generatedParts } from '../../../scripts/docs/pages.ts';
import { table, withPart } from '../../../scripts/docs/table.ts';
import { eventSourceParameters } from '../../server/src/event-source.ts';
import { doesExist, readSources, readText, repositoryRoot } from './source-tree.ts';

const pages = ['docs', 'docs/guides', 'docs/reference'].flatMap((folder) =>
  readdirSync(join(repositoryRoot, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`),
);
const rootPages = readdirSync(repositoryRoot).filter((name) => name.endsWith('.md'));

describe('parts that are made from the code', () => {
  test.each(generatedParts)('$page, $name', ({ page, name, make }) => {
    const text = readText(page);

    expect(withPart(text, name, make()), 'stale: run `npm run docs`').toBe(text);
  });

  test('every header of the list is read or sent by something that ships', () => {
    const shipped = readSources([
      'packages/server/src',
      'packages/client/src',
      'packages/processor/src',
      'packages/cli/src',
    ])
      .filter(({ isTest }) => !isTest)
      .map(({ code }) => code)
      .join('\n');

    const unused = Object.keys(header).filter((key) => !new RegExp(`\\bheader\\.${key}\\b`).test(shipped));

    expect(unused).toEqual([]);
  });
});

test('docs/reference/change-feed.md has every parameter of an event stream and no other', () => {
  const rows =
    /\| parameter \|[^\n]*\n\|---\|---\|\n((?:\|.*\n)+)/.exec(readText('docs/reference/change-feed.md'))?.[1] ?? '';
  const listed = [...rows.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, names = '']) =>
    names.replaceAll('`', '').split(', '),
  );

  expect(listed).toEqual(Object.keys(eventSourceParameters));
});

describe('links', () => {
  test.each([...rootPages, ...pages])('of %s lead somewhere', (page) => {
    const targets = [...readText(page).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map((match) => match[1] ?? '');

    const broken = targets.filter((target) => {
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? page : posix.join(dirname(page), path);
      if (!doesExist(file)) return true;
      return anchor !== undefined && !anchorsOf(readText(file)).includes(anchor);
    });

    expect(broken).toEqual([]);
  });

  test('docs/README.md leads to every page', () => {
    const index = readText('docs/README.md');

    const missing = pages
      .filter((page) => page !== 'docs/README.md')
      .filter((page) => !index.includes(`(${posix.relative('docs', page)})`));

    expect(missing).toEqual([]);
  });
});

describe('what makes the parts', () => {
  test('replaces what stands between the markers, and nothing else', () => {
    const text = 'a\n<!-- x -->\nold\n<!-- /x -->\nb';

    expect(withPart(text, 'x', 'new')).toBe('a\n<!-- x -->\n\nnew\n\n<!-- /x -->\nb');
    expect(() => withPart('a', 'x', 'new')).toThrow('no part');
    expect(table(['a'], [['1|2']])).toBe('| a |\n|---|\n| 1\\|2 |');
  });

  test('reads limits with their reasons and units', () => {
    const source =
      '/** Wire 7: one\n * two. */\nexport const aBytesMax = 1;\nexport const b = 2;\n\nexport const c = 3;\n';

    expect([...reasonsOf(source)]).toEqual([
      ['aBytesMax', 'One two.'],
      ['b', 'One two.'],
      ['c', ''],
    ]);
    expect(amount('aBytesMax', 3 * 1024 * 1024)).toBe('3 MiB');
    expect(amount('aBytesMax', 220_201)).toBe('220,201 bytes');
    expect(amount('aMsMax', 65_000)).toBe('65 s');
    expect(amount('a', 16_384)).toBe('16,384');
  });
});

/** Of the headings of a page, as GitHub makes them. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map((match) =>
    (match[1] ?? '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
