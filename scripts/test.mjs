// `npm test`: every check there is in its short form. What is proven at length is `npm run proof`.
//
//   npm test                          all steps
//   npm test -- lint types            only the steps named
//   npm test -- packages/engine       the tests of a package or a folder, or of a file: any part of its path
//
// The last line is always `N passed, N failed`. Every test of the test runner counts as one; every other step too.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { prepare, root } from './prepare.mjs';

const resultsFolder = join(root, 'node_modules', '.cache', 'tidemark');
const testFolders = ['packages', 'conformance', 'simulation', 'reliability', 'bench'];

/**
 * One stage after the other; the steps of a stage run side by side, and a stage that fails is the last. Only `tests` is shown
 * while it runs, what the others say when they are done.
 */
const stages = [
  [
    { name: 'lint', heading: 'lint and format', commands: [styleCommand()] },
    { name: 'types', heading: 'types', commands: [tool('tsc', '-b'), tool('tsc', '-p', 'tsconfig.test.json')] },
    { name: 'unused', heading: 'unused code and dependencies', commands: [tool('knip', '--no-config-hints')] },
  ],
  [
    { name: 'tests', heading: 'tests', isShown: true },
    { name: 'packages', heading: 'packages as their users get them', commands: [script('check-packages.mjs')] },
  ],
  [{ name: 'ids', heading: 'required ids', commands: [script('check-ids.mjs')] }],
];

const total = { passed: 0, failed: 0 };
const startedMs = performance.now();
const { names, filters } = readArguments(process.argv.slice(2));
await prepare();
for (const stage of stages) {
  if (total.failed > 0) break;
  await Promise.all(stage.filter(({ name }) => names.includes(name)).map((step) => runStep(step)));
}
console.log(`\nall of it: ${seconds(startedMs)}`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;

function readArguments(args) {
  const all = stages.flat().map(({ name }) => name);
  const steps = args.filter((argument) => all.includes(argument));
  const paths = args.filter((argument) => !all.includes(argument));
  const files = paths.length === 0 ? [] : testFiles();
  const choice = () =>
    `  steps: ${all.join(', ')}\n  tests: ${[...new Set(files.map(areaOf))].join(', ')}; a folder below, or any part of a file's path`;
  if (args.includes('--help')) {
    console.log(`npm test [-- NAME …]: every check in its short form, all of it or by name.\n${choice()}`);
    process.exit(0);
  }
  for (const path of paths) {
    if (files.some((file) => file.includes(path))) continue;
    console.error(`tidemark: there is neither a step nor a test called ${path}.`);
    console.error(choice());
    console.log('0 passed, 1 failed');
    process.exit(1);
  }
  if (args.length === 0) return { names: all, filters: [] };
  return { names: paths.length === 0 ? steps : [...steps, 'tests'], filters: paths };
}

/** From the root of the repository, with forward slashes. */
function testFiles() {
  return testFolders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
      .filter((path) => path.endsWith('.test.ts') && !path.includes('node_modules/')),
  );
}

function areaOf(path) {
  return path
    .split('/')
    .slice(0, path.startsWith('packages/') ? 2 : 1)
    .join('/');
}

async function runStep({ name, heading, commands, isShown = false }) {
  const stepStartedMs = performance.now();
  if (isShown) console.log(`\n── ${heading} ${'─'.repeat(Math.max(0, 60 - heading.length))}`);
  const { counted, said } = name === 'tests' ? await runTests() : await runCommands(commands);
  total.passed += counted.passed;
  total.failed += counted.failed;
  if (said.trim() !== '')
    console.log(`\n── ${heading} ${'─'.repeat(Math.max(0, 60 - heading.length))}\n${said.trimEnd()}`);
  console.log(`── ${heading}: ${counted.failed === 0 ? 'passed' : 'FAILED'} in ${seconds(stepStartedMs)}`);
}

async function runCommands(commands) {
  let said = '';
  for (const command of commands) {
    const { code, output } = await run(command, false);
    said += output;
    if (code !== 0) return { counted: { passed: 0, failed: 1 }, said };
  }
  return { counted: { passed: 1, failed: 0 }, said };
}

async function runTests() {
  // Those of a part must not be taken for those of all, which the step `ids` reads.
  const file = join(resultsFolder, filters.length === 0 ? 'vitest.json' : 'vitest-part.json');
  // Nor those of an earlier run for those of this one.
  rmSync(file, { force: true });
  mkdirSync(resultsFolder, { recursive: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const { code } = await run(tool('vitest', 'run', ...filters, ...reporters), true);
  return { counted: countTests(file, code), said: '' };
}

function countTests(file, code) {
  try {
    const results = JSON.parse(readFileSync(file, 'utf8'));
    // A file that cannot be loaded fails the run without containing a failed test.
    const failed = code === 0 ? 0 : Math.max(1, results.numFailedTests);
    return { passed: results.numPassedTests, failed };
  } catch {
    return { passed: 0, failed: 1 };
  }
}

async function run({ path, args, isShell }, isShown) {
  const child = spawn(path, args, {
    cwd: root,
    stdio: isShown ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    shell: isShell,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  // A tool that a signal ended has no exit code, and that is no success.
  const [code] = await once(child, 'close').catch((error) => {
    output += `tidemark: cannot run ${path}: ${error.message}\n`;
    return [1];
  });
  return { code: code ?? 1, output };
}

function styleCommand() {
  // The linter colours its output even in a file, where the codes make it unreadable.
  return tool('biome', 'ci', '--error-on-warnings', '--colors=off', '.');
}

/** A tool that npm has installed into this repository. */
function tool(name, ...args) {
  const isWindows = process.platform === 'win32';
  return { path: join(root, 'node_modules', '.bin', isWindows ? `${name}.cmd` : name), args, isShell: isWindows };
}

function script(name) {
  return { path: process.execPath, args: [join(root, 'scripts', name)], isShell: false };
}

function seconds(sinceMs) {
  return `${((performance.now() - sinceMs) / 1000).toFixed(1)} s`;
}
