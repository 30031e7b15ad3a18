// The public packages as npm would publish them, in both module systems. `npm run pack` leaves them in packed/, from where they can be
// installed into another project.

import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepare, root, runNpm } from './prepare.mjs';

export const publicPackages = readdirSync(join(root, 'packages'))
  .filter((folder) => existsSync(join(root, 'packages', folder, 'package.json')))
  .map((folder) => ({ folder, manifest: readManifest(join(root, 'packages', folder)) }))
  .filter(({ manifest }) => manifest.private !== true);

/** Throws when one cannot be packed. Everything has to be installed: prepare() does that. */
export async function pack(folder, packages = publicPackages) {
  const { makeCommonJs } = await import('./commonjs.mjs');
  const folders = packages.map((each) => join(root, 'packages', each.folder));
  for (const [at, { manifest }] of packages.entries()) if (manifest.main !== undefined) await makeCommonJs(folders[at]);
  // One npm for all of them: to start one takes longer than to pack. It says itself which it cannot pack.
  const args = ['pack', ...folders, '--pack-destination', folder, '--silent', '--loglevel=error'];
  if (runNpm(args, { stdio: ['ignore', 'ignore', 'inherit'] }) !== 0) throw new Error('npm pack failed');
}

export function tarballOf(folder, { name, version }) {
  return join(folder, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`);
}

export function readManifest(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await prepare();
  const folder = join(root, 'packed');
  mkdirSync(folder, { recursive: true });
  await pack(folder);
  console.log(`packed into ${folder}:`);
  for (const { manifest } of publicPackages) console.log(`  ${tarballOf(folder, manifest)}`);
}
