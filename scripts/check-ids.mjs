// Fails when a required id has no passing test, and writes docs/coverage.md from the last full test run.
//
// A test shows an id by carrying it in square brackets in its title or in that of a group around it: `[M5]`,
// `[wire 17.5]`. What is required stands in packages/testing/required-ids.json as a list of { id, title }. The table
// holds nothing that differs between two runs of the same sources.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { root } from './prepare.mjs';

const resultsFile = join(root, 'node_modules', '.cache', 'tidemark', 'vitest.json');
const requiredFile = join(root, 'packages', 'testing', 'required-ids.json');
const coverageFile = join(root, 'docs', 'coverage.md');

// A letter or a few with a number, or a word with a number: other brackets in a title, such as `[1, 2]`, are no ids.
const idPattern = /\[([A-Z]{1,4}\d+[a-z]?|[a-z]+ \d+(?:\.\d+)*[a-z]?)\]/g;

const required = readRequired();
const shown = readShown();
writeFileSync(coverageFile, coverageTable(required, shown));

const missing = required.filter(({ id }) => !shown.has(id));
for (const { id, title } of missing) console.error(`[${id}] has no passing test: ${title}`);
if (missing.length > 0) process.exit(1);
console.log(`${required.length} required ids, ${shown.size} ids shown; the table is docs/coverage.md`);

function readRequired() {
  const list = JSON.parse(readFileSync(requiredFile, 'utf8'));
  const seen = new Set();
  for (const { id, title } of list) {
    if (typeof id !== 'string' || typeof title !== 'string') fail('every entry needs an id and a title');
    if (![...`[${id}]`.matchAll(idPattern)].some((match) => match[1] === id)) fail(`${id} does not look like an id`);
    if (seen.has(id)) fail(`${id} is listed twice`);
    seen.add(id);
  }
  return list;
}

/** id → { tests, files } over the tests that passed. */
function readShown() {
  if (!existsSync(resultsFile)) {
    console.error('There are no test results yet; run `npm test -- tests` first.');
    process.exit(1);
  }
  const results = JSON.parse(readFileSync(resultsFile, 'utf8'));
  const byId = new Map();
  for (const file of results.testResults) {
    const path = relative(root, file.name).split(sep).join('/');
    for (const test of file.assertionResults) {
      if (test.status !== 'passed') continue;
      const titles = [...test.ancestorTitles, test.title].join(' ');
      for (const id of new Set([...titles.matchAll(idPattern)].map((match) => match[1]))) {
        const entry = byId.get(id) ?? { tests: 0, files: new Set() };
        entry.tests += 1;
        entry.files.add(path);
        byId.set(id, entry);
      }
    }
  }
  return byId;
}

function coverageTable(requiredIds, shownIds) {
  const titles = new Map(requiredIds.map(({ id, title }) => [id, title]));
  const ids = [...new Set([...titles.keys(), ...shownIds.keys()])].sort(byIdOrder);
  const rows = ids.map((id) => {
    const entry = shownIds.get(id);
    const files = [...(entry?.files ?? [])].sort().map((path) => `[${path}](../${path})`);
    const title = (titles.get(id) ?? '').replaceAll('|', '\\|');
    return `| ${id} | ${title} | ${entry?.tests ?? 0} | ${files.join('<br>')} |`;
  });
  return [
    '# What the tests show',
    '',
    'Written by `npm test`. An id stands in the title of each test that shows it.',
    '',
    '| id | what | passing tests | files |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

function byIdOrder(a, b) {
  // Numbers inside ids count as numbers; the locale is fixed so that every machine writes the same table.
  return a.localeCompare(b, 'en', { numeric: true });
}

function fail(message) {
  console.error(`packages/testing/required-ids.json: ${message}`);
  process.exit(1);
}
