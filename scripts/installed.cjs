// Before what needs a tool of this clone: where nothing is installed, a sentence instead of the stack of whatever is missing first.

'use strict';

const { existsSync } = require('node:fs');
const { join } = require('node:path');

if (!existsSync(join(__dirname, '../node_modules/typescript/package.json'))) {
  process.stderr.write('tidemark: nothing is installed in this clone yet; npm start or npm run prepare:all does it.\n');
  process.exit(1);
}
