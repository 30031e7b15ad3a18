// The version of this package, as its manifest says it.

import { readFileSync } from 'node:fs';

export const version: string = readVersion();

function readVersion(): string {
  // One folder up from the sources and from what they are built into.
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return String((manifest as { version?: unknown }).version);
}
