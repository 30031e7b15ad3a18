// The packages once more as CommonJS, in `cjs/` beside `dist/`: for jest, which cannot `require` ES modules, and for compilers that resolve
// as Node did before it could. Node itself takes `dist/` for `import` and for `require` (the condition `module-sync`), so that a process has
// one copy of each class, whichever way it loads them.
//
// Files stay files, so that the entry points of a package share what is in them.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stop, transform } from 'esbuild';

/** From what the compiler has made. What an earlier build left goes away. */
export async function makeCommonJs(folder) {
  const from = join(folder, 'dist');
  const to = join(folder, 'cjs');
  const { engines } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const target = engines.node.replace('>=', 'node');
  rmSync(to, { recursive: true, force: true });
  for (const file of readdirSync(from, { recursive: true })) {
    // The compiler may have left what it made of sources that are gone.
    const source = /^(.*?)(?:\.d\.ts|\.js)$/.exec(file)?.[1];
    if (source === undefined || !existsSync(join(folder, 'src', `${source}.ts`))) continue;
    const text = readFileSync(join(from, file), 'utf8');
    const path = join(to, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, file.endsWith('.js') ? await commonJsOf(text, target) : declarationsOf(text));
  }
  writeFileSync(join(to, 'package.json'), '{ "type": "commonjs", "sideEffects": false }\n');
  // Its process would stay for as long as this one.
  await stop();
}

async function commonJsOf(text, target) {
  const hasUrl = text.includes('import.meta.url');
  const { code } = await transform(text, {
    format: 'cjs',
    platform: 'node',
    target,
    define: { 'import.meta.url': 'moduleUrl' },
    banner: hasUrl ? "const moduleUrl = require('node:url').pathToFileURL(__filename).href;" : '',
  });
  return code;
}

/** The compiler leaves the endings of sources in declarations; older ones do not look for a declaration behind them. */
function declarationsOf(text) {
  return text.replace(/((?:from|import\()\s*'\.[^']*)\.ts'/g, "$1.js'");
}
