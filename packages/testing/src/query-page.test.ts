// The page about the language of queries is held to the language: its examples are run, its errors are those of the sources.

import { describe, expect, test } from 'vitest';
import { checkComposition } from '../../query/src/plan/composition.ts';
import { prepareQuery } from '../../query/src/query.ts';
import type { Value } from '../../query/src/value/value.ts';
import { allRows } from '../../query/test/all-pages.ts';
import { readSources, readText } from './source-tree.ts';

const page = 'docs/query.md';
const examples = readExamples(readText(page));

describe('an example of the page about queries is answered as it says', () => {
  test.each(examples.map((example) => [example.query, example] as const))('%s', (_, example) => {
    expect(answerTo(example)).toEqual(example.answer);
  });
});

test('every query of the page has an answer', () => {
  expect(readText(page).match(/^```sql$/gm)).toHaveLength(examples.length);
  expect(examples.length).toBeGreaterThan(20);
});

test('the page has every code of an error that a query can have, and no other', () => {
  const codes = (text: string): string[] => [...new Set(text.match(/\bSC\d{4}\b|\b2206\b/g))].sort();
  const sources = readSources(['packages/query/src'])
    .filter(({ isTest }) => !isTest)
    .map(({ code }) => code)
    .join('\n');
  const [, table = ''] = /\n## Errors\n([\s\S]*?)\n## /.exec(readText(page)) ?? [];

  expect(codes(table)).toEqual(codes(sources));
});

interface Example {
  readonly documents: readonly Value[];
  readonly query: string;
  readonly parameters: Readonly<Record<string, Value>>;
  /** Rows, or the message of an error. */
  readonly answer: readonly Value[] | string;
}

/** Documents are those of the last block that has some; an answer follows its query, and perhaps its parameters. */
function readExamples(text: string): readonly Example[] {
  const found: Example[] = [];
  let documents: readonly Value[] = [];
  const pattern =
    /^```(json documents|sql)\n([\s\S]*?)^```\n(?:\n```json parameters\n([\s\S]*?)^```\n)?(?:\n```(json|text)\n([\s\S]*?)^```\n)?/gm;
  for (const [, kind, body = '', parameters = '{}', form, answer = ''] of text.matchAll(pattern)) {
    if (kind !== 'sql') documents = rowsOf(body);
    else if (form !== undefined) {
      const rows = answer === 'no rows\n' ? [] : form === 'json' ? rowsOf(answer) : answer.trimEnd();
      // It is JSON.
      found.push({ documents, query: body, parameters: JSON.parse(parameters) as Example['parameters'], answer: rows });
    }
  }
  return found;
}

function rowsOf(lines: string): readonly Value[] {
  return lines
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Value);
}

/** As over all partitions. */
function answerTo({ documents, query, parameters }: Example): Example['answer'] {
  try {
    checkComposition(prepareQuery(query, Object.keys(parameters)));
    const named = Object.entries(parameters).map(([name, value]) => ({ name, value }));
    return allRows({ query, documents, parameters: named });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
