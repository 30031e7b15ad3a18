// Fails when a required id has no passing test, and writes docs/compatibility.md and the table of README between
// `<!-- compatibility -->` and `<!-- /compatibility -->` from the last full run of `npm test`. A change of what works with a client
// is said, and has to be committed. Which test shows which id is written to node_modules/.cache/tidemark/coverage.md.
//
//   node scripts/check-ids.mjs            the ids that `npm test` has to show
//   node scripts/check-ids.mjs --proof    those that only the long form shows, from the last results of `npm run proof`
//
// A test shows an id by carrying it in square brackets in its title or in that of a group around it: `[M5]`,
// `[wire 17.5]`. What is required stands in packages/testing/required-ids.json as a list of { id, title, by? }. `by: "proof"`
// marks an id that only the long form shows; an id is marked only where that is so.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { compatibility } from './compatibility.mjs';
import { root } from './prepare.mjs';

const cacheFolder = join(root, 'node_modules', '.cache', 'tidemark');
const proofFolder = join(cacheFolder, 'proof');
const requiredName = 'packages/testing/required-ids.json';
const requiredFile = join(root, requiredName);
const coverageFile = join(cacheFolder, 'coverage.md');
const compatibilityFile = join(root, 'docs', 'compatibility.md');
const readmeFile = join(root, 'README.md');

// A letter or a few with a number, or a word with a number: other brackets in a title, such as `[1, 2]`, are no ids.
const idPattern = /\[([A-Z]{1,4}\d+[a-z]?|[a-z]+ \d+(?:\.\d+)*[a-z]?)\]/g;

const required = readRequired();
const isOfProof = process.argv.includes('--proof');
const tests = readPassed(isOfProof ? proofResults() : [join(cacheFolder, 'vitest.json')]);
const shown = shownBy(tests);
const here = required.filter(({ by }) => (by === 'proof') === isOfProof);
const missing = here.filter(({ id }) => !shown.has(id));
for (const { id, title } of missing) console.error(`[${id}] has no passing test: ${title}`);
const isWhole = isOfProof || checkOfTests();
if (missing.length > 0 || !isWhole) process.exit(1);
console.log(`${here.length} required ids, all of them shown`);

function checkOfTests() {
  writeFileSync(coverageFile, coverageTable(required, shown));
  console.log(`which test shows which id: ${relative(root, coverageFile)}`);
  const marked = required.filter(({ id, by }) => by === 'proof' && shown.has(id));
  for (const { id } of marked)
    console.error(`[${id}] is shown by \`npm test\`: ${requiredName} marks it as of the proof`);
  const isReadmeStale = writeCompatibility();
  return marked.length === 0 && !isReadmeStale;
}

function writeCompatibility() {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const titles = new Map(required.map(({ id, title }) => [id, title]));
  const { page, readme } = compatibility(tests, titles, devDependencies);
  writeFileSync(compatibilityFile, page);
  const before = readFileSync(readmeFile, 'utf8');
  const after = before.replace(
    /(<!-- compatibility -->\n\n)[\s\S]*?(\n\n<!-- \/compatibility -->)/,
    (_, open, close) => `${open}${readme}${close}`,
  );
  if (!after.includes(readme)) fail('README.md', 'it has lost its part <!-- compatibility -->');
  if (after === before) return false;
  writeFileSync(readmeFile, after);
  console.error(
    'README.md: the table of what works with which client was stale; it is rewritten, look at it and commit it.',
  );
  return true;
}

function readRequired() {
  const list = JSON.parse(readFileSync(requiredFile, 'utf8'));
  const seen = new Set();
  for (const { id, title, by } of list) {
    if (by !== undefined && by !== 'proof') fail(requiredName, `${id} is shown by ${by}, which is nothing`);
    if (typeof id !== 'string' || typeof title !== 'string') fail(requiredName, 'every entry needs an id and a title');
    if (![...`[${id}]`.matchAll(idPattern)].some((match) => match[1] === id))
      fail(requiredName, `${id} does not look like an id`);
    if (seen.has(id)) fail(requiredName, `${id} is listed twice`);
    seen.add(id);
  }
  return list;
}

function proofResults() {
  if (!existsSync(proofFolder)) return [];
  return readdirSync(proofFolder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => join(proofFolder, name));
}

/** The tests that passed: { path, title, ids }, in the order of their files and their place in them. */
function readPassed(resultsFiles) {
  if (resultsFiles.length === 0 || !resultsFiles.every((file) => existsSync(file))) {
    console.error(`There are no results yet; run \`${isOfProof ? 'npm run proof' : 'npm test -- tests'}\` first.`);
    process.exit(1);
  }
  const results = resultsFiles.flatMap((file) => JSON.parse(readFileSync(file, 'utf8')).testResults);
  const files = results.map(({ name, assertionResults }) => ({
    path: relative(root, name).split(sep).join('/'),
    passed: assertionResults.filter(({ status }) => status === 'passed'),
  }));
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return files.flatMap(({ path, passed }) =>
    passed.map(({ ancestorTitles, title: last }) => {
      const title = [...ancestorTitles, last].join(' ');
      return { path, title, ids: [...new Set([...title.matchAll(idPattern)].map((match) => match[1]))] };
    }),
  );
}

/** id → { tests, files }. */
function shownBy(passed) {
  const byId = new Map();
  for (const { path, ids } of passed) {
    for (const id of ids) {
      const entry = byId.get(id) ?? { tests: 0, files: new Set() };
      entry.tests += 1;
      entry.files.add(path);
      byId.set(id, entry);
    }
  }
  return byId;
}

function coverageTable(requiredIds, shownIds) {
  const titles = new Map(requiredIds.map(({ id, title }) => [id, title]));
  const ids = [...new Set([...titles.keys(), ...shownIds.keys()])].sort(byIdOrder);
  const rows = ids.map((id) => {
    const entry = shownIds.get(id);
    const files = [...(entry?.files ?? [])].sort().map((path) => `[${path}](../../../${path})`);
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

function fail(file, message) {
  console.error(`${file}: ${message}`);
  process.exit(1);
}
