// `npm start`: prepares the clone, then becomes the server.
//
// The server runs inside this very process rather than in a child of it: signals, exit code and standard streams are
// then the server's own, with nothing in between that could lose or double them. For the same reason the manifest says
// `exec node`: npm passes signals to the shell it starts, and a shell that waits would die of them and leave the server
// behind. Where the shell knows no `exec`, as on Windows, run `node scripts/start.mjs`.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepare, root } from './prepare.mjs';

prepare();

const main = join(root, 'packages', 'cli', 'dist', 'main.js');
if (!existsSync(main)) {
  console.error('tidemark: there is no server to start: packages/cli/src/main.ts does not exist.');
  process.exit(1);
}
process.argv[1] = main;
await import(pathToFileURL(main).href);
