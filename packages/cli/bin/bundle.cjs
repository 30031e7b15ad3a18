// The whole command in one file, which scripts/bundle.mjs makes: loading its hundreds of modules one by one took most of a start.
// It is as its packages were when they were last built, or it does not count: who has only run the compiler gets what that made.

'use strict';

const { statSync } = require('node:fs');
const { join } = require('node:path');

const bundlePath = join(__dirname, '../bundle/tidemark.cjs');
const packagesInside = ['cli', 'server', 'processor', 'client', 'engine', 'query', 'model'];

function isBundleCurrent() {
  const bundledMs = modifiedMs(bundlePath);
  if (bundledMs === undefined) return false;
  // An installed package has nothing else, whatever stands beside it.
  if (modifiedMs(join(__dirname, '../src')) === undefined) return true;
  // The compiler's record of a build. Where somebody has removed that, the one file may be of long ago.
  return packagesInside.every((name) => {
    const builtMs = modifiedMs(join(__dirname, '../..', name, 'dist/.tsbuildinfo'));
    return builtMs !== undefined && builtMs <= bundledMs;
  });
}

function modifiedMs(path) {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? undefined : found.mtimeMs;
}

module.exports = { bundlePath, isBundleCurrent };
