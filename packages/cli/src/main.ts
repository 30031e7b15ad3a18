// The process behind `tidemark` and `npm start`. That this Node can run it was looked at before, in bin/node-version.cjs.

import { runProgram } from './program.ts';
import { endWithReader } from './terminal.ts';

endWithReader();
process.exitCode = await runProgram(process.argv.slice(2));
