// `npm start`: prepares the clone, then becomes the server.
//
// The server runs inside this very process rather than in a child of it: signals, exit code and standard streams are
// then the server's own, with nothing in between that could lose or double them. For the same reason the manifest says
// `exec node`: npm passes signals to the shell it starts, and a shell that waits would die of them and leave the server
// behind. Where the shell knows no `exec`, as on Windows, run `node scripts/start.mjs`.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { prepare, root } from './prepare.mjs';

await prepare();

const command = join(root, 'packages', 'cli', 'bin', 'tidemark.cjs');
process.argv[1] = command;
// Alone it says what it can do.
if (process.argv.length === 2) process.argv.push('serve');
createRequire(import.meta.url)(command);
