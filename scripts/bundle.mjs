// `npm run build` and everything that prepares a clone: the command and all of our packages that it is made of, in one file. What its
// manifest names as a dependency stays outside. A second file maps it to the sources, for stack traces; names stay as they are.

import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, stop } from 'esbuild';
import bundle from '../packages/cli/bin/bundle.cjs';

const root = fileURLToPath(new URL('..', import.meta.url));

export async function makeBundle() {
  const folder = join(root, 'packages', 'cli');
  const { dependencies, engines } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [join(folder, 'src', 'main.ts')],
    outfile: bundle.bundlePath,
    bundle: true,
    platform: 'node',
    // Node compiles it in one go, where modules are linked through promises, one after the other.
    format: 'cjs',
    target: engines.node.replace('>=', 'node'),
    conditions: ['tidemark-source'],
    external: Object.keys(dependencies),
    // A third less for Node to read. Names stay: traces and profiles show them.
    minifyWhitespace: true,
    minifySyntax: true,
    sourcemap: 'linked',
    sourcesContent: false,
    define: { 'import.meta.url': 'bundleUrl' },
    banner: { js: "const bundleUrl = require('node:url').pathToFileURL(__filename).href;" },
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  // Its process would stay for as long as this one: `npm start` goes on to serve.
  await stop();
  const foreign = Object.keys(metafile.inputs).filter((path) => !path.startsWith('packages/'));
  if (foreign.length > 0) {
    throw new Error(`not ours, and no dependency in packages/cli/package.json: ${foreign.join(', ')}`);
  }
  mkdirSync(dirname(bundle.bundlePath), { recursive: true });
  // The map goes first, and each at once: a command may start at any moment.
  for (const { path, contents } of outputFiles.toSorted((a, b) => b.path.length - a.path.length)) {
    const unfinished = `${path}.${process.pid}`;
    writeFileSync(unfinished, contents);
    renameSync(unfinished, path);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await makeBundle();
