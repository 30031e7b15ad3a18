// The process behind `tidemark` and `npm start`. That this Node can run it was looked at before, in bin/node-version.cjs.

import { runProgram } from './program.ts';
import { endWithReader } from './terminal.ts';

endWithReader();
// In one file with all the others there is no waiting at this level.
runProgram(process.argv.slice(2)).then((exitCode) => {
  process.exitCode = exitCode;
});
