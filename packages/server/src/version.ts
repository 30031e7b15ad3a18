// The version of this package, as its manifest says it. In the one file of the command it is the command's, which is the same.

import { readFileSync } from 'node:fs';

export const version: string = readVersion();

function readVersion(): string {
  // One folder up from the sources and from what they are built into.
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return String((manifest as { version?: unknown }).version);
}
