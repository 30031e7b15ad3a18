// Checks every public package the way its users meet it: packed, installed into an empty folder together with the
// packages it depends on, its example compiled against the installed declarations and run. publint and attw look at the
// same tarball.

import { spawnSync } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pack, publicPackages as packages, readManifest, tarballOf } from './packed.mjs';
import { root, runNpm, runTool } from './prepare.mjs';

/** Package folder → file in examples/ that shows it. */
const exampleOf = {
  model: 'model.ts',
  engine: 'embedded.ts',
};

/** Package folder → why it has no example yet. An entry whose example exists is an error, so none outlives its reason. */
const withoutExample = {
  client: 'it needs a server, and is shown by the examples of the processor',
  query: 'it is what the engine asks with, and shown by its own tests',
  server: 'it is started by npm start and shown by the conformance tests',
  cli: 'it is a command, started by npm start',
};

const isWindows = process.platform === 'win32';
const exampleTimeoutMs = 60_000;
const rootManifest = readManifest(root);

const work = mkdtempSync(join(tmpdir(), 'tidemark-packages-'));
let failures = 0;
try {
  await pack(work);
  for (const entry of packages) checkPackage(entry);
} finally {
  rmSync(work, { recursive: true, force: true });
}
if (failures > 0) {
  console.error(`${failures} package checks failed`);
  process.exit(1);
}
console.log(`${packages.length} packages packed, installed and checked`);

function checkPackage({ folder, manifest }) {
  const home = join(work, folder);
  mkdirSync(home);
  const example = exampleOf[folder] ?? `${folder}.ts`;
  const hasExample = existsSync(join(root, 'examples', example));
  const exemption = withoutExample[folder];

  if (!installInto(home, manifest)) return;
  const installed = join(home, 'node_modules', ...manifest.name.split('/'));
  inspect(manifest.name, 'publint', ['run', installed, '--strict', '--pack', 'false']);
  inspect(manifest.name, 'attw', [tarballOf(work, manifest), '--no-color', '--no-emoji']);

  if (folder === 'processor') runConsumers(home, manifest.name);
  for (const command of Object.keys(manifest.bin ?? {})) runCommand(home, manifest, command);
  if (hasExample && exemption !== undefined) {
    must(false, manifest.name, `examples/${example} exists: remove ${folder} from withoutExample in this script`);
  }
  if (hasExample) runExample(home, manifest.name, example);
  else if (exemption === undefined) must(false, manifest.name, `examples/${example} is missing`);
  else console.log(`${manifest.name}: no example (${exemption})`);
}

// These tools are talkative even when all is well: their words are shown only when they object.
function inspect(name, tool, args) {
  const output = join(work, `${tool}.txt`);
  const file = openSync(output, 'w');
  const code = runTool(tool, args, { stdio: ['ignore', file, file] });
  closeSync(file);
  must(code === 0, name, `${tool} objects\n${readFileSync(output, 'utf8')}`);
}

function installInto(home, manifest) {
  const dependencies = { '@types/node': rootManifest.devDependencies['@types/node'] };
  for (const needed of [manifest, ...siblingsOf(manifest)])
    dependencies[needed.name] = `file:${tarballOf(work, needed)}`;
  writeFileSync(join(home, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies }));
  const args = ['install', '--prefer-offline', '--ignore-scripts', '--no-fund', '--no-audit', '--loglevel=error'];
  return must(runNpm(args, { cwd: home, stdio: ['ignore', 'ignore', 'inherit'] }) === 0, manifest.name, 'npm i failed');
}

// What the package declares, and what that declares in turn: an undeclared sibling is then missing, as for a user.
function siblingsOf(manifest) {
  const found = new Map();
  const visit = (current) => {
    for (const name of Object.keys(current.dependencies ?? {})) {
      const sibling = packages.find((entry) => entry.manifest.name === name)?.manifest;
      if (sibling === undefined || found.has(name)) continue;
      found.set(name, sibling);
      visit(sibling);
    }
  };
  visit(manifest);
  return [...found.values()];
}

/** As npm has linked it. */
function runCommand(home, { name, version }, command) {
  const path = join(home, 'node_modules', '.bin', command);
  const { stdout, stderr } = spawnSync(path, ['--version'], { cwd: home, encoding: 'utf8', shell: isWindows });
  if (must(stdout?.trim() === version, name, `the command ${command} does not run\n${stderr}`)) {
    console.log(`${name}: the command ${command} ran`);
  }
}

/** One program in each module system; `scripts/check-jest.mjs` has those that need more than is installed here. */
function runConsumers(home, name) {
  const folder = join(home, 'consumers');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }');
  for (const file of ['once.mjs', 'once.cjs', 'once.ts']) {
    copyFileSync(join(root, 'scripts', 'consumers', file), join(folder, file));
  }
  const compilerOptions = { module: 'commonjs', target: 'es2022', strict: true, types: ['node'], skipLibCheck: false };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['once.ts'] }));
  if (!must(runTool('tsc', ['-p', folder], { cwd: folder }) === 0, name, 'once.ts does not compile to CommonJS'))
    return;
  for (const file of ['once.mjs', 'once.cjs', 'once.js']) {
    const { status, stderr } = spawnSync(process.execPath, [file], {
      cwd: folder,
      encoding: 'utf8',
      timeout: exampleTimeoutMs,
    });
    // Node warns of what it finds strange in how modules are loaded.
    if (must(status === 0 && stderr === '', name, `consumers/${file} failed (${status})\n${stderr}`)) {
      console.log(`${name}: consumers/${file} ran`);
    }
  }
}

function runExample(home, name, example) {
  copyFileSync(join(root, 'examples', example), join(home, example));
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2023', 'ESNext.Disposable'],
    module: 'nodenext',
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    outDir: 'out',
    rootDir: '.',
  };
  writeFileSync(join(home, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [example] }));
  if (!must(runTool('tsc', ['-p', 'tsconfig.json'], { cwd: home }) === 0, name, `examples/${example} does not compile`))
    return;
  const script = join('out', example.replace(/\.ts$/, '.js'));
  const result = spawnSync(process.execPath, [script], { cwd: home, encoding: 'utf8', timeout: exampleTimeoutMs });
  if (result.status === 0) console.log(`${name}: examples/${example} compiled and ran`);
  else
    must(
      false,
      name,
      `examples/${example} failed (${result.signal ?? result.status})\n${result.stdout}${result.stderr}`,
    );
}

function must(isGood, name, message) {
  if (isGood) return true;
  failures += 1;
  console.error(`${name}: ${message}`);
  return false;
}
