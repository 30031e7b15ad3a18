#!/usr/bin/env node
// The process behind `tidemark` and `npm start`. Everything else is loaded only when this Node can run it.

const versionMin: readonly [major: number, minor: number] = [20, 19];
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < versionMin[0] || (major === versionMin[0] && minor < versionMin[1])) {
  process.stderr.write(
    `tidemark: Node ${versionMin.join('.')} or newer is needed; this is ${process.versions.node}.\n`,
  );
  process.exitCode = 1;
} else {
  const { runProgram } = await import('./program.ts');
  const { endWithReader } = await import('./terminal.ts');
  endWithReader();
  process.exitCode = await runProgram(process.argv.slice(2));
}

export {};
