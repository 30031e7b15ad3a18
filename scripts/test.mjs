// `npm test`: every check there is, one after the other, stopping at the first that fails.
//
//   npm test                     all steps
//   npm test -- lint types       only the steps named
//
// The last line is always `N passed, N failed`. Every test of the test runner counts as one; every other step too.

import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { prepare, root, run, runTool } from './prepare.mjs';

const resultsFile = join(root, 'node_modules', '.cache', 'tidemark', 'vitest.json');

const steps = [
  { name: 'lint', heading: 'lint and format', run: checkStyle },
  { name: 'types', heading: 'types', run: checkTypes },
  { name: 'unused', heading: 'unused code and dependencies', run: () => runTool('knip', ['--no-config-hints']) },
  { name: 'tests', heading: 'tests', run: runTests, count: countTests },
  { name: 'ids', heading: 'required ids', run: () => runScript('check-ids.mjs') },
  { name: 'packages', heading: 'packages as their users get them', run: () => runScript('check-packages.mjs') },
];

const total = { passed: 0, failed: 0 };
const startedMs = performance.now();

for (const step of await chosenSteps(process.argv.slice(2))) {
  console.log(`\n── ${step.heading} ${'─'.repeat(Math.max(0, 60 - step.heading.length))}`);
  const stepStartedMs = performance.now();
  const code = step.run();
  const counted = step.count?.(code) ?? { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1 };
  total.passed += counted.passed;
  total.failed += counted.failed;
  console.log(`── ${step.heading}: ${code === 0 ? 'passed' : 'FAILED'} in ${seconds(stepStartedMs)}`);
  if (code !== 0) {
    process.exitCode = 1;
    break;
  }
}

console.log(`\nall of it: ${seconds(startedMs)}`);
console.log(`${total.passed} passed, ${total.failed} failed`);

async function chosenSteps(names) {
  for (const name of names) {
    if (steps.some((step) => step.name === name)) continue;
    console.error(`tidemark: no step is called ${name}; there are ${steps.map((step) => step.name).join(', ')}.`);
    console.log('0 passed, 1 failed');
    process.exit(1);
  }
  await prepare();
  return names.length === 0 ? steps : steps.filter((step) => names.includes(step.name));
}

function checkStyle() {
  // The linter colours its output even in a file, where the codes make it unreadable.
  const colours = process.stdout.isTTY ? [] : ['--colors=off'];
  return runTool('biome', ['ci', '--error-on-warnings', ...colours, '.']);
}

function checkTypes() {
  const code = runTool('tsc', ['-b']);
  return code === 0 ? runTool('tsc', ['-p', 'tsconfig.test.json']) : code;
}

function runTests() {
  // Results of an earlier run must never be taken for those of this one.
  rmSync(resultsFile, { force: true });
  mkdirSync(join(resultsFile, '..'), { recursive: true });
  return runTool('vitest', ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${resultsFile}`]);
}

function countTests(code) {
  try {
    const results = JSON.parse(readFileSync(resultsFile, 'utf8'));
    // A file that cannot be loaded fails the run without containing a failed test.
    const failed = code === 0 ? 0 : Math.max(1, results.numFailedTests);
    return { passed: results.numPassedTests, failed };
  } catch {
    return { passed: 0, failed: 1 };
  }
}

function runScript(name) {
  return run(process.execPath, [join(root, 'scripts', name)]);
}

function seconds(sinceMs) {
  return `${((performance.now() - sinceMs) / 1000).toFixed(1)} s`;
}
