#!/usr/bin/env node
// The command `tidemark`. It is no output of the compiler, so that npm finds it when it links a fresh clone.

'use strict';

require('./node-version.cjs');

if (require('node:fs').existsSync(require('node:path').join(__dirname, '../dist/main.js'))) {
  const first = process.argv[2];
  const isServe = first === undefined || first === 'serve' || first.charAt(0) === '-';
  // Loading its two hundred modules is most of a server's start, and `require` reads them one after the other at once, where
  // `import` makes several trips through the thread pool for each. They are the same modules: who imports them gets these.
  // Node 21 and the first of 22 cannot require them.
  if (isServe && process.features.require_module === true) {
    require('../dist/program.js');
    require('../dist/commands/serve.js');
  }
  import('../dist/main.js');
} else {
  process.stderr.write('tidemark: this clone is not built yet; npm start or npm run prepare:all builds it.\n');
  process.exitCode = 1;
}
