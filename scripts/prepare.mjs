// Brings a clone into a runnable state: refuses an old Node, installs dependencies, builds. Each part is skipped when nothing it
// depends on has changed, so calling this before every start and every test costs well under a second. `--programs` builds what tests
// start as processes, too.
//
// This file runs before anything is installed: plain JavaScript, built-in modules only until then.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import bundle from '../packages/cli/bin/bundle.cjs';
import '../packages/cli/bin/node-version.cjs';

export const root = fileURLToPath(new URL('..', import.meta.url));

const isWindows = process.platform === 'win32';
const forPeople = ['inherit', 2, 2];
const installStamp = join(root, 'node_modules', '.tidemark-install');

export async function prepare() {
  install();
  await build();
}

/** Runs a tool that npm has installed into this repository; returns its exit code. */
export function runTool(name, args, options = {}) {
  const path = join(root, 'node_modules', '.bin', isWindows ? `${name}.cmd` : name);
  return run(path, args, { shell: isWindows, ...options });
}

/** Runs the npm that started us where there is one, so that one version does all the work. */
export function runNpm(args, options = {}) {
  const npmScript = process.env.npm_execpath;
  if (npmScript !== undefined && /npm-cli\.[cm]?js$/.test(npmScript)) {
    return run(process.execPath, [npmScript, ...args], options);
  }
  return run(isWindows ? 'npm.cmd' : 'npm', args, { shell: isWindows, ...options });
}

export function run(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options });
  if (result.error !== undefined) {
    console.error(`tidemark: cannot run ${command}: ${result.error.message}`);
    return 1;
  }
  // A tool that a signal ended reports as a shell would: there is no exit code, and it is no success.
  return result.status ?? 1;
}

function install() {
  // Binaries differ by platform: a folder shared between two machines has to be installed again.
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .update(`${process.platform} ${process.arch}`)
    .digest('hex');
  const hasCompiler = () => existsSync(join(root, 'node_modules', 'typescript', 'package.json'));
  if (existsSync(installStamp) && readFileSync(installStamp, 'utf8') === wanted && hasCompiler()) return;

  console.error('tidemark: installing dependencies (only when package-lock.json changes) …');
  // `npm ci` refuses a lock file that lacks the binaries of another platform, which npm leaves out whenever a registry
  // does not carry them. `npm install --no-save` obeys the same lock file, never changes it, and copes. That manifests and
  // lock file agree is checked by the tidy test instead.
  //
  // Build and test tools are development dependencies; a production environment variable must not leave them out.
  const args = ['install', '--no-save', '--include=dev', '--no-fund', '--no-audit', '--loglevel=error'];
  // What these say is for people; standard output is for what they prepare for.
  if (runNpm(args, { stdio: forPeople }) !== 0) {
    console.error(
      'tidemark: installing dependencies failed; the reason is above. Where a run before was interrupted, delete node_modules.',
    );
    process.exit(1);
  }
  // An npm that was interrupted goes on for some seconds, and takes away what it had put there: also what this one did.
  if (!hasCompiler() || !isCompilerWhole()) {
    console.error(
      'tidemark: what was installed is gone again: another npm is at work here. Delete node_modules, and try again.',
    );
    process.exit(1);
  }
  // The stamp lives inside node_modules, so removing that folder or interrupting npm also forgets the stamp.
  writeFileSync(installStamp, wanted);
}

/** The compiler is a program in a package of its own, which may be missing. */
function isCompilerWhole() {
  return runTool('tsc', ['--version'], { stdio: 'ignore' }) === 0;
}

async function build() {
  removeOrphans();
  // The compiler keeps its own record of what is up to date; the message is for the one long run.
  const isFirst = !existsSync(join(root, 'packages', 'model', 'dist', 'index.js'));
  if (isFirst) console.error('tidemark: building …');
  if (runTool('tsc', ['-b'], { stdio: forPeople }) !== 0) {
    if (isCompilerWhole()) console.error('tidemark: the build failed; the reason is above.');
    else {
      // Or the next run would take what is installed for whole.
      rmSync(installStamp, { force: true });
      console.error(
        'tidemark: the compiler is not whole, as after an install that was interrupted. Delete node_modules, and try again.',
      );
    }
    process.exit(1);
  }
  if (!bundle.isBundleCurrent()) {
    const { makeBundle } = await import('./bundle.mjs');
    await makeBundle();
  }
}

// The compiler never deletes: the output of a renamed or removed source would stay importable, and would be packed.
function removeOrphans() {
  const packages = join(root, 'packages');
  for (const name of readdirSync(packages)) {
    const dist = join(packages, name, 'dist');
    if (!existsSync(dist)) continue;
    for (const file of readdirSync(dist, { recursive: true })) {
      const source = /^(.*?)(\.d\.ts|\.js|\.js\.map)$/.exec(file);
      if (source === null) continue;
      if (!existsSync(join(packages, name, 'src', `${source[1]}.ts`))) rmSync(join(dist, file));
    }
  }
}

function buildPrograms() {
  if (runTool('tsc', ['-p', 'tsconfig.programs.json'], { stdio: forPeople }) === 0) return;
  console.error('tidemark: the programs of the tests could not be built; the reason is above.');
  process.exit(1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await prepare();
  if (process.argv.includes('--programs')) buildPrograms();
}
