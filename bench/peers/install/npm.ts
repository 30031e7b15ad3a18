// The peers and clients that come from npm, at the versions of bench/peers/manifest/package-lock.json.

import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isStamped, manifestFolder, npmFolder, stamp } from './peers-folder.ts';
import { runQuietly } from './run-quietly.ts';

export async function installPackages(): Promise<void> {
  const lock = readFileSync(join(manifestFolder, 'package-lock.json'));
  const wanted = createHash('sha256').update(lock).update(`${process.platform} ${process.arch}`).digest('hex');
  if (isStamped(npmFolder, wanted)) return;
  mkdirSync(npmFolder, { recursive: true });
  for (const name of ['package.json', 'package-lock.json']) {
    copyFileSync(join(manifestFolder, name), join(npmFolder, name));
  }
  copyFileSync(join(manifestFolder, '../../../.npmrc'), join(npmFolder, '.npmrc'));
  const args = ['install', '--no-save', '--omit=dev', '--no-fund', '--no-audit', '--loglevel=error'];
  // The npm that started us, where there is one.
  const script = process.env['npm_execpath'];
  if (script?.endsWith('.js') === true) await runQuietly(process.execPath, [script, ...args], npmFolder);
  else await runQuietly('npm', args, npmFolder);
  stamp(npmFolder, wanted);
}

/** The client that both Tidemark and @vercel/cosmosdb-server are spoken to with is this repository's own. */
export function versionOfOwn(name: string): string {
  const manifest = fileURLToPath(new URL(`../../../../node_modules/${name}/package.json`, import.meta.url));
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}
