// The packed processor where more is needed than the repository has installed: under jest, which knows CommonJS only, and with a compiler
// that resolves as Node did before there were `exports`. Its packages come from consumers/jest/manifest, once.

import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pack, publicPackages, tarballOf } from './packed.mjs';
import { prepare, root, run, runNpm } from './prepare.mjs';

const consumers = join(root, 'scripts', 'consumers');
const manifest = join(consumers, 'jest', 'manifest');
// Not inside node_modules, where jest looks for no tests.
const home = join(consumers, 'jest', '.installed');
const stampFile = join(home, 'node_modules', '.stamp');
const installing = ['--ignore-scripts', '--prefer-offline', '--no-fund', '--no-audit', '--loglevel=error'];

await prepare();
mkdirSync(home, { recursive: true });
installTools();
const packed = publicPackages.filter(({ folder }) => ['model', 'client', 'processor'].includes(folder));
await pack(home, packed);
const tarballs = packed.map((each) => tarballOf(home, each.manifest));
// One of the same version would be kept as it is.
rmSync(join(home, 'node_modules', '@tidemark'), { recursive: true, force: true });
must(runNpm(['install', '--no-save', ...installing, ...tarballs], { cwd: home }) === 0, 'the packages are installed');

const folder = join(home, 'consumers');
rmSync(folder, { recursive: true, force: true });
mkdirSync(join(folder, 'jest'), { recursive: true });
for (const file of ['once.cjs', 'once.ts', 'jest/once.test.js'])
  copyFileSync(join(consumers, file), join(folder, file));
writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }');
must(tool('jest', 'jest', ['--rootDir', folder, '--silent']) === 0, 'jest 30 runs the processor');
// Both make CommonJS here; one does not look at `exports`, the other does and knows nothing of `module-sync`.
for (const [module, moduleResolution] of [
  ['commonjs', 'node10'],
  ['node16', 'node16'],
]) {
  const compilerOptions = { module, moduleResolution, target: 'es2022', strict: true, types: ['node'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['once.ts'] }));
  must(tool('typescript', 'tsc', ['-p', folder]) === 0, `TypeScript 5 compiles with ${moduleResolution}`);
  must(run(process.execPath, ['once.js'], { cwd: folder }) === 0, `what it made with ${moduleResolution} runs`);
}

function installTools() {
  const lock = readFileSync(join(manifest, 'package-lock.json'));
  const wanted = createHash('sha256').update(lock).digest('hex');
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted) return;
  for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(manifest, file), join(home, file));
  // As in prepare.mjs: `npm ci` refuses lock files without the binaries of other platforms.
  must(runNpm(['install', '--no-save', ...installing], { cwd: home }) === 0, 'jest is installed');
  writeFileSync(stampFile, wanted);
}

function tool(name, command, args) {
  return run(process.execPath, [join(home, 'node_modules', name, 'bin', command), ...args], { cwd: home });
}

function must(isGood, what) {
  console.log(`${isGood ? 'ok' : 'FAILED'}: ${what}`);
  if (!isGood) process.exit(1);
}
