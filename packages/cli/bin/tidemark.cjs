#!/usr/bin/env node
// The command `tidemark`. It is no output of the compiler, so that npm finds it when it links a fresh clone.

'use strict';

require('./node-version.cjs');
const { bundlePath, isBundleCurrent } = require('./bundle.cjs');

if (isBundleCurrent()) {
  require('./stack-traces.cjs').nameSources(bundlePath);
  require(bundlePath);
} else if (require('node:fs').existsSync(require('node:path').join(__dirname, '../dist/main.js'))) {
  import('../dist/main.js');
} else {
  process.stderr.write('tidemark: this clone is not built yet; npm start or npm run prepare:all builds it.\n');
  process.exitCode = 1;
}
