// The folder that holds the peers. Nothing in it is ever committed, and nothing outside of it is installed.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Seen from bench/dist/peers/install/ and from bench/peers/install/ alike: the bench runs compiled, its tests do not.
const benchFolder: string = fileURLToPath(new URL('../../../', import.meta.url)).replace(/\/(?:bench\/)?$/, '/bench/');

export const manifestFolder: string = join(benchFolder, 'peers/manifest');
export const peersFolder: string = join(benchFolder, 'peers/.peers');
export const npmFolder: string = join(peersFolder, 'npm');

export function debianFolder(need: string): string {
  return join(peersFolder, 'debian', need);
}

/** A package of the peers' own manifest. They are no dependencies of this repository, so their types are written down by us. */
export function requirePeer<T>(name: string): T {
  return createRequire(join(npmFolder, 'package.json'))(name) as T; // The manifest says which version it is.
}

export function versionOfPackage(name: string): string {
  const manifest = JSON.parse(readFileSync(join(npmFolder, 'node_modules', name, 'package.json'), 'utf8'));
  return (manifest as { version: string }).version;
}

/** A stamp says that a folder was filled to its end, and with what. */
export function isStamped(folder: string, wanted: string): boolean {
  const stamp = join(folder, '.stamp');
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
}

export function stamp(folder: string, wanted: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, '.stamp'), wanted);
}
