// Programs in Python, Go and Java, each on the official SDK of its language, against a server that knows nothing of them: what they
// print is what it should be, and they get the rows of the whole corpus of queries. Where tools or packages are missing, they are skipped.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { openDatabase } from '@tidemark/engine';
import { startServer } from '@tidemark/server';
import { isLong } from '@tidemark/testing';
import { describe, expect, test } from 'vitest';
import { beyond } from './clients/beyond.ts';
import type { Line, Setting } from './clients/checks.ts';
import { comparableRows, expectedOf, expectedRows, taskOf } from './clients/checks.ts';
import { prepare } from './clients/toolchains.ts';
import { environmentFor, run } from './old-client.ts';
import { differences, LoadedCorpus } from './query-corpus.ts';

const database = 'shop';

/** The client of Java always asks for plans, that of Go never, and that of Python where it is told to. */
const settings: readonly Setting[] = [
  { language: 'python', planQueries: false },
  { language: 'python', planQueries: true },
  { language: 'go', planQueries: false },
  { language: 'java', planQueries: false },
];

interface Outcome {
  readonly lines: readonly Line[];
  readonly corpus: LoadedCorpus;
}

/** What the program printed, or why it could not be run here. */
async function outcomeOf({ language, planQueries }: Setting): Promise<Outcome | string> {
  const prepared = await prepare(language);
  if ('missing' in prepared) return prepared.missing;
  const folder = await mkdtemp(join(tmpdir(), `tidemark-${language}-`));
  const defects: unknown[] = [];
  await using store = await openDatabase({ memory: true });
  await using server = await startServer({ database: store, planQueries, onDefect: (error) => defects.push(error) });
  try {
    await store.createDatabase('db');
    const corpus = await LoadedCorpus.load(store, 'corpus', 4);
    const taskFile = join(folder, 'task.json');
    const cases = corpus.cases.map(({ name, sent, container }) => ({ name, container, ...sent }));
    await writeFile(taskFile, JSON.stringify(taskOf(database, cases)));
    const environment = await environmentFor(server, folder);
    const { command, args, env } = await prepared({ authority: join(folder, 'ca.pem'), folder });
    const { code, out, err } = await run(command, [...args, taskFile], { ...environment, ...env });
    expect({ code, err: code === 0 ? '' : err.slice(-4_000) }).toEqual({ code: 0, err: '' });
    expect(defects).toEqual([]);
    const texts = out.trim().split('\n');
    return { lines: texts.map((text) => JSON.parse(text)), corpus };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Of lines whose checks begin with these words, the value or what was wrong, by the rest of the name. */
function valuesOf(lines: readonly Line[], words: string): Record<string, unknown> {
  const own = lines.filter(({ check }) => check.startsWith(words));
  return Object.fromEntries(own.map(({ check, value, error }) => [check.slice(words.length), error ?? value]));
}

const titles = settings.map((each) => {
  const how = each.planQueries ? ', which is told plans' : '';
  return [`a program in ${each.language}${how}`, each] as const;
});

/** What was said of languages that cannot be run here. */
const notes = new Set<string>();

describe.runIf(isLong).each(titles)('%s', (_, setting) => {
  const cannot = beyond(setting);
  let outcome: Promise<Outcome | string> | undefined;
  const outcomeOr = async (skip: (note: string) => never): Promise<Outcome> => {
    outcome ??= outcomeOf(setting);
    const found = await outcome;
    if (typeof found !== 'string') return found;
    const note = `SKIPPED ${setting.language}: ${found}`;
    if (!notes.has(note)) console.log(note);
    notes.add(note);
    return skip(found);
  };

  test('[wire 12] does everything that its client can do', async ({ skip }) => {
    const { lines } = await outcomeOr(skip);
    const isQuery = ({ check }: Line): boolean => /^(?:async )?query: |^corpus: /.test(check);
    const told = valuesOf(
      lines.filter((line) => !isQuery(line)),
      '',
    );
    expect(told).toEqual(expectedOf(setting.language, database));
  });

  for (const words of setting.language === 'python' ? ['query', 'async query'] : ['query']) {
    test(`[wire 12] gets the rows of each ${words}`, async ({ skip }) => {
      const { lines } = await outcomeOr(skip);
      const told = Object.entries(valuesOf(lines, `${words}: `));
      const rows = Object.fromEntries(told.map(([name, value]) => [name, comparableRows(name, value)]));
      const wanted = expectedRows();
      expect(withReasons(rows, cannot)).toEqual(withReasons(wanted, cannot));
      const rightAllTheSame = Object.keys(cannot).filter(
        (name) => name in wanted && isDeepStrictEqual(rows[name], wanted[name]),
      );
      expect(rightAllTheSame).toEqual([]);
    });
  }

  test('[wire 12] gets the rows of the corpus', async ({ skip }) => {
    const { lines, corpus } = await outcomeOr(skip);
    const told = valuesOf(lines, 'corpus: ');
    const nameOf = new Map(corpus.cases.map(({ name, sent }) => [sent, name]));
    const ask = async (_container: string, sent: object): Promise<never> => {
      const value = told[nameOf.get(sent as never) ?? ''];
      return (Array.isArray(value) ? value : codeOf(value)) as never;
    };
    expect(await differences(corpus, ask, { itemsMax: 2, cannot })).toEqual([]);
    const known = [...Object.keys(expectedRows()), ...nameOf.values()];
    expect(Object.keys(cannot).filter((name) => !known.includes(name))).toEqual([]);
  });
});

/** What the client cannot do is no difference. */
function withReasons(
  rows: Readonly<Record<string, unknown>>,
  cannot: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(rows).map(([name, value]) => [name, cannot[name] ?? value]));
}

/** Of what is wrong with a query, as the service calls it; all that is known where it has no code. */
function codeOf(problem: unknown): string {
  const text = JSON.stringify(problem) ?? 'nothing';
  return /\\*"code\\*":\\*"?(SC\d+|\d+)/.exec(text)?.[1] ?? text;
}
