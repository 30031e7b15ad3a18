// Newer versions of Node, and the client that needs one: from npm, by scripts/node-versions/manifest. The binaries are those of one
// system; on another one, or where they cannot be had, what needs them is skipped and says so.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export type NodeVersion = 'node-22' | 'node-24' | 'node-26';

const folder = fileURLToPath(new URL('../node-versions/', import.meta.url));
const manifestFiles: readonly string[] = ['package.json', 'package-lock.json', '.npmrc'];
const installedFolder = join(folder, '.installed');
const stampPath = join(installedFolder, 'node_modules', '.stamp');

export const newerCosmos: string = join(installedFolder, 'node_modules', '@azure', 'cosmos');

let installed: Promise<string | undefined> | undefined;

export function pathOfNode(version: NodeVersion): string {
  return join(installedFolder, 'node_modules', version, 'bin', 'node');
}

/** Why there are none here; undefined when they are there. */
export function installNodes(): Promise<string | undefined> {
  installed ??= install();
  return installed;
}

async function install(): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    return `there are binaries for Linux on x64 only, and this is ${process.platform} on ${process.arch}`;
  const lock = readFileSync(join(folder, 'manifest', 'package-lock.json'));
  const wanted = createHash('sha256').update(lock).digest('hex');
  if (existsSync(stampPath) && readFileSync(stampPath, 'utf8') === wanted) return undefined;
  mkdirSync(installedFolder, { recursive: true });
  for (const name of manifestFiles) copyFileSync(join(folder, 'manifest', name), join(installedFolder, name));
  // An npm that runs us hands on the root's settings, and they count for more than those of the folder.
  const args = ['install', '--engine-strict=false', '--no-save', '--prefer-offline', '--loglevel=error'];
  // The npm that started us, where there is one.
  const script = process.env['npm_execpath'];
  const isScript = script?.endsWith('.js') === true;
  const child = spawn(isScript ? process.execPath : 'npm', isScript ? [script, ...args] : args, {
    cwd: installedFolder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const [code] = await once(child, 'close');
  if (code !== 0) return `npm could not install them: ${said.trim().split('\n').slice(-3).join(' ')}`;
  writeFileSync(stampPath, wanted);
  return undefined;
}
